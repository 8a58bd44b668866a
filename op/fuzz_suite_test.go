package op_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"gort/graph"
	"gort/internal/testdata"
	"gort/onnx"
	"gort/op"
	"gort/tensor"
)

// TestInferMutatedSuite runs FuzzInfer's checks over the nodes of ONNX's backend
// suite with one to three things changed: a size, a type, a value, an attribute,
// an input left out. So it gets where made-up nodes seldom get, into operators
// with many inputs that have to fit together.
func TestInferMutatedSuite(t *testing.T) {
	const mutations = 12
	z := testdata.Zip(t, "conformance", "node.zip")
	models, err := fs.Glob(z, "node/*/model.onnx")
	if err != nil || len(models) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for i, file := range models {
		if strings.HasSuffix(path.Dir(file), "_expanded") {
			continue
		}
		m, err := onnx.OpenFS(z, file)
		if err != nil {
			t.Fatal(err)
		}
		gm, err := m.Graph()
		if err != nil {
			t.Fatal(err)
		}
		values := caseValues(t, z, gm.Graph, gm.Graph.Inputs(), path.Dir(file)+"/test_data_set_0/input_%d.pb")
		facts, err := op.NewEnv(gm).Graph(gm.Graph, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range gm.Graph.Nodes() {
			def, err := op.NewEnv(gm).Lookup(n)
			if err != nil {
				continue
			}
			for k := range mutations {
				c := callOfNode(def, gm.Graph, n.ID, facts)
				c.mutate(&dice{nodeBytes(i, k)})
				if bad := inferFindings(c); len(bad) > 0 {
					t.Errorf("%s: %v\n%s", path.Base(path.Dir(file)), c, strings.Join(bad, "\n"))
				}
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// callOfNode is a node of a copy of a graph with what is known of its inputs.
func callOfNode(def *op.Def, g *graph.Graph, id graph.NodeID, facts []op.Fact) *call {
	n := g.Clone().Node(id)
	c := &call{def: def, node: n, outputs: len(n.Outputs())}
	for _, sub := range n.Subgraphs() { // what a body declares of shapes may no longer hold
		for v := range sub.Values() {
			v.Type = v.Type.WithUnknownShape()
		}
	}
	at := func(ids []graph.ValueID) []op.Fact {
		out := make([]op.Fact, len(ids))
		for i, v := range ids {
			if v != graph.NoValue {
				out[i] = facts[v]
			}
		}
		return out
	}
	c.in, c.implicit = at(n.Inputs()), at(n.Implicit())
	return c
}

// mutate changes one to three things.
func (c *call) mutate(d *dice) {
	m := maker{dice: d, rank: 3}
	for range 1 + d.below(3) {
		if len(c.node.Attrs) > 0 && d.oneIn(3) {
			a := &c.node.Attrs[d.below(len(c.node.Attrs))]
			if s := c.def.Signature().Attr(a.Name); s != nil {
				a.Value = m.changed(a.Value, *s, c)
			}
			continue
		}
		if len(c.in) == 0 {
			continue
		}
		f := &c.in[d.below(len(c.in))]
		switch d.below(8) {
		case 0:
			*f = op.Fact{}
		case 1: // a value becomes unknown
			f.Const, f.Ints = nil, nil
		case 2:
			if f.Type.IsTensor() {
				*f = m.fact(tensor.TensorOf(f.Type.DType))
			}
		case 3: // another element
			if v := op.IntsOf(f.Const); v != nil && len(v.Elems) > 0 {
				v.Elems[d.below(len(v.Elems))] = op.KnownInt(inRange(f.Type.DType, m.number()))
				f.Const, f.Ints = nil, v
			}
		case 4: // another rank
			if dims := f.Type.Shape.Dims(); f.Type.IsTensor() && len(dims) > 0 {
				*f = op.Fact{Type: graph.TensorType(f.Type.DType, graph.ShapeOf(append(slices.Clone(dims), m.dim())[d.below(2):]...))}
			}
		default: // another size
			if dims := slices.Clone(f.Type.Shape.Dims()); f.Type.IsTensor() && len(dims) > 0 {
				dims[d.below(len(dims))] = m.dim()
				*f = op.Fact{Type: graph.TensorType(f.Type.DType, graph.ShapeOf(dims...))}
			}
		}
	}
}

// changed is another value for an attribute: of a list, mostly the same with
// another element.
func (m *maker) changed(old any, a op.AttrDef, c *call) any {
	switch list := old.(type) {
	case []int64:
		if len(list) > 0 && !m.oneIn(4) {
			list = slices.Clone(list)
			list[m.below(len(list))] = m.number()
			return list
		}
	case *graph.Graph:
		return old // its inputs and outputs fit; a made-up one seldom does
	}
	return m.attr(c.def, a, c)
}
