package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// GroupQueryAttention where ONNX Runtime's CPU kernel has no answers: queries and keys
// that are normalised, prompts of several lengths, and attention that is not causal.
func TestGroupQueryAttentionFormula(t *testing.T) {
	const batch, rows, heads, kv, size = 2, 4, 4, 2, 6
	const epsilon = 0.25
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = 2*r.Float32() - 1
		}
		return list
	}
	q, k, v := draw(batch*rows*heads*size), draw(batch*rows*kv*size), draw(batch*rows*kv*size)
	wq, wk := draw(size), draw(size)
	lengths := []int{rows, rows - 1}
	row := func(x, w []float32, per, b, i, h int) []float64 {
		out := make([]float64, size)
		var sum float64
		for j := range out {
			out[j] = float64(x[((b*rows+i)*per+h)*size+j])
			sum += out[j] * out[j]
		}
		for j := range out {
			if w != nil {
				out[j] *= float64(w[j]) / math.Sqrt(sum/size+epsilon)
			}
		}
		return out
	}
	for _, causal := range []bool{true, false} {
		got := nodeTest{domain: microsoft, op: "GroupQueryAttention", opset: 1,
			attrs: []graph.Attr{graph.NewAttr("num_heads", heads), graph.NewAttr("kv_num_heads", kv), graph.NewAttr("qk_norm_epsilon", float32(epsilon)),
				graph.NewAttr("causal", map[bool]int{true: 1}[causal])},
			in: []*tensor.Tensor{tensorOf(q, batch, rows, heads*size), tensorOf(k, batch, rows, kv*size), tensorOf(v, batch, rows, kv*size), nil, nil,
				tensorOf([]int32{int32(lengths[0] - 1), int32(lengths[1] - 1)}), tensor.Scalar(int32(rows)), nil, nil, nil, nil, nil, nil, nil, tensorOf(wq), tensorOf(wk)}}.one(t)
		list := tensor.Elements[float32](got)
		for b := range batch {
			for i := range lengths[b] { // what a padded row gives, nothing says
				for h := range heads {
					last := lengths[b]
					if causal {
						last = i + 1
					}
					query := row(q, wq, heads, b, i, h)
					want := make([]float64, size)
					var sum float64
					for at := range last {
						var score float64
						for j, key := range row(k, wk, kv, b, at, h/(heads/kv)) {
							score += query[j] * key
						}
						p := math.Exp(score / math.Sqrt(size))
						sum += p
						for j, value := range row(v, nil, kv, b, at, h/(heads/kv)) {
							want[j] += p * value
						}
					}
					for j := range want {
						if g := float64(list[((b*rows+i)*heads+h)*size+j]); math.Abs(g-want[j]/sum) > 1e-5 {
							t.Fatalf("causal %v, batch %d, row %d, head %d: element %d is %v, want %v", causal, b, i, h, j, g, want[j]/sum)
						}
					}
				}
			}
		}
	}
}
