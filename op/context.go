package op

import (
	"errors"
	"fmt"

	"gort/graph"
	"gort/tensor"
)

// Fact is what is known of a value: its type, with dimensions as far as they are
// known, and for constants and shape arithmetic the value itself or parts of it.
type Fact struct {
	Type  graph.Type
	Const *tensor.Tensor // the value, when known
	Ints  *Ints          // a small integer value of which some elements are known
}

// FactOf returns everything there is to know of a value.
func FactOf(v tensor.Value) Fact {
	f := Fact{Type: graph.TypeOf(v)}
	if t, ok := v.(*tensor.Tensor); ok {
		f.Const = t
	}
	return f
}

// Value returns the value when all of it is known: the constant, or the integers
// as a tensor of the fact's element type. It is nil otherwise.
func (f Fact) Value() *tensor.Tensor {
	if f.Const != nil {
		return f.Const
	}
	list, ok := f.Ints.Known()
	if !ok || !f.Type.IsTensor() || !f.Type.DType.Valid() {
		return nil
	}
	shape := []int{len(list)}
	if f.Ints.Scalar {
		shape = []int{}
	}
	t, err := tensor.FromSlice(list, shape...)
	if err != nil || f.Type.DType == tensor.Int64 {
		return t
	}
	if t, err = tensor.Convert(t, f.Type.DType, tensor.ConvertOptions{}); err != nil {
		return nil
	}
	return t
}

// Context is what a shape function sees of one node, and where it writes what it
// derives. Inputs and outputs are counted by position; omitted ones have no type.
type Context struct {
	Attrs
	env      *Env
	sig      *Signature
	in       []Fact
	implicit []Fact
	out      []Fact
}

// Opset is the version of the node's domain.
func (c *Context) Opset() int { return c.Node.Opset }

// NumInputs is the number of inputs given, counting omitted ones before the last.
func (c *Context) NumInputs() int { return len(c.in) }

// NumOutputs is the number of outputs asked for, counting omitted ones before the last.
func (c *Context) NumOutputs() int { return len(c.out) }

// HasInput reports whether input i is given.
func (c *Context) HasInput(i int) bool {
	return i < len(c.Node.Inputs()) && c.Node.Inputs()[i] != graph.NoValue
}

// HasOutput reports whether output i is asked for.
func (c *Context) HasOutput(i int) bool {
	return i < len(c.Node.Outputs()) && c.Node.Outputs()[i] != graph.NoValue
}

// Type returns what is known of input i's type.
func (c *Context) Type(i int) graph.Type {
	if i < 0 || i >= len(c.in) {
		return graph.Type{}
	}
	return c.in[i].Type
}

// DType returns input i's element type, Undefined while unknown.
func (c *Context) DType(i int) tensor.DType { return c.Type(i).DType }

// Shape returns what is known of input i's shape.
func (c *Context) Shape(i int) graph.Shape { return c.Type(i).Shape }

// Const returns input i's value when it is known.
func (c *Context) Const(i int) *tensor.Tensor {
	if i < 0 || i >= len(c.in) {
		return nil
	}
	return c.in[i].Const
}

// Ints returns what is known of a small integer input of rank 0 or 1: nil when
// nothing is, not even how many elements there are.
func (c *Context) Ints(i int) *Ints {
	if i < 0 || i >= len(c.in) {
		return nil
	}
	f := c.in[i]
	if f.Const != nil {
		return IntsOf(f.Const)
	}
	if f.Ints != nil {
		return f.Ints
	}
	switch f.Type.DType.Class() {
	case tensor.ClassFloat, tensor.ClassComplex, tensor.ClassString:
		return nil
	}
	// A vector of known length has that many unknown elements.
	if s := f.Type.Shape; s.HasRank(1) && mayHoldInts(f.Type) {
		if n, ok := s.Dim(0).Size(); ok && n <= maxInts {
			return &Ints{Elems: make([]Int, n)}
		}
	}
	return nil
}

// mayHoldInts reports whether a type is, or may turn out to be, one that Ints describes.
func mayHoldInts(t graph.Type) bool {
	switch t.DType.Class() {
	case tensor.ClassInt, tensor.ClassUint, tensor.ClassBool:
		return !t.DType.Packed()
	}
	return t.DType == tensor.Undefined
}

// KnownInts returns a small integer input when all of its elements are known.
func (c *Context) KnownInts(i int) ([]int64, bool) { return c.Ints(i).Known() }

// AxesInput returns axes that moved from an attribute to an optional input: the
// attribute when the definition has it, else the input. The second result is
// false when they are given but not known; nil and true mean not given.
func (c *Context) AxesInput(attr string, input int) ([]int64, bool) {
	if c.sig.Attr(attr) != nil {
		return c.Attrs.Ints(attr), true
	}
	if !c.HasInput(input) {
		return nil, true
	}
	return c.KnownInts(input)
}

// SetType sets the whole type of output i. Outputs that are not asked for are ignored.
func (c *Context) SetType(i int, t graph.Type) {
	if i < len(c.out) {
		c.out[i].Type = t
	}
}

