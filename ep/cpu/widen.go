package cpu

import (
	"context"
	"slices"
	"strings"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// Passes implements ep.PassProvider.
func (p *Provider) Passes() []optimize.Pass { return []optimize.Pass{widen{p}} }

// widen turns nodes that compute float16 or bfloat16 by way of float32 into
// float32 nodes between casts, and lets such nodes hand float32 to each other: a
// chain is rounded where it ends instead of after every node, and nothing is
// converted back and forth in between. It is what ONNX Runtime's CPU provider does.
type widen struct{ p *Provider }

// Name implements optimize.Pass.
func (widen) Name() string { return "widen" }

// Run implements optimize.Pass.
func (w widen) Run(_ context.Context, s *optimize.State) (bool, error) {
	order, err := s.Graph.Order()
	if err != nil {
		return false, err
	}
	r := widening{s: s, wide: map[graph.ValueID]graph.ValueID{}}
	changed := false
	for _, id := range order {
		n := s.Graph.Node(id)
		if !s.Placed(n) {
			continue
		}
		if n.Domain == "" && n.Op == "Cast" {
			// A cast of a value that is also there in float32 starts from that.
			if v, ok := r.wide[n.Inputs()[0]]; ok {
				if err := s.Graph.SetInput(id, 0, v); err != nil {
					return changed, err
				}
				changed = true
			}
			continue
		}
		def, err := s.Env.Lookup(n)
		if err != nil {
			continue
		}
		b := w.p.build(r.query(n, def))
		bd, reason := standard().find(b)
		if reason != "" {
			continue
		}
		if to, _ := bd.wider(b); to != tensor.Float32 || !r.follows(n) {
			continue
		}
		if err := r.node(n); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// widening is one run over a graph: the float32 form of each value that has one.
type widening struct {
	s    *optimize.State
	wide map[graph.ValueID]graph.ValueID
}

func (r *widening) query(n *graph.Node, def *op.Def) *ep.Query {
	q := &ep.Query{Node: n, Def: def, Opset: n.Opset, Inputs: make([]ep.Operand, len(n.Inputs())), Outputs: make([]ep.Operand, len(n.Outputs()))}
	for i, id := range n.Inputs() {
		if id != graph.NoValue {
			q.Inputs[i] = ep.Operand{Present: true, Type: r.s.Graph.Value(id).Type, Const: r.s.Const(id)}
			if f := r.s.Fact(id); f.Type.IsKnown() {
				q.Inputs[i].Type = f.Type
			}
		}
	}
	for i, id := range n.Outputs() {
		if id != graph.NoValue {
			q.Outputs[i] = ep.Operand{Present: true, Type: r.s.Fact(id).Type}
		}
	}
	return q
}

// isLow reports whether a value is of a type that computes in float32.
func (r *widening) isLow(id graph.ValueID) bool {
	if id == graph.NoValue {
		return false
	}
	t := r.s.Fact(id).Type
	return t.IsTensor() && viaFloat32Types.Has(t.DType)
}

// follows reports whether the outputs' types follow from the inputs': one of
// them is of a low type, and no attribute (dtype, output_dtype) asks for one.
func (r *widening) follows(n *graph.Node) bool {
	for _, a := range n.Attrs {
		if v, ok := a.Value.(int64); ok && strings.HasSuffix(a.Name, "dtype") && viaFloat32Types.Has(tensor.DType(v)) {
			return false
		}
	}
	return slices.ContainsFunc(n.Inputs(), r.isLow)
}

// node puts a float32 node in a node's place.
func (r *widening) node(n *graph.Node) error {
	g := r.s.Graph
	spec := graph.NodeSpec{Name: n.Name, Domain: n.Domain, Op: n.Op, Opset: n.Opset, Attrs: n.Attrs, Doc: n.Doc}
	for _, id := range n.Inputs() {
		if r.isLow(id) {
			w, err := r.float32(id)
			if err != nil {
				return err
			}
			id = w
		}
		spec.Inputs = append(spec.Inputs, id)
	}
	type narrowed struct{ wide, low graph.ValueID }
	var casts []narrowed
	for _, id := range n.Outputs() {
		if id == graph.NoValue {
			spec.Outputs = append(spec.Outputs, id)
			continue
		}
		t := r.s.Fact(id).Type
		low := g.NewValue(t)
		if err := g.ReplaceUses(id, low); err != nil {
			return err
		}
		if !r.isLow(id) {
			spec.Outputs = append(spec.Outputs, low)
			continue
		}
		wide := g.NewValue(graph.TensorType(tensor.Float32, t.Shape))
		spec.Outputs = append(spec.Outputs, wide)
		casts = append(casts, narrowed{wide, low})
	}
	if err := g.RemoveNode(n.ID); err != nil {
		return err
	}
	if err := r.add(spec); err != nil {
		return err
	}
	for _, c := range casts {
		if err := r.cast(c.wide, c.low); err != nil {
			return err
		}
		r.wide[c.low] = c.wide
	}
	return nil
}

// float32 returns the float32 form of a value, making it when there is none.
func (r *widening) float32(id graph.ValueID) (graph.ValueID, error) {
	if w, ok := r.wide[id]; ok {
		return w, nil
	}
	g := r.s.Graph
	if c := r.s.Const(id); c != nil {
		t, err := tensor.Convert(c, tensor.Float32, tensor.ConvertOptions{})
		if err != nil {
			return graph.NoValue, err
		}
		w, err := g.AddConst("", t)
		r.wide[id] = w
		return w, err
	}
	w := g.NewValue(graph.TensorType(tensor.Float32, r.s.Fact(id).Type.Shape))
	r.wide[id] = w
	return w, r.cast(id, w)
}

// castOpset is the version of Cast that is put in, whatever version of ai.onnx the
// node beside it has: the first with all types that are widened.
const castOpset = 13

func (r *widening) cast(from, to graph.ValueID) error {
	d := r.s.Graph.Value(to).Type.DType
	return r.add(graph.NodeSpec{Op: "Cast", Opset: castOpset, Inputs: []graph.ValueID{from}, Outputs: []graph.ValueID{to}, Attrs: []graph.Attr{graph.NewAttr("to", int64(d))}})
}

func (r *widening) add(spec graph.NodeSpec) error {
	id, err := r.s.Graph.AddNode(spec)
	if err == nil {
		r.s.Graph.Node(id).Provider = r.s.Provider
	}
	return err
}
