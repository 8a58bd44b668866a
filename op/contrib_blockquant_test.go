package op_test

import "testing"

func TestInferBlockQuantized(t *testing.T) {
	nbits := func(more ...any) []any {
		return append([]any{"K", int64(20), "N", int64(3), "block_size", int64(16)}, more...)
	}
	bnb := func(more ...any) []any {
		return append([]any{"K", int64(20), "N", int64(3), "block_size", int64(16), "quant_type", int64(1)}, more...)
	}
	gather := func(more ...any) []any {
		return append([]any{"block_size", int64(16)}, more...)
	}
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,S,20]", "uint8[3,2,8]", "float[6]"), "float[B,S,3]"},
		{"MatMulNBits", 1, attrs(nbits("bits", int64(8))...), moveFacts("float16[?]", "uint8[3,2,16]", "float16[3,2]", "uint8[6]"), "float16[3]"},
		{"MatMulNBits", 1, attrs(nbits("bits", int64(2))...), moveFacts("float", "uint8[3,2,4]", "float[6]", "uint8[3]", "", "float[3]"), "float"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[20]", "uint8[48]", "float[6]", "float16[3,2]", "int32[32]"), "float[3]"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,21]", "uint8[3,2,8]", "float[6]"), "!rows of 20"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[]", "uint8[3,2,8]", "float[6]"), "!needs 1 or more"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,7]", "float[6]"), "!input 1"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[5]"), "!must have 6 elements"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]", "uint8[6]"), "!must have 3 elements"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]", "float[3]"), "!must have 6 elements"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]", "", "int32[19]"), "!must have 20 elements, or 32"},
		{"MatMulNBits", 1, attrs(nbits()...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]", "", "", "float[2]"), "!must have 3 elements"},
		{"MatMulNBits", 1, attrs(nbits("bits", int64(3))...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]"), "!allowed are 2, 4 and 8"},
		{"MatMulNBits", 1, attrs(nbits("accuracy_level", int64(5))...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]"), "!allowed are 0 to 4"},
		{"MatMulNBits", 1, attrs(nbits("weight_prepacked", int64(1))...), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]"), "!weight_prepacked"},
		{"MatMulNBits", 1, attrs("K", int64(20), "N", int64(3), "block_size", int64(24)), moveFacts("float[B,20]", "uint8[3,2,8]", "float[6]"), "!power of two"},
		{"MatMulNBits", 1, attrs("K", int64(1)<<62, "N", int64(3), "block_size", int64(16)), moveFacts("float", "uint8", "float"), "!attribute K"},
		{"MatMulNBits", 1, attrs("K", int64(1)<<40, "N", int64(1)<<40, "block_size", int64(16)), moveFacts("float", "uint8", "float"), "!attribute N"},

		{"MatMulBnb4", 1, attrs(bnb()...), moveFacts("float[B,20]", "uint8[30]", "float[4]"), "float[B,3]"},
		{"MatMulBnb4", 1, attrs(bnb("transB", int64(0))...), moveFacts("float[B,3]", "uint8[30,1]", "float[4]"), "float[B,20]"},
		{"MatMulBnb4", 1, attrs(bnb()...), moveFacts("float[B,3]", "uint8[30]", "float[4]"), "!rows of 20"},
		{"MatMulBnb4", 1, attrs(bnb()...), moveFacts("float[B,20]", "uint8[31]", "float[4]"), "!must have 30 elements"},
		{"MatMulBnb4", 1, attrs(bnb()...), moveFacts("float[B,20]", "uint8[30]", "float[3]"), "!must have 4 elements"},
		{"MatMulBnb4", 1, attrs("K", int64(20), "N", int64(3), "block_size", int64(16), "quant_type", int64(2)), moveFacts("float[B,20]", "uint8[30]", "float[4]"), "!0 (fp4) and 1 (nf4)"},

		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[126]", "int64[2]=40,3"), "float[B,3]"},
		{"MatMulFpQ4", 1, attrs("blk_quant_type", int64(0)), moveFacts("float[B,40]", "uint8[120]", "int64[2]=40,3"), "float[B,3]"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[126]", "int64[2]"), "float[B,?]"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,41]", "uint8[126]", "int64[2]=40,3"), "!rows of 40"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[120]", "int64[2]=40,3"), "!must have 126 elements"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[126]", "int64[2]=-40,3"), "!must not be negative"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[126]", "int64[2]=1099511627776,1099511627776"), "!must not be negative"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[3,42]", "int64[2]=40,3"), "!rank 2"},
		{"MatMulFpQ4", 1, nil, moveFacts("float[B,40]", "uint8[126]", "int64[3]"), "!dimensions of the weights"},
		{"MatMulFpQ4", 1, attrs("blk_quant_type", int64(2)), moveFacts("float", "uint8", "int64"), "!blk_quant_type"},

		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[V,40]", "int64[B,S]", "float[V,3]", "int4[V,3]"), "float[B,S,40]"},
		{"GatherBlockQuantized", 1, attrs(gather("gather_axis", int64(-1), "quantize_axis", int64(-2))...), moveFacts("uint4[40,7]", "int32[]", "float16[3,7]"), "float16[40]"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("uint8[V,40]", "int64[B]", "float[V,5]", "uint8[V,3]"), "float[B,80]"},
		{"GatherBlockQuantized", 1, attrs(gather("bits", int64(2))...), moveFacts("uint8[V,40]", "int64[B]", "float[V,10]", "uint8[V,3]"), "float[B,160]"},
		{"GatherBlockQuantized", 1, attrs(gather("bits", int64(8))...), moveFacts("uint8[V,?]", "int64[B]", "float[V,10]"), "float[B,?]"},
		{"GatherBlockQuantized", 1, attrs("block_size", int64(0)), moveFacts("float8e5m2[V,40]", "int64[B]", "bfloat16[1,1]"), "bfloat16[B,40]"},
		{"GatherBlockQuantized", 1, nil, moveFacts("float4e2m1", "int64[B]", "float"), "float"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[V,40]", "int64", "float[V,3]"), "float"},
		{"GatherBlockQuantized", 1, attrs("block_size", int64(0)), moveFacts("int4[V,40]", "int64[B]", "float[V,1]"), "!power of two"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("float8e5m2[V,40]", "int64[B]", "float[V,3]", "float8e5m2[V,3]"), "!has no zero points"},
		{"GatherBlockQuantized", 1, attrs(gather("bits", int64(8))...), moveFacts("int4[V,40]", "int64[B]", "float[V,3]"), "!must be 4"},
		{"GatherBlockQuantized", 1, attrs(gather("bits", int64(3))...), moveFacts("uint8[V,40]", "int64[B]", "float[V,3]"), "!allowed are 2, 4 and 8"},
		{"GatherBlockQuantized", 1, attrs(gather("gather_axis", int64(1))...), moveFacts("uint8[V,40]", "int64[B]", "float[V,5]"), "!along dimension 0"},
		{"GatherBlockQuantized", 1, attrs(gather("quantize_axis", int64(2))...), moveFacts("int4[V,40]", "int64[B]", "float[V,3]"), "!quantize_axis"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[40]", "int64[B]", "float[3]"), "!needs 2 or more"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[V,40]", "int64[B]", "float[V,4]"), "!must have 3 in dimension 1"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[2,40]", "int64[B]", "float[1,3]"), "!must have 2 in dimension 0"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[V,40]", "int64[B]", "float[V,3,1]"), "!rank 3"},
		{"GatherBlockQuantized", 1, attrs(gather()...), moveFacts("int4[V,40]", "int64[B]", "float[V,3]", "int4[V,2]"), "!one zero point for each"},
	})
}