// SetDType makes output i a tensor of an element type, keeping its shape.
func (c *Context) SetDType(i int, d tensor.DType) {
	if i < len(c.out) {
		c.out[i].Type.Kind, c.out[i].Type.DType = tensor.KindTensor, d
	}
}

// SetShape sets the shape of output i, whose element type the type constraints
// gave or SetDType sets.
func (c *Context) SetShape(i int, s graph.Shape) {
	if i < len(c.out) {
		c.out[i].Type.Kind = tensor.KindTensor
		c.out[i].Type.Shape = s
	}
}

// SetDims is SetShape from dimensions.
func (c *Context) SetDims(i int, dims ...graph.Dim) { c.SetShape(i, graph.ShapeOf(dims...)) }

// SetInts says what output i's elements are, as far as known; nil is ignored.
func (c *Context) SetInts(i int, v *Ints) {
	if i < len(c.out) && v != nil && len(v.Elems) <= maxInts {
		c.out[i].Ints = v
	}
}

// SetConst says that output i is this value.
func (c *Context) SetConst(i int, t *tensor.Tensor) {
	if i < len(c.out) {
		c.out[i].Const = t
		c.out[i].Type = graph.TypeOf(t)
	}
}

// Implicit returns what is known of the outer values the node's subgraphs capture.
func (c *Context) Implicit() []Fact { return c.implicit }

// Input returns everything known of input i.
func (c *Context) Input(i int) Fact {
	if i < 0 || i >= len(c.in) {
		return Fact{}
	}
	return c.in[i]
}

// SetOutput sets everything known of output i.
func (c *Context) SetOutput(i int, f Fact) {
	if i < len(c.out) {
		c.out[i] = f
	}
}

// Subgraph infers a subgraph of the node from facts about its inputs and returns
// those of its outputs.
func (c *Context) Subgraph(g *graph.Graph, inputs []Fact) ([]Fact, error) {
	if len(inputs) != len(g.Inputs()) {
		return nil, c.Errorf("subgraph %q has %d inputs, the operator gives it %d", g.Name, len(g.Inputs()), len(inputs))
	}
	facts, err := c.env.subgraph(c.Node, g, inputs, c.implicit)
	if err != nil {
		var typed *Error
		var unknown *UnknownError
		if !errors.As(err, &typed) && !errors.As(err, &unknown) {
			err = c.Errorf("%v", err)
		}
		return nil, err
	}
	out := make([]Fact, len(g.Outputs()))
	for i, o := range g.Outputs() {
		out[i] = facts[o]
	}
	return out, nil
}

// Errorf says that the node breaks its definition.
func (c *Context) Errorf(format string, args ...any) error {
	return nodeError(c.Node, "", format, args...)
}

// InputErrorf says what is wrong with input i: what it is and what is allowed.
func (c *Context) InputErrorf(i int, format string, args ...any) error {
	return nodeError(c.Node, c.inputLabel(i), format, args...)
}

// AttrErrorf says what is wrong with an attribute: its value and what is allowed.
func (c *Context) AttrErrorf(name, format string, args ...any) error {
	return nodeError(c.Node, "attribute "+name, format, args...)
}

func (c *Context) inputLabel(i int) string {
	if p := c.sig.Input(i); p != nil {
		return fmt.Sprintf("input %d (%s)", i, p.Name)
	}
	return fmt.Sprintf("input %d", i)
}

// Axis reads an axis attribute against a rank: negative values count from the end.
func (c *Context) Axis(name string, rank int) (int, error) {
	a, err := tensor.Axis(c.Int(name), rank)
	if err != nil {
		return 0, c.AttrErrorf(name, "%v", err)
	}
	return a, nil
}

// WantRank checks input i's rank, when it is known, and returns it.
func (c *Context) WantRank(i, rank int) error {
	if r, ok := c.Shape(i).Rank(); ok && r != rank {
		return c.InputErrorf(i, "shape %v has rank %d, the operator needs %d", c.Shape(i), r, rank)
	}
	return nil
}

// Broadcast returns the shape that shapes broadcast to (multidirectional
// broadcasting); unknown dimensions stay unknown unless another one decides them.
func (c *Context) Broadcast(shapes ...graph.Shape) (graph.Shape, error) {
	rank := 0
	for _, s := range shapes {
		r, ok := s.Rank()
		if !ok {
			return graph.Shape{}, nil
		}
		rank = max(rank, r)
	}
	dims := make([]graph.Dim, rank)
	for i := range dims {
		d := graph.Known(1)
		for _, s := range shapes {
			r, _ := s.Rank()
			if i < rank-r {
				continue
			}
			e := s.Dims()[i-(rank-r)]
			switch {
			case e.Is(1) || d.Same(e):
			case d.Is(1):
				d = e
			case d.IsKnown() && e.IsKnown():
				return graph.Shape{}, c.Errorf("shapes %v do not broadcast: dimension %d is %v and %v", shapes, i, d, e)
			case e.IsKnown():
				d = e // the other must be 1 or the same
			case d.IsKnown():
			default:
				d = graph.Dim{} // two unknowns: either may be 1
			}
		}
		dims[i] = d
	}
	return graph.ShapeOf(dims...), nil
}
