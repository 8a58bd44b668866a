package cpu

import (
	le "encoding/binary"
	"math"
	"math/rand"
	"testing"

	"gort/graph"
	"gort/internal/kernel/blockquant"
	"gort/tensor"
)

func tensorOf[T tensor.Element](list []T, shape ...int) *tensor.Tensor {
	return tensor.Must(tensor.FromSlice(list, shape...))
}

// product is a*b in float64, of m rows of k and k rows of n.
func product(m, n, k int, a, b []float32) []float64 {
	y := make([]float64, m*n)
	for i := range y {
		for c := range k {
			y[i] += float64(a[i/n*k+c]) * float64(b[c*n+i%n])
		}
	}
	return y
}

func wantNear(t *testing.T, what string, got *tensor.Tensor, want []float64) {
	t.Helper()
	list, err := tensor.Float64s(got)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if math.Abs(list[i]-w) > 1e-5*(1+math.Abs(w)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, list[i], w)
		}
	}
}

// MatMulFpQ4, of which there are no answers of ONNX Runtime.
func TestMatMulFpQ4(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const m, n, k = 5, 3, 40
	a, b := make([]float32, m*k), make([]float32, k*n)
	for i := range a {
		a[i] = r.Float32()*2 - 1
	}
	for kind := range 2 {
		var blob []uint8
		for col := range n {
			for block := range 2 {
				scale, zero := r.Float32(), 8
				blob = le.LittleEndian.AppendUint32(blob, math.Float32bits(scale))
				if kind == 1 {
					zero = r.Intn(16)
					blob = append(blob, uint8(zero))
				}
				data := make([]uint8, 16)
				r.Read(data)
				blob = append(blob, data...)
				for i := range min(32, k-32*block) {
					b[(block*32+i)*n+col] = float32(int(data[i%16]>>(i/16*4)&15)-zero) * scale
				}
			}
		}
		got := nodeTest{domain: microsoft, op: "MatMulFpQ4", opset: 1, attrs: []graph.Attr{graph.NewAttr("blk_quant_type", int64(kind))},
			in: []*tensor.Tensor{tensorOf(a, m, k), tensorOf(blob), tensorOf([]int64{k, n})}}.one(t)
		wantNear(t, "MatMulFpQ4", got, product(m, n, k, a, b))
	}
}

// The product that a gradient needs, by the weights as they are. ONNX Runtime's CPU
// kernel gets it wrong.
func TestMatMulBnb4NotTransposed(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	const m, n, k = 4, 6, 11
	a, b := make([]float32, m*n), make([]float32, n*k)
	for i := range a {
		a[i] = r.Float32()*2 - 1
	}
	packed, largest := make([]uint8, n*k/2), []float32{1, 0.5, 2, 0.25, 3}
	r.Read(packed)
	for i := range b {
		b[i] = blockquant.NF4[packed[i/2]>>(4-i%2*4)&15] * largest[i/16]
	}
	got := nodeTest{domain: microsoft, op: "MatMulBnb4", opset: 1, attrs: pairsOf("K", k, "N", n, "block_size", 16, "quant_type", 1, "transB", 0),
		in: []*tensor.Tensor{tensorOf(a, m, n), tensorOf(packed), tensorOf(largest)}}.one(t)
	wantNear(t, "MatMulBnb4", got, product(m, k, n, a, b))
}

// fc3 and the other layouts of swiglu, which ONNX Runtime's CPU kernel lacks: all three
// ways to write one network.
func TestMoELayouts(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	const rows, hidden, inner, experts = 7, 4, 6, 3
	numbers := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = r.Float32()*2 - 1
		}
		return s
	}
	gate, linear := numbers(experts*inner*hidden), numbers(experts*inner*hidden)
	gateBias, linearBias := numbers(experts*inner), numbers(experts*inner)
	x, router := tensorOf(numbers(rows*hidden), rows, hidden), tensorOf(numbers(rows*experts), rows, experts)
	second, secondBias := tensorOf(numbers(experts*hidden*inner), experts, hidden, inner), tensorOf(numbers(experts*hidden), experts, hidden)
	fuse := func(width int, alternate bool, a, b []float32) []float32 {
		out := make([]float32, 0, len(a)+len(b))
		for e := range experts {
			a, b := a[e*inner*width:][:inner*width], b[e*inner*width:][:inner*width]
			if !alternate {
				out = append(append(out, a...), b...)
				continue
			}
			for i := range inner {
				out = append(append(out, a[i*width:][:width]...), b[i*width:][:width]...)
			}
		}
		return out
	}
	run := func(fusion int, first, bias *tensor.Tensor, third ...*tensor.Tensor) *tensor.Tensor {
		return nodeTest{domain: microsoft, op: "MoE", opset: 1,
			attrs: append(pairsOf("k", 2, "swiglu_fusion", fusion), graph.NewAttr("activation_type", "swiglu"), graph.NewAttr("activation_beta", float32(1)), graph.NewAttr("swiglu_limit", float32(0.5))),
			in:    append([]*tensor.Tensor{x, router, first, bias, second, secondBias}, third...)}.one(t)
	}
	alternating := run(1, tensorOf(fuse(hidden, true, gate, linear), experts, 2*inner, hidden), tensorOf(fuse(1, true, gateBias, linearBias), experts, 2*inner))
	want, err := tensor.Float64s(alternating)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "halves", run(2, tensorOf(fuse(hidden, false, gate, linear), experts, 2*inner, hidden), tensorOf(fuse(1, false, gateBias, linearBias), experts, 2*inner)), want)
	wantNear(t, "fc3", run(0, tensorOf(gate, experts, inner, hidden), tensorOf(gateBias, experts, inner), tensorOf(linear, experts, inner, hidden), tensorOf(linearBias, experts, inner)), want)
}

func pairsOf(list ...any) []graph.Attr {
	var out []graph.Attr
	for i := 0; i < len(list); i += 2 {
		out = append(out, graph.NewAttr(list[i].(string), int64(list[i+1].(int))))
	}
	return out
}
