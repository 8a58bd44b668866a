package onnx

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// rewrite writes a model and parses it again.
func rewrite(t testing.TB, m *Model) *Model {
	t.Helper()
	var buf bytes.Buffer
	if err := m.Write(&buf); err != nil {
		t.Fatal(err)
	}
	again, err := Parse(buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// dumpModel prints all that a model means, nothing of ids.
func dumpModel(m *graph.Model) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ir %d %q %q %q %d %q %v %v\n", m.IRVersion, m.ProducerName, m.ProducerVersion, m.Domain, m.Version, m.Doc, m.Metadata, m.Opsets)
	dumpGraph(&b, m.Graph, "")
	keys := slices.SortedFunc(maps.Keys(m.Functions), func(a, b graph.FunctionKey) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		f := m.Functions[k]
		fmt.Fprintf(&b, "function %v %q %v %v\n", f.Key, f.Doc, f.Attrs, f.Opsets)
		dumpAttrs(&b, f.Defaults, " ")
		dumpGraph(&b, f.Graph, " ")
	}
	return b.String()
}

func dumpGraph(b *strings.Builder, g *graph.Graph, indent string) {
	fmt.Fprintf(b, "%sgraph %q %q\n", indent, g.Name, g.Doc)
	show := func(id graph.ValueID) string {
		if id == graph.NoValue {
			return "-"
		}
		v := g.Value(id)
		return fmt.Sprintf("%q %v", v.Name, v.Type)
	}
	list := func(what string, ids []graph.ValueID) {
		for _, id := range ids {
			fmt.Fprintf(b, "%s  %s %s\n", indent, what, show(id))
		}
	}
	list("input", g.Inputs())
	list("output", g.Outputs())
	var constants []string
	for v := range g.Values() {
		if v.Const != nil {
			constants = append(constants, fmt.Sprintf("%s  const %q %s\n", indent, v.Name, dumpTensor(v.Const)))
		}
	}
	slices.Sort(constants)
	b.WriteString(strings.Join(constants, ""))
	order, err := g.Order()
	if err != nil {
		fmt.Fprintf(b, "%v\n", err)
		return
	}
	for _, id := range order {
		n := g.Node(id)
		fmt.Fprintf(b, "%s  node %q %s.%s:%s %d %q\n", indent, n.Name, n.Domain, n.Op, n.Overload, n.Opset, n.Doc)
		list("  in", n.Inputs())
		list("  implicit", n.Implicit())
		list("  out", n.Outputs())
		dumpAttrs(b, n.Attrs, indent+"    ")
	}
	for _, c := range g.Captures {
		fmt.Fprintf(b, "%s  capture %d %s\n", indent, c.Implicit, show(c.Inner))
	}
}

func dumpAttrs(b *strings.Builder, attrs []graph.Attr, indent string) {
	for _, a := range attrs {
		fmt.Fprintf(b, "%s%s %v ref %q: ", indent, a.Name, a.Kind, a.Ref)
		switch v := a.Value.(type) {
		case *tensor.Tensor:
			b.WriteString(dumpTensor(v))
		case []*tensor.Tensor:
			for _, t := range v {
				b.WriteString(dumpTensor(t))
			}
		case *graph.Sparse:
			b.WriteString(dumpSparse(v))
		case []*graph.Sparse:
			for _, s := range v {
				b.WriteString(dumpSparse(s))
			}
		case *graph.Graph:
			b.WriteByte('\n')
			dumpGraph(b, v, indent+"  ")
		case []*graph.Graph:
			b.WriteByte('\n')
			for _, g := range v {
				dumpGraph(b, g, indent+"  ")
			}
		default:
			fmt.Fprintf(b, "%v", v)
		}
		b.WriteByte('\n')
	}
}

func dumpTensor(t *tensor.Tensor) string {
	h := fnv.New64a()
	if t.DType() == tensor.String {
		fmt.Fprintf(h, "%q", tensor.Elements[string](t.Contiguous()))
	} else if data, err := t.Contiguous().Bytes(); err == nil {
		h.Write(data)
	}
	return fmt.Sprintf("%v %x", t, h.Sum64())
}

func dumpSparse(s *graph.Sparse) string {
	return fmt.Sprintf("%s %s %v", dumpTensor(s.Values), dumpTensor(s.Indices), s.Dims)
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(y), len(x))
}
