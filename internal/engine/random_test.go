package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// randomGraph builds a graph of n nodes over two float inputs of shape [a,b],
// from operators that exercise memory planning: in-place elementwise nodes, views
// (Reshape, Slice, Identity, Split), strided data movement, broadcasting, and,
// when dynamic is set, outputs whose shapes only the run knows. Every value keeps
// a size that is a multiple of a*b so that any two can be combined after a Reshape.
func randomGraph(t *testing.T, rng *rand.Rand, n int, dynamic bool) *graph.Graph {
	t.Helper()
	b := &randomBuilder{t: t, rng: rng, g: graph.New("random")}
	for i := range 2 {
		id, err := b.g.AddValue(fmt.Sprintf("in%d", i), graph.TensorType(tensor.Float32, graph.ShapeOf(graph.Symbol("a"), graph.Symbol("b"))))
		if err != nil {
			t.Fatal(err)
		}
		if err := b.g.AddInput(id); err != nil {
			t.Fatal(err)
		}
		b.values = append(b.values, id)
	}
	for range n {
		b.step(dynamic)
	}
	// Some inner values, an input and the last value are outputs; one twice.
	outs := []graph.ValueID{b.values[len(b.values)-1], b.pick(), b.pick(), b.values[0]}
	outs = append(outs, outs[1])
	for _, o := range outs {
		if err := b.g.AddOutput(o); err != nil {
			t.Fatal(err)
		}
	}
	return b.g
}

type randomBuilder struct {
	t      *testing.T
	rng    *rand.Rand
	g      *graph.Graph
	values []graph.ValueID // each of shape [a,b] in some run
}

func (b *randomBuilder) pick() graph.ValueID {
	// Recent values are likelier, so that chains grow long.
	if b.rng.IntN(2) == 0 && len(b.values) > 3 {
		return b.values[len(b.values)-1-b.rng.IntN(3)]
	}
	return b.values[b.rng.IntN(len(b.values))]
}

func (b *randomBuilder) ints(v ...int64) graph.ValueID {
	id, err := b.g.AddConst("", tensor.Must(tensor.FromSlice(v)))
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *randomBuilder) node(op string, outputs int, attrs []graph.Attr, in ...graph.ValueID) []graph.ValueID {
	out := make([]graph.ValueID, outputs)
	for i := range out {
		out[i] = b.g.NewValue(graph.Type{})
	}
	if _, err := b.g.AddNode(graph.NodeSpec{Op: op, Opset: 21, Inputs: in, Outputs: out, Attrs: attrs}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *randomBuilder) keep(id graph.ValueID) { b.values = append(b.values, id) }

func (b *randomBuilder) step(dynamic bool) {
	x := b.pick()
	kinds := 10
	if dynamic {
		kinds = 13
	}
	switch b.rng.IntN(kinds) {
	case 0, 1:
		op := []string{"Relu", "Sigmoid", "Neg", "Abs", "Identity", "Tanh"}[b.rng.IntN(6)]
		b.keep(b.node(op, 1, nil, x)[0])
	case 2, 3:
		op := []string{"Add", "Mul", "Sub", "Max"}[b.rng.IntN(4)]
		b.keep(b.node(op, 1, nil, x, b.pick())[0])
	case 4: // flat and back: two views
		flat := b.node("Reshape", 1, nil, x, b.ints(-1))[0]
		if b.rng.IntN(2) == 0 {
			flat = b.node("Relu", 1, nil, flat)[0]
		}
		b.keep(b.node("Reshape", 1, nil, flat, b.node("Shape", 1, nil, x)[0])[0])
	case 5: // twice transposed
		y := b.node("Transpose", 1, []graph.Attr{graph.NewAttr("perm", []int64{1, 0})}, x)[0]
		y = b.node("Neg", 1, nil, y)[0]
		b.keep(b.node("Transpose", 1, []graph.Attr{graph.NewAttr("perm", []int64{1, 0})}, y)[0])
	case 6: // cut into windows and joined the other way round
		d := b.node("Concat", 1, []graph.Attr{graph.NewAttr("axis", 0)}, x, b.pick())[0]
		p := b.node("Split", 2, []graph.Attr{graph.NewAttr("axis", 0), graph.NewAttr("num_outputs", 2)}, d)
		b.keep(b.node("Add", 1, nil, p[1], p[0])[0])
		b.keep(p[0])
	case 7: // reversed rows
		r := b.node("Slice", 1, nil, x, b.ints(-1), b.ints(-1000), b.ints(0), b.ints(-1))[0]
		b.keep(b.node("Add", 1, nil, r, x)[0])
	case 8: // row means broadcast back
		m := b.node("ReduceMean", 1, nil, x, b.ints(1))[0]
		b.keep(b.node("Sub", 1, nil, x, m)[0])
	case 9: // a product with a value read again later
		y := b.node("Mul", 1, nil, x, x)[0]
		b.keep(b.node("Add", 1, nil, y, x)[0])
	case 10: // where are the positive elements, and back to the shape
		zero := b.node("CastLike", 1, nil, b.ints(0), x)[0]
		mask := b.node("Greater", 1, nil, x, zero)[0]
		b.keep(b.node("Where", 1, nil, mask, x, b.pick())[0])
	case 11: // scatter the non-zero elements of x into y
		y := b.pick()
		at := b.node("NonZero", 1, nil, x)[0]
		at = b.node("Transpose", 1, nil, at)[0]
		v := b.node("GatherND", 1, nil, x, at)[0]
		v = b.node("Abs", 1, nil, v)[0]
		b.keep(b.node("ScatterND", 1, nil, y, at, v)[0])
	case 12: // compress by a condition and pad by concatenation to the size again
		flat := b.node("Reshape", 1, nil, x, b.ints(-1))[0]
		zero := b.node("CastLike", 1, nil, b.ints(0), x)[0]
		mask := b.node("Greater", 1, nil, flat, zero)[0]
		not := b.node("Not", 1, nil, mask)[0]
		p := b.node("Compress", 1, nil, flat, mask)[0]
		q := b.node("Compress", 1, nil, flat, not)[0]
		y := b.node("Concat", 1, []graph.Attr{graph.NewAttr("axis", 0)}, p, q)[0]
		b.keep(b.node("Reshape", 1, nil, y, b.node("Shape", 1, nil, x)[0])[0])
	}
}
