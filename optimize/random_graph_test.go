package optimize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// randomGraph makes up a graph with much to optimize, and inputs for it. Floats
// are of shape [2,3] throughout, though the graph may declare less; among them are
// -0, infinities and NaN.
func randomGraph(t testing.TB, seed uint64) (*graph.Graph, []tensor.Value) {
	r := &randomizer{Rand: rand.New(rand.NewPCG(seed, 1)), opset: 21}
	if r.oneIn(4) {
		r.opset = 13
		r.line("opset 13")
	}
	r.line("in x " + r.oneOf("float[2,3]", "float[N,3]", "float[N,M]", "float[?,?]", "float"))
	r.line("in w " + r.oneOf("float[2,3]", "float[2,K]"))
	r.line("in yes bool[]")
	r.line("const zero float[] 0")
	r.line("const least float[] -0")
	r.line("const one float[] 1")
	r.line("const ones float[2,3] 1")
	r.line("const row float[3] 1 -0 NaN")
	r.line("const k float[2,3] 1 -2 0 -0 0.5 3")
	r.line("const true bool[] 1")
	r.line("const false bool[] 0")
	r.line("const size int64[2] 2 3")
	r.line("const count int64[] 3")
	r.line("const parts int64[1] -1")
	r.floats = []string{"x", "w", "ones", "k"}
	for range 3 + r.IntN(25) {
		r.step(3)
	}
	outs := []string{}
	for range 1 + r.IntN(4) {
		outs = append(outs, r.float())
	}
	r.line("out " + strings.Join(outs, " "))
	g := parse(t, r.main.String()+r.below.String())
	return g, []tensor.Value{
		tensor.Must(tensor.FromSlice([]float32{1.5, float32(math.Copysign(0, -1)), 0, -3, float32(math.NaN()), float32(math.Inf(1))}, 2, 3)),
		tensor.Must(tensor.FromSlice([]float32{-1, 2, float32(math.Copysign(0, -1)), 7, 0.25, -8}, 2, 3)),
		tensor.Must(tensor.FromSlice([]bool{seed%2 == 0}, []int{}...)),
	}
}

// randomizer writes the text of a graph.
type randomizer struct {
	*rand.Rand
	opset       int
	main, below strings.Builder
	floats      []string // values of shape [2,3]
	names       int
}

func (r *randomizer) line(s string) { r.main.WriteString(s + "\n") }

func (r *randomizer) oneIn(n int) bool { return r.IntN(n) == 0 }

func (r *randomizer) oneOf(list ...string) string { return list[r.IntN(len(list))] }

func (r *randomizer) float() string { return r.floats[r.IntN(len(r.floats))] }

func (r *randomizer) fresh() string {
	r.names++
	return fmt.Sprintf("v%d", r.names)
}

// node writes a node with one output and returns its name.
func (r *randomizer) node(op, inputs string) string {
	name := r.fresh()
	r.line(name + " = " + op + "(" + inputs + ")")
	return name
}

