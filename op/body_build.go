package op

import (
	"fmt"
	"slices"
	"strconv"

	"gort/graph"
	"gort/tensor"
)

// bodyBuilder turns the text of a body into nodes.
type bodyBuilder struct {
	c       *Context
	opset   int
	types   map[string]tensor.DType // of the inputs, as far as known
	omitted func(name string) bool  // inputs that the node does not give
	toks    []token
	at      int
	scope   *bodyScope
}

// bodyScope is one graph of a body: the function's, or that of an attribute of a
// node in it.
type bodyScope struct {
	g     *graph.Graph
	outer *bodyScope
	// What the node being made, which holds the graphs inside this one, reads through them.
	implicit []graph.ValueID
	captured map[graph.ValueID]graph.ValueID // values of outer, as values of this graph
}

func newBodyBuilder(c *Context, g *graph.Graph, opset int) *bodyBuilder {
	return &bodyBuilder{c: c, opset: opset, types: map[string]tensor.DType{}, scope: &bodyScope{g: g}}
}

// formal is the name in a body of the input or output at position i.
func formal(params []Param, i int) string {
	p := paramAt(params, i)
	if p.Arity == Variadic {
		return fmt.Sprintf("%s_%d", p.Name, i-len(params)+1)
	}
	return p.Name
}

// input makes the next input of the function.
func (b *bodyBuilder) input(name string, d tensor.DType) error {
	v, err := b.scope.g.AddValue(name, graph.Type{})
	if err != nil {
		return err
	}
	b.types[name] = d
	return b.scope.g.AddInput(v)
}

// output makes a value the next output of the function.
func (b *bodyBuilder) output(name string) error {
	id, ok := b.scope.g.Lookup(name)
	if !ok {
		return fmt.Errorf("output %q is not made", name)
	}
	return b.scope.g.AddOutput(id)
}

// lines makes the nodes of a text.
func (b *bodyBuilder) lines(text string) error {
	var err error
	if b.toks, err = lex(text); err != nil {
		return err
	}
	if err := b.statements('e'); err != nil {
		return fmt.Errorf("line %d: %w", b.toks[b.at].line, err)
	}
	return nil
}

// build makes the body of the node: inputs and outputs have the definition's names.
func (b *bodyBuilder) build(text string) error {
	n, sig := b.c.Node, b.c.sig
	for i := range n.Inputs() {
		if err := b.input(formal(sig.Inputs, i), b.c.DType(i)); err != nil {
			return err
		}
	}
	b.omitted = func(name string) bool {
		return slices.ContainsFunc(sig.Inputs, func(p Param) bool { return p.Name == name })
	}
	if err := b.lines(text); err != nil {
		return err
	}
	for i, o := range n.Outputs() {
		name := formal(sig.Outputs, i)
		if _, made := b.scope.g.Lookup(name); !made && o == graph.NoValue {
			if _, err := b.scope.g.AddConst(name, tensor.Scalar(false)); err != nil { // nobody reads it
				return err
			}
		}
		if err := b.output(name); err != nil {
			return err
		}
	}
	return nil
}

func (b *bodyBuilder) peek() byte { return b.toks[b.at].kind }

func (b *bodyBuilder) next() token {
	t := b.toks[b.at]
	if t.kind != 'e' {
		b.at++
	}
	return t
}

func (b *bodyBuilder) accept(kind byte) bool {
	if b.peek() != kind {
		return false
	}
	b.at++
	return true
}

func (b *bodyBuilder) expect(kind byte, what string) (token, error) {
	if t := b.toks[b.at]; t.kind != kind {
		return t, fmt.Errorf("no %s found, but %v", what, t)
	}
	return b.next(), nil
}

func (b *bodyBuilder) skipLines() {
	for b.accept('\n') {
	}
}

// list reads items between commas up to a closing sign; ends of lines do not count.
func (b *bodyBuilder) list(end byte, item func() error) error {
	for {
		b.skipLines()
		if err := item(); err != nil {
			return err
		}
		b.skipLines()
		if b.accept(',') {
			continue
		}
		_, err := b.expect(end, string(end))
		return err
	}
}

// statements reads lines up to a closing sign.
func (b *bodyBuilder) statements(end byte) error {
	for {
		b.skipLines()
		if b.peek() == end {
			b.next()
			return nil
		}
		if err := b.statement(); err != nil {
			return err
		}
		if k := b.peek(); k != '\n' && k != end {
			return fmt.Errorf("%v after the end of the call", b.toks[b.at])
		}
	}
}

