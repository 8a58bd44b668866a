package difftest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gort/graph"
	"gort/onnx"
	"gort/tensor"
)

// Case is one call of an operator.
type Case struct {
	Name    string // such as com.microsoft.Gelu-1/007
	Domain  string // "" is ai.onnx
	Op      string
	Version int // the opset that the model imports for Domain
	Attrs   []graph.Attr
	Inputs  []Input
	Outputs []bool // which outputs are asked for
	// Captures are values of the model that subgraphs of the node read; one that is
	// also an input of the node is one value.
	Captures []Input
	// Twin, when set, is what ONNX Runtime is asked in place of this call: one that
	// means the same in a version of the operator that it has.
	Twin *Case
	// Back, of a twin, turns its answers into those of the call.
	Back func([]tensor.Value) ([]tensor.Value, error)
}

// Input is what stands at one position: a value that is fed, a constant of the
// model, or nothing.
type Input struct {
	Value tensor.Value
	Const bool
}

// fewElements is up to how many elements of an input String shows.
const fewElements = 12

// String describes a call in one line: the attributes, and the inputs with their
// elements where they are few.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s version %d", c.Op, c.Version)
	for _, a := range c.Attrs {
		if g, ok := a.Value.(*graph.Graph); ok {
			fmt.Fprintf(&b, " %s=graph of %d nodes", a.Name, g.NumNodes())
			continue
		}
		fmt.Fprintf(&b, " %s=%v", a.Name, a.Value)
	}
	for i, in := range c.around() {
		t, ok := in.Value.(*tensor.Tensor)
		switch {
		case in.Value == nil:
			fmt.Fprintf(&b, "; %d: none", i)
		case ok && t.Size() <= fewElements && t.DType().Bits() >= 8:
			list, err := tensor.Convert(t, tensor.String, tensor.ConvertOptions{})
			if err == nil {
				fmt.Fprintf(&b, "; %d: %v %v", i, in.Value, tensor.Elements[string](list))
				continue
			}
			fallthrough
		default:
			fmt.Fprintf(&b, "; %d: %v", i, in.Value)
		}
	}
	return b.String()
}

// plainOpset is the version of ai.onnx that models of other domains import.
const plainOpset = 21

// irVersion is the newest file version that ONNX Runtime 1.30 surely reads, and
// has every element type up to 4 bits.
const irVersion = 10

// Fed returns the values of the model's inputs in order.
func (c *Case) Fed() []tensor.Value {
	var out []tensor.Value
	for i, in := range c.around() {
		if in.Value != nil && !in.Const && c.again(i) < 0 {
			out = append(out, in.Value)
		}
	}
	return out
}

// around are the values around the node: its inputs, then what its subgraphs capture.
func (c *Case) around() []Input {
	return append(slices.Clip(c.Inputs), c.Captures...)
}

// again says which input of the node value i around it is, when it is a capture of one; else -1.
func (c *Case) again(i int) int {
	if i < len(c.Inputs) {
		return -1
	}
	return slices.IndexFunc(c.Inputs, func(in Input) bool { return in.Value == c.Captures[i-len(c.Inputs)].Value })
}

// Model returns the one-node model as a file. Types of outputs may be given; a
// reader that does not infer them itself needs them.
func (c *Case) Model(outputs []graph.Type) ([]byte, error) {
	return c.model(outputs, wholeBorder{})
}

// border says how values enter and leave a model.
type border interface {
	// enter adds what is fed for a value and returns it.
	enter(g *graph.Graph, opset int, name string, v tensor.Value) (graph.ValueID, error)
	// leave makes a value of the node an output.
	leave(g *graph.Graph, opset int, id graph.ValueID) error
}

// wholeBorder has values enter and leave as they are.
type wholeBorder struct{}

func (wholeBorder) enter(g *graph.Graph, _ int, name string, v tensor.Value) (graph.ValueID, error) {
	id, err := g.AddValue(name, graph.TypeOf(v))
	if err == nil {
		err = g.AddInput(id)
	}
	return id, err
}

func (wholeBorder) leave(g *graph.Graph, _ int, id graph.ValueID) error { return g.AddOutput(id) }

func (c *Case) model(outputs []graph.Type, border border) ([]byte, error) {
	g := graph.New("case")
	spec := graph.NodeSpec{Name: "node", Domain: c.Domain, Op: c.Op, Opset: c.Version}
	for _, a := range c.Attrs {
		if sub, ok := a.Value.(*graph.Graph); ok {
			a.Value = sub.Clone()
		}
		spec.Attrs = append(spec.Attrs, a)
	}
	opsets := map[string]int{graph.NormalDomain(c.Domain): c.Version}
	if _, ok := opsets[""]; !ok {
		opsets[""] = plainOpset
	}
	var ids []graph.ValueID
	for i, in := range c.around() {
		id, err := graph.NoValue, error(nil)
		name := fmt.Sprintf("in%d", i)
		at := c.again(i)
		switch {
		case in.Value == nil:
		case at >= 0:
			id = ids[at]
		case in.Const:
			t, ok := in.Value.(*tensor.Tensor)
			if !ok {
				return nil, fmt.Errorf("input %d: only tensors can be constants", i)
			}
			id, err = g.AddConst(name, t)
		default:
			id, err = border.enter(g, opsets[""], name, in.Value)
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	spec.Inputs, spec.Implicit = ids[:len(c.Inputs)], ids[len(c.Inputs):]
	asked := 0
	var made []graph.ValueID
	for i, ask := range c.Outputs {
		if !ask {
			spec.Outputs = append(spec.Outputs, graph.NoValue)
			continue
		}
		var t graph.Type
		if asked < len(outputs) {
			t = graph.FromTensorType(outputs[asked].WithoutShape())
		}
		asked++
		id, err := g.AddValue(fmt.Sprintf("out%d", i), t)
		if err != nil {
			return nil, err
		}
		spec.Outputs = append(spec.Outputs, id)
		made = append(made, id)
	}
	if _, err := g.AddNode(spec); err != nil {
		return nil, err
	}
	for _, id := range made {
		if err := border.leave(g, opsets[""], id); err != nil {
			return nil, err
		}
	}
	m, err := onnx.FromGraph(&graph.Model{IRVersion: irVersion, ProducerName: "gort", Opsets: opsets, Graph: g})
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := m.Write(&buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