// step adds a few nodes that make one more float value. Control flow nests as
// deep as depth allows.
func (r *randomizer) step(depth int) {
	x := r.float()
	switch r.IntN(16) {
	case 0:
		x = r.node(r.oneOf("Neg", "Abs", "Relu", "Identity", "Floor"), x)
	case 1:
		x = r.node(r.oneOf("Add", "Sub", "Mul", "Div"), x+", "+r.oneOf("zero", "least", "one", "ones", "row", r.float()))
	case 2:
		x = r.node(r.oneOf("Add", "Sub", "Mul"), r.oneOf("zero", "least", "one")+", "+x)
	case 3:
		x = r.node(r.oneOf("Max", "Min", "Sum", "Mean"), x)
	case 4:
		x = r.node("Cast<to=1>", x)
	case 5:
		x = r.node("Cast<to=1>", r.node("Cast<to=11>", x))
	case 6:
		x = r.node("Reshape", x+", "+r.node("Shape", r.float()))
	case 7: // through a chain of sizes
		s := r.node("Shape", x)
		first := r.node("Gather<axis=0>", s+", "+r.node("Constant<value_int=0>", ""))
		second := r.node("Gather<axis=0>", s+", "+r.node("Constant<value_int=1>", ""))
		size := r.node("Mul", first+", "+second)
		flat := r.node("Reshape", x+", "+r.node("Reshape", size+", parts"))
		x = r.node("Reshape", flat+", "+r.oneOf("size", s))
	case 8:
		x = r.node("Expand", x+", "+r.oneOf("size", r.node("Shape", r.float())))
	case 9:
		x = r.node("Transpose<perm=[0 1]>", x)
	case 10:
		x = r.node("Transpose<perm=[1 0]>", r.node("Transpose", x))
	case 11:
		a, b := r.fresh(), r.fresh()
		parts := ""
		if r.opset >= 18 {
			parts = ", num_outputs=2"
		}
		r.line(a + ", " + b + " = Split<axis=0" + parts + ">(" + x + ")")
		x = r.node("Concat<axis=0>", r.oneOf(a+", "+b, b+", "+a, a+", "+a))
	case 12:
		x = r.node("Dropout", x+", zero, "+r.oneOf("false", "true"))
	case 13:
		a, b, c := r.fresh(), r.fresh(), r.fresh()
		parts := ""
		if r.opset >= 18 {
			parts = ", num_outputs=3"
		}
		r.line(a + ", " + b + ", " + c + " = Split<axis=1" + parts + ">(" + x + ")")
		x = r.node("Concat<axis=1>", a+", "+r.oneOf(a, b, c)+", "+c)
	case 14:
		if depth == 0 {
			return
		}
		y := r.float()
		then, els := r.sub("branch", nil, []string{x, y}, depth-1), r.sub("branch", nil, []string{x, y}, depth-1)
		name := r.fresh()
		r.line(fmt.Sprintf("%s = If<then_branch=@%s, else_branch=@%s>(%s) captures %s", name, then, els, r.oneOf("yes", "true", "false"), r.outer(x, y)))
		x = name
	case 15:
		if depth == 0 {
			return
		}
		y := r.float()
		body := r.sub("loop", []string{"i int64[]", "yes bool[]", "carried"}, []string{x, y}, depth-1)
		name := r.fresh()
		r.line(fmt.Sprintf("%s = Loop<body=@%s>(count, %s, %s) captures %s", name, body, r.oneOf("_", "true"), x, r.outer(x, y)))
		x = name
	}
	r.floats = append(r.floats, x)
}

// shared are the constants that every subgraph captures.
var shared = []string{"zero", "least", "one", "ones", "row", "k", "true", "false", "size", "count", "parts"}

// outer lists what a subgraph captures, each once.
func (r *randomizer) outer(values ...string) string {
	list := append([]string{}, shared...)
	for _, v := range append(values, "yes") {
		if !contains(list, v) {
			list = append(list, v)
		}
	}
	return strings.Join(list, " ")
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// sub writes a subgraph and returns its name. A loop's body carries its last input.
func (r *randomizer) sub(kind string, inputs, captures []string, depth int) string {
	outerMain, outerFloats := r.main.String(), r.floats
	r.main.Reset()
	r.floats = nil
	name := kind + r.fresh()
	given := map[string]bool{}
	for _, in := range inputs {
		first, typ, _ := strings.Cut(in, " ")
		if typ == "" {
			typ = "float"
			r.floats = append(r.floats, first)
		}
		given[first] = true
		r.line("in " + first + " " + typ)
	}
	for _, c := range strings.Fields(r.outer(captures...)) {
		if !given[c] {
			r.line("capture " + c)
		}
	}
	for _, c := range captures {
		if !contains(r.floats, c) {
			r.floats = append(r.floats, c)
		}
	}
	for range 1 + r.IntN(5) {
		r.step(depth)
	}
	result := r.float()
	if kind == "loop" {
		r.line("out yes " + result)
	} else {
		r.line("out " + result)
	}
	r.below.WriteString("graph " + name + ":\n" + r.main.String())
	r.main.Reset()
	r.main.WriteString(outerMain)
	r.floats = outerFloats
	return name
}
