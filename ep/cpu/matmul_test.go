package cpu_test

import (
	"testing"

	"gort/tensor"
)

func TestProducts(t *testing.T) {
	at := func(v []float32, shape ...int) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v, shape...)) }
	as := func(d tensor.DType, x *tensor.Tensor) *tensor.Tensor {
		return tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{}))
	}
	a, b := at([]float32{1, 2, 3, 4, 5, 6}, 2, 3), at([]float32{1, 0, 0, 1, 1, 1}, 3, 2)
	var cases []nodeCase
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64} {
		cases = append(cases,
			nodeCase{"MatMul", 13, nil, 1, values(as(d, a), as(d, b)), d.String() + " 2x2 [4 5 10 11]"},
			nodeCase{"Gemm", 13, pairs("alpha", float32(2), "transA", 1, "transB", 1), 1, values(as(d, b), as(d, a)), d.String() + " 2x2 [8 20 10 22]"})
		if d != tensor.BFloat16 { // which Einsum-12 lacks
			cases = append(cases, nodeCase{"Einsum", 12, pairs("equation", "ij,jk->ki"), 1, values(as(d, a), as(d, b)), d.String() + " 2x2 [4 10 5 11]"})
		}
	}
	for _, d := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16} {
		cases = append(cases, nodeCase{"Einsum", 12, pairs("equation", "ij,jk"), 1, values(as(d, a), as(d, b)), d.String() + " 2x2 [4 5 10 11]"})
	}
	i8 := tensor.Must(tensor.FromSlice([]int8{100, 100}))
	cases = append(cases,
		nodeCase{"Einsum", 12, pairs("equation", "i,i"), 1, values(i8, i8), "int8 scalar [32]"}, // 20000 mod 256
		nodeCase{"Gemm", 13, pairs("alpha", float32(0.5)), 1, values(as(tensor.Int32, a), as(tensor.Int32, b)), "!representable as int32"},
		nodeCase{"Gemm", 13, pairs("beta", float32(0.5)), 1, values(a, b, at([]float32{2, 4}, 2)), "float32 2x2 [5 7 11 13]"},
		nodeCase{"Gemm", 6, pairs("broadcast", 1), 1, values(a, b, at([]float32{1}, 1)), "float32 2x2 [5 6 11 12]"},
		nodeCase{"Det", 11, nil, 1, values(at([]float32{1, 2, 3, 4}, 2, 2)), "float32 scalar [-2]"},
		nodeCase{"Det", 22, nil, 1, values(as(tensor.Float16, at([]float32{1, 2, 3, 4, 2, 0, 0, 2}, 2, 2, 2))), "float16 2 [-2 4]"},
		nodeCase{"Det", 22, nil, 1, values(as(tensor.Float64, at([]float32{3}, 1, 1))), "float64 scalar [3]"},
	)
	runNodeCases(t, cases)
}

func TestRecurrentErrors(t *testing.T) {
	x, w, r := tensor.Must(tensor.New(tensor.Float32, 3, 2, 4)), tensor.Must(tensor.New(tensor.Float32, 1, 5, 4)), tensor.Must(tensor.New(tensor.Float32, 1, 5, 5))
	lens := func(v ...int32) tensor.Value { return tensor.Must(tensor.FromSlice(v)) }
	runNodeCases(t, []nodeCase{
		{"RNN", 14, pairs("activations", []string{"Sine"}), 1, values(x, w, r), `!names "Sine"`},
		{"RNN", 14, pairs("activations", []string{"Relu", "Relu"}), 1, values(x, w, r), "!must name 1 for each of 1"},
		{"RNN", 14, nil, 1, values(x, w, r, nil, lens(3, 4)), "!sequence_lens[1] is 4, allowed are 0 to 3"},
		{"RNN", 14, nil, 1, values(x, w, r, nil, lens(3, -1)), "!sequence_lens[1] is -1"},
	})
}

func TestAttentionErrors(t *testing.T) {
	x := tensor.Must(tensor.New(tensor.Float32, 1, 1, 2, 4))
	cache := tensor.Must(tensor.New(tensor.Float32, 3, 2))
	runNodeCases(t, []nodeCase{
		{"Attention", 24, nil, 1, values(x, x, x, nil, nil, nil, ints(3)), "!nonpad_kv_seqlen[0] is 3, allowed are 0 to 2"},
		{"RotaryEmbedding", 23, nil, 1, values(x, cache, cache, tensor.Must(tensor.FromSlice([]int64{0, 3}, 1, 2))), "!element 1 is 3, allowed are 0 to 2"},
	})
}
