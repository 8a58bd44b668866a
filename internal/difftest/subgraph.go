package difftest

import (
	"fmt"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// Sub is a subgraph in the making: a graph attribute of the call's node, or of a
// node inside another subgraph.
type Sub struct {
	g       *G
	graph   *graph.Graph
	around  *Sub // nil for a graph attribute of the call
	outside *outside
	depth   int
}

// outside are the values around a node that its subgraphs share.
type outside struct{ ids []graph.ValueID }

// Operand is a value of a subgraph.
type Operand struct {
	ID   graph.ValueID
	Type tensor.Type
	Dims []int // of a tensor
}

// Body starts a graph attribute of the call.
func (g *G) Body() *Sub { return &Sub{g: g, graph: graph.New("body")} }

// Inner starts a graph attribute of a node of s that is added later with Node; all
// subgraphs of that node share one list of captures.
func (s *Sub) Inner(shared *outside) *Sub {
	return &Sub{g: s.g, graph: graph.New("inner"), around: s, outside: shared, depth: s.depth + 1}
}

// must is for mistakes in a generator.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (s *Sub) value(t graph.Type) graph.ValueID {
	s.g.names++
	return must(s.graph.AddValue(fmt.Sprintf("v%d", s.g.names), t))
}

// In adds an input. Its shape is declared where it is known.
func (s *Sub) In(t tensor.Type, dims []int) Operand {
	o := Operand{s.value(declared(t, dims)), t, dims}
	must(0, s.graph.AddInput(o.ID))
	return o
}

// declared is a type with a shape unless it is not known (nil).
func declared(t tensor.Type, dims []int) graph.Type {
	if t.Kind != tensor.KindTensor || dims == nil {
		return graph.FromTensorType(t)
	}
	return graph.TensorType(t.DType, graph.Fixed(dims...))
}

// Out makes values the outputs and returns the graph.
func (s *Sub) Out(list ...Operand) *graph.Graph {
	for _, o := range list {
		must(0, s.graph.AddOutput(o.ID))
	}
	return s.graph
}

// Const adds a constant.
func (s *Sub) Const(t *tensor.Tensor) Operand {
	s.g.names++
	return Operand{must(s.graph.AddConst(fmt.Sprintf("c%d", s.g.names), t)), t.Type(), t.Shape()}
}

// Fed adds a value that is an input of the model, and captures it through all the
// graphs between. The value may be an input of the node.
func (s *Sub) Fed(v tensor.Value) Operand {
	o := Operand{Type: v.Type()}
	if t, ok := v.(*tensor.Tensor); ok {
		o.Dims = t.Shape()
	}
	if s.around != nil {
		return s.Capture(s.around.Fed(v))
	}
	at := slices.IndexFunc(s.g.c.Captures, func(in Input) bool { return in.Value == v })
	if at < 0 {
		at = len(s.g.c.Captures)
		s.g.c.Captures = append(s.g.c.Captures, Input{Value: v})
	}
	for _, c := range s.graph.Captures {
		if c.Implicit == at {
			o.ID = c.Inner
			return o
		}
	}
	o.ID = s.value(graph.TypeOf(v))
	s.graph.Captures = append(s.graph.Captures, graph.Capture{Implicit: at, Inner: o.ID})
	return o
}

// Capture makes a value of the graph around available.
func (s *Sub) Capture(outer Operand) Operand {
	at := slices.Index(s.outside.ids, outer.ID)
	if at < 0 {
		at = len(s.outside.ids)
		s.outside.ids = append(s.outside.ids, outer.ID)
	}
	for _, c := range s.graph.Captures {
		if c.Implicit == at {
			return Operand{c.Inner, outer.Type, outer.Dims}
		}
	}
	inner := Operand{s.value(declared(outer.Type, outer.Dims)), outer.Type, outer.Dims}
	s.graph.Captures = append(s.graph.Captures, graph.Capture{Implicit: at, Inner: inner.ID})
	return inner
}

// Do adds a node of one output of that type; dims may be unknown (nil).
func (s *Sub) Do(name string, t tensor.Type, dims []int, attrs []graph.Attr, in ...Operand) Operand {
	return s.Node(name, nil, t, dims, attrs, in...)
}

// Node is Do for a node with subgraphs that capture values of s.
func (s *Sub) Node(name string, shared *outside, t tensor.Type, dims []int, attrs []graph.Attr, in ...Operand) Operand {
	out := Operand{s.value(declared(t, dims)), t, dims}
	spec := graph.NodeSpec{Op: name, Opset: s.g.c.Version, Attrs: attrs, Outputs: []graph.ValueID{out.ID}}
	for _, o := range in {
		spec.Inputs = append(spec.Inputs, o.ID)
	}
	if shared != nil {
		spec.Implicit = shared.ids
	}
	must(s.graph.AddNode(spec))
	return out
}

// Copy is Identity, which has no type to lose.
func (s *Sub) Copy(o Operand) Operand { return s.Do("Identity", o.Type, o.Dims, nil, o) }
