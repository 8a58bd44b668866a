package difftest

import (
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// The program that runs ONNX Runtime reads tensors only, and can not write
// optionals. So the model that it is given makes sequences and optionals of
// tensors before the node, and takes optionals apart after it:
//
//	items → SequenceConstruct → node        tensor → Optional → node
//	node → OptionalHasElement, If(OptionalGetElement, something empty)

// partsBorder has values enter and leave in those parts.
type partsBorder struct{}

func (partsBorder) enter(g *graph.Graph, opset int, name string, v tensor.Value) (graph.ValueID, error) {
	b := partsBuilder{g: g, opset: opset, name: name}
	id := b.make(v)
	return id, b.err
}

func (partsBorder) leave(g *graph.Graph, opset int, id graph.ValueID) error {
	t := g.Value(id).Type
	if t.Kind != tensor.KindOptional || t.Elem == nil {
		return g.AddOutput(id)
	}
	b := partsBuilder{g: g, opset: opset, name: g.Value(id).Name}
	has := b.node("OptionalHasElement", graph.TensorType(tensor.Bool, graph.ShapeOf()), []graph.ValueID{id})
	value := b.value(*t.Elem)
	then := partsBuilder{g: graph.New("some"), opset: opset, name: b.name + "_some"}
	inner := then.value(t)
	then.g.Captures = []graph.Capture{{Implicit: 0, Inner: inner}}
	then.output(then.node("OptionalGetElement", *t.Elem, []graph.ValueID{inner}))
	other := partsBuilder{g: graph.New("none"), opset: opset, name: b.name + "_none"}
	if t.Elem.Kind == tensor.KindSequence {
		other.output(other.make(&tensor.Sequence{Elem: *t.Elem.WithoutShape().Elem}))
	} else {
		other.output(other.node("Identity", *t.Elem, []graph.ValueID{other.constant(t.Elem.DType)}))
	}
	for _, s := range []partsBuilder{then, other, b} {
		if s.err != nil {
			return s.err
		}
	}
	_, err := g.AddNode(graph.NodeSpec{Op: "If", Opset: opset, Inputs: []graph.ValueID{has}, Implicit: []graph.ValueID{id}, Outputs: []graph.ValueID{value},
		Attrs: []graph.Attr{graph.NewAttr("then_branch", then.g), graph.NewAttr("else_branch", other.g)}})
	b.err = err
	b.output(has)
	b.output(value)
	return b.err
}

// partsBuilder adds nodes to a graph; it does nothing after an error.
type partsBuilder struct {
	g     *graph.Graph
	opset int
	name  string
	n     int
	err   error
}

func (b *partsBuilder) value(t graph.Type) graph.ValueID {
	if b.err != nil {
		return graph.NoValue
	}
	b.n++
	id, err := b.g.AddValue(fmt.Sprintf("%s_%d", b.name, b.n), t)
	b.err = err
	return id
}

func (b *partsBuilder) constant(d tensor.DType) graph.ValueID {
	t, err := tensor.New(d, 0)
	if err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		return graph.NoValue
	}
	id, err := b.g.AddConst(b.name+"_const", t)
	b.err = err
	return id
}

func (b *partsBuilder) output(id graph.ValueID) {
	if b.err == nil {
		b.err = b.g.AddOutput(id)
	}
}

func (b *partsBuilder) node(name string, out graph.Type, in []graph.ValueID, attrs ...graph.Attr) graph.ValueID {
	id := b.value(out)
	if b.err == nil {
		_, b.err = b.g.AddNode(graph.NodeSpec{Op: name, Opset: b.opset, Inputs: in, Outputs: []graph.ValueID{id}, Attrs: attrs})
	}
	return id
}

// make adds inputs for the tensors in v and joins them.
func (b *partsBuilder) make(v tensor.Value) graph.ValueID {
	switch v := v.(type) {
	case *tensor.Sequence:
		t := graph.FromTensorType(v.Type())
		if len(v.Items) == 0 {
			return b.node("SequenceEmpty", t, nil, graph.NewAttr("dtype", int64(innermost(v.Elem))))
		}
		var items []graph.ValueID
		for _, item := range v.Items {
			items = append(items, b.make(item))
		}
		return b.node("SequenceConstruct", t, items)
	case *tensor.Optional:
		t := graph.FromTensorType(v.Type())
		if v.Value == nil {
			return b.node("Optional", t, nil, graph.NewAttr("type", graph.FromTensorType(v.Elem)))
		}
		return b.node("Optional", t, []graph.ValueID{b.make(v.Value)})
	}
	id := b.value(graph.TypeOf(v))
	if b.err == nil {
		b.err = b.g.AddInput(id)
	}
	return id
}

// fedParts are the tensors in values, in the order in which they are inputs.
func fedParts(values []tensor.Value) []tensor.Value {
	var out []tensor.Value
	for _, v := range values {
		switch v := v.(type) {
		case *tensor.Sequence:
			out = append(out, fedParts(v.Items)...)
		case *tensor.Optional:
			if v.Value != nil {
				out = append(out, fedParts([]tensor.Value{v.Value})...)
			}
		default:
			out = append(out, v)
		}
	}
	return out
}

// partTypes are the types of the outputs by which values of those types leave.
func partTypes(types []tensor.Type) []tensor.Type {
	var out []tensor.Type
	for _, t := range types {
		if t.Kind == tensor.KindOptional && t.Elem != nil {
			out = append(out, tensor.TensorOf(tensor.Bool), *t.Elem)
			continue
		}
		out = append(out, t)
	}
	return out
}

// joinParts makes values of the types of what came out in parts.
func joinParts(parts []tensor.Value, types []tensor.Type) []tensor.Value {
	var out []tensor.Value
	for _, t := range types {
		if t.Kind != tensor.KindOptional || t.Elem == nil {
			out, parts = append(out, parts[0]), parts[1:]
			continue
		}
		o := &tensor.Optional{Elem: *t.Elem}
		if has, ok := parts[0].(*tensor.Tensor); ok && has.Size() == 1 && tensor.Elements[bool](has)[0] {
			o.Value = parts[1]
		}
		out, parts = append(out, o), parts[2:]
	}
	return out
}
