package optimize_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// A graph is written in tests as lines:
//
//	in x float[N,3]
//	const w int64[2] 3 4
//	y, z = Split<axis=1, num_outputs=2>(x)
//	v = If<then_branch=@then, else_branch=@else>(c) captures x
//	out y v
//	graph then:
//	  capture x
//	  r = Relu(x)
//	  out r
//
// where the graphs after the first are the subgraphs that @ names, and "_" is an
// omitted input or output. The version of ai.onnx is 21, or that of a line "opset 13".

// parse makes a graph of a text; the graph is valid.
func parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	parts := regexp.MustCompile(`(?m)^\s*graph (\w+):$`).Split(text, -1)
	names := regexp.MustCompile(`(?m)^\s*graph (\w+):$`).FindAllStringSubmatch(text, -1)
	p := parser{t: t, texts: map[string]string{}, opset: 21}
	for i, n := range names {
		p.texts[n[1]] = parts[i+1]
	}
	g := p.graph("main", parts[0], nil)
	if err := g.Validate(); err != nil {
		t.Fatalf("%s\nis no valid graph: %v", text, err)
	}
	return g
}

type parser struct {
	t     testing.TB
	texts map[string]string
	opset int
}

var nodeLine = regexp.MustCompile(`^(.*?) = (?:(\w[\w.]*)\.)?(\w+)(?:<(.*)>)?\((.*?)\)(?: captures (.*))?$`)

// graph parses one graph; captures are the names of the owner's implicit inputs.
func (p *parser) graph(name, text string, captures []string) *graph.Graph {
	g := graph.New(name)
	fail := func(line string, err any) { p.t.Helper(); p.t.Fatalf("%s: %v", line, err) }
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case line == "":
		case word == "opset":
			p.opset, err = strconv.Atoi(rest)
		case word == "in":
			name, typ, _ := strings.Cut(rest, " ")
			var id graph.ValueID
			if id, err = g.AddValue(name, parseType(typ)); err == nil {
				err = g.AddInput(id)
			}
		case word == "const":
			f := strings.Fields(rest)
			_, err = g.AddConst(f[0], parseConst(p.t, f[1], f[2:]))
		case word == "capture":
			id, _ := g.AddValue(rest, graph.Type{})
			c := graph.Capture{Implicit: -1, Inner: id}
			for i, name := range captures {
				if name == rest {
					c.Implicit = i
				}
			}
			g.Captures = append(g.Captures, c)
		case word == "out":
			for _, name := range strings.Fields(rest) {
				id, ok := g.Lookup(name)
				if !ok {
					fail(line, "there is no "+name)
				}
				err = g.AddOutput(id)
			}
		default:
			err = p.node(g, line)
		}
		if err != nil {
			fail(line, err)
		}
	}
	return g
}