// statement reads "names = call".
func (b *bodyBuilder) statement() error {
	names := []string{""}
	for done := false; !done; {
		switch t := b.next(); t.kind {
		case 'n':
			if last := &names[len(names)-1]; *last == "" {
				*last = t.text
				continue
			}
			return fmt.Errorf("no = found, but %v", t)
		case ',':
			names = append(names, "")
		case '=':
			done = true
		default:
			return fmt.Errorf("no = found, but %v", t)
		}
	}
	if b.accept('@') {
		attr, err := b.expect('n', "attribute")
		if err != nil {
			return err
		}
		_, err = b.graphCall(attr.text, names)
		return err
	}
	t, err := b.expect('n', "operator")
	if err != nil {
		return err
	}
	outs := make([]graph.ValueID, len(names))
	_, err = b.call(t.text, func() ([]graph.ValueID, error) {
		for i, name := range names {
			if outs[i], err = b.define(name); err != nil {
				return nil, err
			}
		}
		return outs, nil
	})
	return err
}

// define makes a value of a name, NoValue of the empty one.
func (b *bodyBuilder) define(name string) (graph.ValueID, error) {
	if name == "" {
		return graph.NoValue, nil
	}
	return b.scope.g.AddValue(name, graph.Type{})
}

// call reads attributes and arguments of an operator and adds the node. The
// outputs are made after the arguments, so that they can not be read by them.
func (b *bodyBuilder) call(operator string, outputs func() ([]graph.ValueID, error)) ([]graph.ValueID, error) {
	spec := graph.NodeSpec{Op: operator, Opset: b.opset}
	outer := b.scope.implicit
	b.scope.implicit = nil
	defer func() { b.scope.implicit = outer }()
	var err error
	if b.accept('<') && !b.accept('>') {
		if err := b.list('>', func() error {
			a, ok, err := b.attr()
			if ok {
				spec.Attrs = append(spec.Attrs, a)
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	spec.Implicit = b.scope.implicit
	if spec.Inputs, err = b.arguments(); err != nil {
		return nil, err
	}
	if spec.Outputs, err = outputs(); err != nil {
		return nil, err
	}
	spec.Name = operator + "_" + strconv.Itoa(b.scope.g.NumNodes())
	_, err = b.scope.g.AddNode(spec)
	return spec.Outputs, err
}

// one makes the output of a call that stands as an argument.
func (b *bodyBuilder) one() ([]graph.ValueID, error) {
	return []graph.ValueID{b.scope.g.NewValue(graph.Type{})}, nil
}

func (b *bodyBuilder) arguments() ([]graph.ValueID, error) {
	if _, err := b.expect('(', "argument list"); err != nil {
		return nil, err
	}
	b.skipLines()
	if b.accept(')') {
		return nil, nil
	}
	var ids []graph.ValueID
	err := b.list(')', func() error {
		id, err := b.argument()
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// argument reads a value, a call or a literal, and the type it is to have.
func (b *bodyBuilder) argument() (graph.ValueID, error) {
	var id graph.ValueID
	var err error
	var lit any // not a value of the graph yet
	switch b.peek() {
	case ',', ')':
		return graph.NoValue, nil
	case 'n':
		t := b.next()
		if k := b.peek(); k == '(' || k == '<' {
			ids, err := b.call(t.text, b.one)
			if err != nil {
				return graph.NoValue, err
			}
			id = ids[0]
		} else if id, err = b.value(t.text); err != nil {
			return graph.NoValue, err
		}
	case '@':
		b.next()
		t, err := b.expect('n', "attribute")
		if err != nil {
			return graph.NoValue, err
		}
		if b.peek() == '(' {
			ids, err := b.graphCall(t.text, []string{""})
			if err != nil {
				return graph.NoValue, err
			}
			id = ids[0]
			break
		}
		if lit = b.c.attrValue(t.text); lit == nil {
			id = graph.NoValue
		}
	default:
		if lit, err = b.literal(); err != nil {
			return graph.NoValue, err
		}
	}
	like := graph.NoValue
	if b.accept(':') {
		t, err := b.expect('n', "value")
		if err != nil {
			return graph.NoValue, err
		}
		if like, err = b.value(t.text); err != nil {
			return graph.NoValue, err
		}
		if like == graph.NoValue {
			return graph.NoValue, fmt.Errorf("%q is omitted, so has no type", t.text)
		}
	}
	if lit != nil {
		return b.constant(lit, like)
	}
	if like == graph.NoValue || id == graph.NoValue {
		return id, nil
	}
	return b.node("CastLike", id, like)
}

// node adds a node without attributes.
func (b *bodyBuilder) node(operator string, inputs ...graph.ValueID) (graph.ValueID, error) {
	g := b.scope.g
	out := g.NewValue(graph.Type{})
	_, err := g.AddNode(graph.NodeSpec{
		Op: operator, Opset: b.opset, Name: operator + "_" + strconv.Itoa(g.NumNodes()), Inputs: inputs, Outputs: []graph.ValueID{out},
	})
	return out, err
}

// constant makes a value of a literal. Where the type it is to have is that of an
// input, it has it from the start; fractions are rounded once, from double.
func (b *bodyBuilder) constant(lit any, like graph.ValueID) (graph.ValueID, error) {
	t, err := literalTensor(lit, like != graph.NoValue)
	if err != nil {
		return graph.NoValue, err
	}
	if like == graph.NoValue {
		return b.scope.g.AddConst("", t)
	}
	if d := b.inputType(like); d != tensor.Undefined {
		if t, err = tensor.Convert(t, d, tensor.ConvertOptions{}); err != nil {
			return graph.NoValue, err
		}
		return b.scope.g.AddConst("", t)
	}
	id, err := b.scope.g.AddConst("", t)
	if err != nil {
		return graph.NoValue, err
	}
	return b.node("CastLike", id, like)
}

// inputType is the element type of a value that is an input of the function, in
// whatever graph it stands; Undefined for others.
func (b *bodyBuilder) inputType(id graph.ValueID) tensor.DType {
	return b.types[b.scope.g.Value(id).Name]
}

// number is a literal with a point or an exponent, at full precision.
type number float64

// literalTensor makes a tensor of a literal or of an attribute's value; wide
// keeps fractions double.
func literalTensor(lit any, wide bool) (*tensor.Tensor, error) {
	switch v := lit.(type) {
	case int64:
		return tensor.Scalar(v), nil
	case float32:
		if wide {
			return tensor.Scalar(float64(v)), nil
		}
		return tensor.Scalar(v), nil
	case number:
		if wide {
			return tensor.Scalar(float64(v)), nil
		}
		return tensor.Scalar(float32(v)), nil
	case []int64:
		return tensor.FromSlice(v, len(v))
	case []float32:
		if wide {
			list := make([]float64, len(v))
			for i, f := range v {
				list[i] = float64(f)
			}
			return tensor.FromSlice(list, len(list))
		}
		return tensor.FromSlice(v, len(v))
	case *tensor.Tensor:
		return v, nil
	}
	return nil, fmt.Errorf("%v is no tensor", lit)
}

// value finds a value by name: here, around, or among the inputs that are omitted.
func (b *bodyBuilder) value(name string) (graph.ValueID, error) {
	if id, ok, err := b.scope.lookup(name); ok || err != nil {
		return id, err
	}
	if b.omitted(name) {
		return graph.NoValue, nil
	}
	return graph.NoValue, fmt.Errorf("%q is not defined", name)
}

func (s *bodyScope) lookup(name string) (graph.ValueID, bool, error) {
	if id, ok := s.g.Lookup(name); ok {
		return id, true, nil
	}
	if s.outer == nil {
		return graph.NoValue, false, nil
	}
	id, ok, err := s.outer.lookup(name)
	if !ok || err != nil {
		return id, ok, err
	}
	id, err = s.capture(id, name)
	return id, true, err
}

// capture makes a value of the graph around a value of this one.
func (s *bodyScope) capture(outer graph.ValueID, name string) (graph.ValueID, error) {
	if id, ok := s.captured[outer]; ok {
		return id, nil
	}
	id, err := s.g.AddValue(name, graph.Type{})
	if err != nil {
		return id, err
	}
	at := slices.Index(s.outer.implicit, outer)
	if at < 0 {
		at = len(s.outer.implicit)
		s.outer.implicit = append(s.outer.implicit, outer)
	}
	s.g.Captures = append(s.g.Captures, graph.Capture{Implicit: at, Inner: id})
	s.captured[outer] = id
	return id, nil
}