func TestInferMixtureOfExperts(t *testing.T) {
	swiglu := []any{"activation_type", "swiglu", "swiglu_fusion", int64(1)}
	block := []any{"block_size", int64(16), "k", int64(2)}
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"MoE", 1, nil, moveFacts("float[B,S,6]", "float[R,4]", "float[4,10,6]", "float[4,10]", "float[4,6,10]", "float[4,6]"), "float[B,S,6]"},
		{"MoE", 1, nil, moveFacts("float[B,6]", "float[B,4]", "float[4,6,10]", "", "float[4,10,6]"), "float[B,6]"},
		{"MoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]", "", "float[4,10,6]", "float[4,10]"), "float[2,6]"},
		{"MoE", 1, attrs(swiglu...), moveFacts("float[2,6]", "float[2,4]", "float[4,20,6]", "float[4,20]", "float[4,6,10]"), "float[2,6]"},
		{"MoE", 1, nil, moveFacts("float", "float", "float", "", "float"), "float"},
		{"MoE", 1, attrs(swiglu...), moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!input 2"},
		{"MoE", 1, attrs(swiglu...), moveFacts("float[2,6]", "float[2,4]", "float[4,20,6]", "", "float[4,6,10]", "", "float[4,10,6]"), "!fc1 holds its weights"},
		{"MoE", 1, attrs("activation_type", "swiglu"), moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!needs fc3"},
		{"MoE", 1, attrs("activation_type", "tanh"), moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!activation_type"},
		{"MoE", 1, attrs("swiglu_limit", float32(-1)), moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!swiglu_limit"},
		{"MoE", 1, attrs("k", int64(5)), moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!no more than there are experts"},
		{"MoE", 1, attrs("k", int64(0)), moveFacts("float", "float", "float", "", "float"), "!must be 1 or more"},
		{"MoE", 1, attrs("use_sparse_mixer", int64(1)), moveFacts("float", "float", "float", "", "float"), "!needs k = 2"},
		{"MoE", 1, nil, moveFacts("float[6]", "float[2,4]", "float[4,10,6]", "", "float[4,6,10]"), "!must have 2 or 3"},
		{"MoE", 1, nil, moveFacts("float[2,3,6]", "float[5,4]", "float[4,10,6]", "", "float[4,6,10]"), "!a row for each"},
		{"MoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "float[3,10,6]", "", "float[4,6,10]"), "!experts, outputs, inputs"},
		{"MoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "float[4,10,6]", "float[4,6]", "float[4,6,10]"), "!input 3"},

		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "float[4,10]", "", "uint8[4,6,5]", "float[4,6]"), "float[2,6]"},
		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "float[4,10]", "", "uint8[4,6,5]", "float[4,6]", "", "", "", "", "uint8[4,5]", "uint8[4,3]", "", "float[2,4]"), "float[2,6]"},
		{"QMoE", 1, attrs(block...), moveFacts("float[2,40]", "float[2,4]", "uint8[4,20,20]", "float[4,20,3]", "float[4,20]", "uint8[4,40,10]", "float[4,40,2]", "float[4,40]", "", "", "", "uint8[4,20,2]", "uint8[4,40,1]"), "float[2,40]"},
		{"QMoE", 1, attrs(append([]any{"expert_weight_bits", int64(8)}, swiglu...)...), moveFacts("float[2,6]", "float[2,4]", "uint8[4,20,6]", "float[4,20]", "", "uint8[4,6,10]", "float[4,6]"), "float[2,6]"},
		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "", "", "uint8[4,6,5]", "float[4,6]"), "!input 3"},
		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "float[4,9]", "", "uint8[4,6,5]", "float[4,6]"), "!must be [4,10]"},
		{"QMoE", 1, nil, moveFacts("float[2,7]", "float[2,4]", "uint8[4,10,3]", "float[4,10]", "", "uint8[4,7,5]", "float[4,7]"), "!can not be told apart"},
		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "float[4,10]", "", "uint8[4,6,5]", "float[4,6]", "", "", "", "", "uint8[4,10]"), "!input 11"},
		{"QMoE", 1, nil, moveFacts("float[2,6]", "float[2,4]", "uint8[4,10,3]", "float[4,10]", "", "uint8[4,6,5]", "float[4,6]", "", "", "", "", "", "", "", "float[2,3]"), "!that of router_probs"},
		{"QMoE", 1, attrs("expert_weight_bits", int64(3)), moveFacts("float", "float", "uint8", "float", "", "uint8", "float"), "!allowed are 2, 4 and 8"},
		{"QMoE", 1, attrs("block_size", int64(8)), moveFacts("float", "float", "uint8", "float", "", "uint8", "float"), "!power of two"},
		{"QMoE", 1, attrs("accuracy_level", int64(-1)), moveFacts("float", "float", "uint8", "float", "", "uint8", "float"), "!accuracy_level"},
	})
}