func (p *parser) node(g *graph.Graph, line string) error {
	m := nodeLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("it is no node")
	}
	spec := graph.NodeSpec{Name: m[3] + " " + m[1], Domain: m[2], Op: m[3], Opset: p.opset}
	if spec.Domain != "" {
		spec.Opset = 1
	}
	outer := list(m[6])
	for _, name := range list(m[5]) {
		id, ok := g.Lookup(name)
		if name == "_" {
			id = graph.NoValue
		} else if !ok {
			return fmt.Errorf("there is no %s", name)
		}
		spec.Inputs = append(spec.Inputs, id)
	}
	for _, name := range outer {
		id, ok := g.Lookup(name)
		if !ok {
			return fmt.Errorf("there is no %s", name)
		}
		spec.Implicit = append(spec.Implicit, id)
	}
	for _, a := range regexp.MustCompile(`\w+=(?:\[[^\]]*\]|[^,]*)`).FindAllString(m[4], -1) {
		name, value, _ := strings.Cut(a, "=")
		spec.Attrs = append(spec.Attrs, graph.NewAttr(name, p.attr(value, outer)))
	}
	for _, name := range list(m[1]) {
		id := graph.NoValue
		if name != "_" {
			var err error
			if id, err = g.AddValue(name, graph.Type{}); err != nil {
				return err
			}
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	_, err := g.AddNode(spec)
	return err
}

func (p *parser) attr(s string, outer []string) any {
	if name, ok := strings.CutPrefix(s, "@"); ok {
		return p.graph(name, p.texts[name], outer)
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		ints := []int64{}
		for _, f := range strings.Fields(strings.TrimSuffix(inner, "]")) {
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			ints = append(ints, n)
		}
		return ints
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 32); err == nil {
		return float32(f)
	}
	return strings.Trim(s, `"`)
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// parseType reads float[N,?,3]; without brackets the shape is unknown. Of "?"
// nothing is known.
func parseType(s string) graph.Type {
	if s == "?" {
		return graph.Type{}
	}
	name, dims, ranked := strings.Cut(s, "[")
	d, err := tensor.ParseDType(name)
	if err != nil {
		panic(err)
	}
	if !ranked {
		return graph.TensorType(d, graph.Shape{})
	}
	var shape []graph.Dim
	for _, f := range list(strings.TrimSuffix(dims, "]")) {
		switch n, err := strconv.Atoi(f); {
		case err == nil:
			shape = append(shape, graph.Known(n))
		case f == "?":
			shape = append(shape, graph.Dim{})
		default:
			shape = append(shape, graph.Symbol(f))
		}
	}
	return graph.TensorType(d, graph.ShapeOf(shape...))
}

// parseConst reads numbers of a type; one number fills the whole shape.
func parseConst(t testing.TB, typ string, words []string) *tensor.Tensor {
	t.Helper()
	ty := parseType(typ)
	shape, ok := ty.Shape.Concrete()
	if !ok {
		t.Fatalf("constant of type %s has no shape", typ)
	}
	data := make([]float64, shape.Size())
	for i := range data {
		f, err := strconv.ParseFloat(words[i%len(words)], 64)
		if err != nil {
			t.Fatal(err)
		}
		data[i] = f
	}
	c, err := tensor.Convert(tensor.Must(tensor.FromSlice(data, shape...)), ty.DType, tensor.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// text writes the nodes of a graph in execution order, constants as their
// elements, then the outputs, then the subgraphs.
func text(t testing.TB, g *graph.Graph) string {
	t.Helper()
	order, err := g.Order()
	if err != nil {
		t.Fatal(err)
	}
	names := func(ids []graph.ValueID) string {
		out := make([]string, len(ids))
		for i, id := range ids {
			switch v := g.Value(id); {
			case id == graph.NoValue:
				out[i] = "_"
			case v.IsConstant():
				out[i] = constText(v.Const)
			default:
				out[i] = v.Name
			}
		}
		return strings.Join(out, ", ")
	}
	var lines, below []string
	for _, id := range order {
		n := g.Node(id)
		line := names(n.Outputs()) + " = " + n.Op
		for _, a := range n.Attrs {
			if sub, ok := a.Value.(*graph.Graph); ok {
				below = append(below, "graph "+sub.Name+":", text(t, sub))
			}
		}
		line += "(" + names(n.Inputs()) + ")"
		if len(n.Implicit()) > 0 {
			line += " captures " + names(n.Implicit())
		}
		lines = append(lines, line)
	}
	return strings.Join(append(append(lines, "out "+names(g.Outputs())), below...), "\n")
}

func constText(c *tensor.Tensor) string {
	if c.DType() == tensor.Bool {
		return fmt.Sprint(tensor.Elements[bool](c.Contiguous()))
	}
	list, err := tensor.Float64s(c)
	if err != nil || len(list) > 8 {
		return fmt.Sprintf("%v:%v", c.DType(), c.Shape())
	}
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = strconv.FormatFloat(f, 'g', -1, 64)
		if f == 0 && math.Signbit(f) {
			parts[i] = "-0"
		}
	}
	if c.Rank() == 0 {
		return parts[0]
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// wantGraph checks a graph against lines; their indentation means nothing.
func wantGraph(t *testing.T, g *graph.Graph, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if got, want := text(t, g), strings.Join(lines, "\n"); got != want {
		t.Errorf("the graph is\n%s\nwant\n%s", got, want)
	}
}

func mustInt(t testing.TB, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
