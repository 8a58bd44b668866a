package cpu

import (
	"math/rand"
	"slices"
	"testing"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// runPrepacked runs a node whose inputs consts are constant, after its kernel has
// packed them, and without those that it says it no longer reads. It reports how
// many these were.
func runPrepacked(t *testing.T, n nodeTest, consts ...int) ([]*tensor.Tensor, int) {
	t.Helper()
	g := graph.New("g")
	spec := graph.NodeSpec{Op: n.op, Opset: n.opset, Attrs: n.attrs}
	q, h := &ep.Query{Opset: n.opset}, &heap{}
	facts, out, shapes, given := make([]op.Fact, len(n.in)), make([]op.Fact, n.outputs), make([]tensor.Shape, len(n.in)), make([]*tensor.Tensor, len(n.in))
	for i, v := range n.in {
		if v == nil {
			spec.Inputs, q.Inputs = append(spec.Inputs, graph.NoValue), append(q.Inputs, ep.Operand{})
			continue
		}
		facts[i], shapes[i] = op.FactOf(v), v.Shape()
		spec.Inputs = append(spec.Inputs, g.NewValue(facts[i].Type))
		o := ep.Operand{Present: true, Type: facts[i].Type}
		if slices.Contains(consts, i) {
			o.Const, given[i] = v, v
		}
		q.Inputs = append(q.Inputs, o)
	}
	for range n.outputs {
		spec.Outputs = append(spec.Outputs, g.NewValue(graph.Type{}))
	}
	id, err := g.AddNode(spec)
	if err != nil {
		t.Fatal(err)
	}
	env := &op.Env{Registry: op.Standard()}
	q.Node = g.Node(id)
	if q.Def, err = env.Lookup(q.Node); err != nil {
		t.Fatal(err)
	}
	if err := env.NodeDef(q.Def, q.Node, facts, nil, out); err != nil {
		t.Fatal(err)
	}
	h.inv.Alloc, h.inv.Outputs = h, make([]ep.Arg, n.outputs)
	for i, f := range out {
		q.Outputs, h.inv.Wanted = append(q.Outputs, ep.Operand{Present: true, Type: f.Type}), append(h.inv.Wanted, true)
		s, _ := f.Type.Shape.Concrete()
		if _, err := h.AllocateOutput(i, f.Type.DType, s); err != nil {
			t.Fatal(err)
		}
	}
	k, err := New().Kernel(q)
	if err != nil {
		t.Fatal(err)
	}
	done, err := k.(ep.Prepacker).Prepack(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	dropped := 0
	for i, v := range n.in {
		arg := ep.Arg{}
		if v != nil && !done[i] {
			arg = ep.Arg{DType: v.DType(), Shape: v.Shape(), Value: v}
		} else if v != nil {
			dropped++
		}
		h.inv.Inputs = append(h.inv.Inputs, arg)
	}
	if s, ok := k.(ep.Scratcher); ok {
		h.inv.Scratch = ep.Arg{Value: tensor.Must(tensor.New(tensor.Uint8, s.Scratch(shapes)))}
	}
	if err := k.Run(t.Context(), &h.inv); err != nil {
		t.Fatalf("%s-%d: %v", n.op, n.opset, err)
	}
	res := make([]*tensor.Tensor, n.outputs)
	for i := range res {
		res[i] = h.inv.Out(i)
	}
	return res, dropped
}

func noise[T float32 | float64](rng *rand.Rand, shape ...int) *tensor.Tensor {
	x := make([]T, tensor.Shape(shape).Size())
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return tensor.Must(tensor.FromSlice(x, shape...))
}

// Operands that compute as float32 have their constants widened once.
func TestPrepackedLowPrecision(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		low := func(shape ...int) *tensor.Tensor {
			return tensor.Must(tensor.Convert(noise[float32](rng, shape...), d, tensor.ConvertOptions{}))
		}
		for _, c := range []nodeTest{
			{op: "MatMul", opset: 13, in: []*tensor.Tensor{low(2, 5, 9), low(9, 7)}, outputs: 1},
			{op: "Gemm", opset: 13, in: []*tensor.Tensor{low(5, 9), low(9, 7), low(7)}, outputs: 1},
			{op: "LSTM", opset: 22, in: []*tensor.Tensor{low(3, 2, 4), low(1, 12, 4), low(1, 12, 3), low(1, 24)}, outputs: 3},
		} {
			want, err := c.run(t)
			if err != nil {
				t.Errorf("%s of %v: %v", c.op, d, err)
				continue
			}
			consts := []int{1, 2, 3}[:len(c.in)-1]
			got, dropped := runPrepacked(t, c, consts...)
			if dropped != len(consts) {
				t.Errorf("%s of %v: %d constants no longer read, want %d", c.op, d, dropped, len(consts))
			}
			for i := range want {
				if err := tensor.Compare(got[i], want[i], 0.01, 1e-3); err != nil {
					t.Errorf("%s of %v, output %d: %v", c.op, d, i, err)
				}
			}
		}
	}
}

// Packed weights give what plain ones give.
func TestPrepackedProducts(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	r := noise[float32]
	yes := int64(1)
	for _, c := range []struct {
		n       nodeTest
		consts  []int
		dropped int
	}{
		{nodeTest{op: "MatMul", opset: 13, in: []*tensor.Tensor{r(rng, 2, 5, 33), r(rng, 33, 18)}, outputs: 1}, []int{1}, 1},
		{nodeTest{op: "MatMul", opset: 13, in: []*tensor.Tensor{r(rng, 33), r(rng, 33, 18)}, outputs: 1}, []int{1}, 1},
		{nodeTest{op: "MatMul", opset: 13, in: []*tensor.Tensor{r(rng, 2, 0, 3), r(rng, 3, 4)}, outputs: 1}, []int{1}, 1},
		{nodeTest{op: "MatMul", opset: 13, in: []*tensor.Tensor{r(rng, 2, 4, 3), r(rng, 2, 3, 4)}, outputs: 1}, []int{1}, 0},
		{nodeTest{op: "Gemm", opset: 13, attrs: []graph.Attr{graph.NewAttr("transB", yes), graph.NewAttr("alpha", float32(0.5)), graph.NewAttr("beta", float32(2))}, in: []*tensor.Tensor{r(rng, 7, 19), r(rng, 23, 19), r(rng, 23)}, outputs: 1}, []int{1, 2}, 1},
		{nodeTest{op: "Gemm", opset: 13, attrs: []graph.Attr{graph.NewAttr("transA", yes)}, in: []*tensor.Tensor{r(rng, 19, 7), r(rng, 19, 23)}, outputs: 1}, []int{1}, 1},
		{nodeTest{op: "LSTM", opset: 14, attrs: []graph.Attr{graph.NewAttr("direction", "bidirectional")}, in: []*tensor.Tensor{r(rng, 4, 3, 5), r(rng, 2, 28, 5), r(rng, 2, 28, 7), r(rng, 2, 56)}, outputs: 3}, []int{1, 2, 3}, 2},
		{nodeTest{op: "GRU", opset: 14, attrs: []graph.Attr{graph.NewAttr("linear_before_reset", yes)}, in: []*tensor.Tensor{r(rng, 4, 1, 5), r(rng, 1, 21, 5), r(rng, 1, 21, 7), r(rng, 1, 42)}, outputs: 2}, []int{1, 2, 3}, 2},
		{nodeTest{op: "RNN", opset: 14, in: []*tensor.Tensor{r(rng, 4, 2, 5), r(rng, 1, 7, 5), r(rng, 1, 7, 7)}, outputs: 2}, []int{1, 2}, 2},
		{nodeTest{op: "LSTM", opset: 14, in: []*tensor.Tensor{noise[float64](rng, 4, 2, 5), noise[float64](rng, 1, 28, 5), noise[float64](rng, 1, 28, 7)}, outputs: 3}, []int{1, 2}, 0},
	} {
		want, err := c.n.run(t)
		if err != nil {
			t.Errorf("%s: %v", c.n.op, err)
			continue
		}
		got, dropped := runPrepacked(t, c.n, c.consts...)
		if dropped != c.dropped {
			t.Errorf("%s of %v: %d inputs no longer read, want %d", c.n.op, c.n.in, dropped, c.dropped)
		}
		for i := range want {
			if err := tensor.Compare(got[i], want[i], 1e-5, 1e-5); err != nil {
				t.Errorf("%s of %v, output %d: %v", c.n.op, c.n.in, i, err)
			}
		}
	}
}
