package op

import (
	"fmt"
	"strconv"
	"strings"

	"gort/graph"
)

// Body is the meaning of an operator in terms of others: lines in the textual
// form of ONNX function bodies, and the version of ai.onnx they are written in.
//
//	alpha = Constant <value_float: float = @alpha> ()
//	y = Mul (x, alpha)
//	a, b = Split <axis = -1, num_outputs = 2> (y)
//
// Inputs, outputs and attributes carry the names of the definition; @name is the
// value of the node's attribute, and a line whose attribute is absent leaves it
// out. An empty name is an omitted input. Numbers are ints unless they have a
// point or an exponent; [1, 2] is a list; "x" is a string.
type Body struct {
	Opset int
	Text  string
}

// Expand returns the body of a function operator as a graph.Function made for
// one node: attributes are filled in. It returns nil when the definition has no body.
func (e *Env) Expand(d *Def, n *graph.Node, in []Fact) (*graph.Function, error) {
	if d.Body == nil {
		return nil, nil
	}
	c := &Context{Attrs: Attrs{n, d}, env: e, sig: d.Signature(), in: in, out: make([]Fact, len(n.Outputs()))}
	if err := c.check(); err != nil {
		return nil, err
	}
	b, err := d.Body(c)
	if err != nil || b.Text == "" {
		return nil, err
	}
	f := &graph.Function{
		Key:    graph.FunctionKey{Domain: n.Domain, Name: n.Op},
		Opsets: map[string]int{"": b.Opset},
		Graph:  graph.New(n.Op),
	}
	p := bodyParser{c: c, g: f.Graph, opset: b.Opset}
	if err := p.parse(b.Text); err != nil {
		return nil, fmt.Errorf("op: body of %s-%d: %w", d.Name, d.Since, err)
	}
	return f, nil
}

type bodyParser struct {
	c     *Context
	g     *graph.Graph
	opset int
}

func (p *bodyParser) parse(text string) error {
	for i := range p.c.Node.Inputs() {
		name := p.c.sig.Input(i).Name
		if p.c.sig.Input(i).Arity == Variadic {
			name = fmt.Sprintf("%s_%d", name, i-len(p.c.sig.Inputs)+1)
		}
		v, err := p.g.AddValue(name, graph.Type{})
		if err != nil {
			return err
		}
		if err := p.g.AddInput(v); err != nil {
			return err
		}
	}
	for no, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return fmt.Errorf("line %d (%s): %w", no+1, line, err)
		}
	}
	for i := range p.c.Node.Outputs() {
		id, ok := p.g.Lookup(p.c.sig.Output(i).Name)
		if !ok {
			return fmt.Errorf("output %q is not made", p.c.sig.Output(i).Name)
		}
		if err := p.g.AddOutput(id); err != nil {
			return err
		}
	}
	return nil
}

func (p *bodyParser) line(line string) error {
	left, right, ok := strings.Cut(line, "=")
	if !ok {
		return fmt.Errorf("no = found")
	}
	open := strings.LastIndex(right, "(")
	if open < 0 || !strings.HasSuffix(right, ")") {
		return fmt.Errorf("no argument list")
	}
	head, args := strings.TrimSpace(right[:open]), right[open+1:len(right)-1]
	spec := graph.NodeSpec{Op: head, Opset: p.opset}
	if i := strings.IndexByte(head, '<'); i >= 0 {
		spec.Op = strings.TrimSpace(head[:i])
		list, closed := strings.CutSuffix(head[i+1:], ">")
		if !closed {
			return fmt.Errorf("no > found")
		}
		attrs, err := p.attrs(list)
		if err != nil {
			return err
		}
		spec.Attrs = attrs
	}
	if spec.Op == "" {
		return fmt.Errorf("no operator")
	}
	spec.Name = spec.Op + "_" + strconv.Itoa(p.g.NumNodes())
	for _, a := range splitTop(args) {
		id := graph.NoValue
		if a != "" {
			if id, ok = p.g.Lookup(a); !ok {
				if !p.isOmitted(a) {
					return fmt.Errorf("%q is not defined", a)
				}
				id = graph.NoValue
			}
		}
		spec.Inputs = append(spec.Inputs, id)
	}
	for _, o := range splitTop(left) {
		id := graph.NoValue
		if o != "" {
			var err error
			if id, err = p.g.AddValue(o, graph.Type{}); err != nil {
				return err
			}
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	_, err := p.g.AddNode(spec)
	return err
}

// isOmitted reports whether name is a formal input that the node does not give.
func (p *bodyParser) isOmitted(name string) bool {
	for _, in := range p.c.sig.Inputs {
		if in.Name == name {
			return true
		}
	}
	return false
}

func (p *bodyParser) attrs(s string) ([]graph.Attr, error) {
	var out []graph.Attr
	for _, f := range splitTop(s) {
		name, text, ok := strings.Cut(f, "=")
		if !ok {
			return nil, fmt.Errorf("attribute %q has no value", f)
		}
		name, _, _ = strings.Cut(strings.TrimSpace(name), ":")
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		if ref, ok := strings.CutPrefix(text, "@"); ok {
			v := p.c.attrValue(ref)
			if v == nil {
				continue
			}
			out = append(out, graph.NewAttr(name, v))
			continue
		}
		v, err := parseLiteral(text)
		if err != nil {
			return nil, err
		}
		out = append(out, graph.NewAttr(name, v))
	}
	return out, nil
}

// attrValue returns an attribute's value or default, nil when it has neither.
func (c *Context) attrValue(name string) any {
	if a, ok := c.Node.Attr(name); ok {
		return a.Value
	}
	if d := c.sig.Attr(name); d != nil {
		return d.Default
	}
	return nil
}

func parseLiteral(s string) (any, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		list, closed := strings.CutSuffix(inner, "]")
		if !closed {
			return nil, fmt.Errorf("no ] found")
		}
		items := splitTop(list)
		var ints []int64
		var floats []float32
		for _, it := range items {
			v, err := parseLiteral(it)
			if err != nil {
				return nil, err
			}
			switch v := v.(type) {
			case int64:
				ints = append(ints, v)
			case float32:
				floats = append(floats, v)
			default:
				return nil, fmt.Errorf("list item %q is no number", it)
			}
		}
		if len(floats) > 0 {
			if len(ints) > 0 {
				return nil, fmt.Errorf("list %q mixes ints and floats", s)
			}
			return floats, nil
		}
		if ints == nil {
			ints = []int64{}
		}
		return ints, nil
	}
	if len(s) >= 2 && s[0] == '"' {
		return strconv.Unquote(s)
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 32)
	if err != nil {
		return nil, fmt.Errorf("%q is no literal", s)
	}
	return float32(f), nil
}

// splitTop splits at commas outside brackets and quotes and trims the parts.
func splitTop(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var out []string
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}
