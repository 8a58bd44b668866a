package op_test

import "testing"

func TestContribGateShapes(t *testing.T) {
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"GatedAdd", 1, nil, moveFacts("float[B,3,4]", "float[B,3,4]", "float[B,3,1]"), "float[B,3,4]"},
		{"GatedAdd", 1, nil, moveFacts("float[B,3,4]", "float[B,3,4]", "float[B,3,4]"), "!must be [B,3,1]"},
		{"GatedAdd", 1, nil, moveFacts("float[B,3,4]", "float[B,3,5]", "float"), "!differs from that of X"},
		{"GatedAdd", 1, nil, moveFacts("float", "float", "float[2,3]"), "!must end in 1"},
		{"GatedRMSNorm", 1, nil, moveFacts("float16[B,8]", "float16[4]", "float16[B,8]"), "float16[B,8]"},
		{"GatedRMSNorm", 1, nil, moveFacts("float[B,8]", "float[3]", "float[B,8]"), "!must be a divisor"},
		{"LinearAttentionGate", 1, nil, moveFacts("float[B,S,4]", "float[4]", "float[4]", "float[B,S,4]"), "float[B,S,4] | float[B,S,4]"},
		{"LinearAttentionGate", 1, nil, moveFacts("float[B,S,4]", "float[4]", "float[4]"), "!is missing |  "},
		{"LinearAttentionGate", 1, nil, moveFacts("float[B,S,4]", "float[3]", "float[4]"), "!input 1 (dt_bias)"},
		{"EngramGate", 1, nil, moveFacts("float[B,S,2,4]", "float[B,S,2,4]", "float[B,S,4]", "float[2,4]", "float[2,4]"), "float[B,S,2,4]"},
		{"EngramGate", 1, nil, moveFacts("float[B,S,2,4]", "float[B,S,2,4]", "float[B,S,5]", "float[2,4]", "float[2,4]"), "!input 2 (value)"},
		{"LinearAttention", 1, attrs("q_num_heads", 2, "kv_num_heads", 2, "state_window", 3), moveFacts("float[1,2,4]", "float[1,2,4]", "float[1,2,4]"), "!state_window | "},
		{"CausalConvWithState", 1, attrs("dilation", 2), moveFacts("float[1,2,4]", "float[2,1,3]"), "!dilation | "},
		{"Inverse", 1, nil, moveFacts("double[B,3,3]"), "double[B,3,3]"},
		{"Inverse", 1, nil, moveFacts("float[2,3]"), "!must end in two equal dimensions"},
		{"MaxpoolWithMask", 1, attrs("kernel_shape", []int64{2}), moveFacts("float[1,2,5]", "int32[1,1,5]"), "float[1,2,4]"},
		{"MaxpoolWithMask", 1, attrs("kernel_shape", []int64{2}), moveFacts("float[1,2,5]", "int32[1,1,4]"), "!input 1 (M)"},
		{"ConvTransposeWithDynamicPads", 1, nil, moveFacts("float[1,2,5]", "float[2,3,3]"), "float[1,3,7]"},
		{"ConvTransposeWithDynamicPads", 1, attrs("auto_pad", "SAME_UPPER"), moveFacts("float[1,2,5]", "float[2,3,3]", "int64[2]"), "!NOTSET"},
		{"SparseToDenseMatMul", 1, attrs("transA", 1), moveFacts("float[3,2]", "float[3,4]"), "float[2,4]"},
		{"SparseToDenseMatMul", 1, nil, moveFacts("float[3,2]", "float[3,4]"), "!columns meet"},
		{"SparseToDenseMatMul", 1, attrs("alpha", float32(0.5)), moveFacts("int64[3,2]", "int64[2,4]"), "!whole number"},
	})
}

func TestGroupQueryAttentionShapes(t *testing.T) {
	heads := attrs("num_heads", 4, "kv_num_heads", 2)
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"GroupQueryAttention", 1, heads, moveFacts("float[B,3,32]", "float[B,3,16]", "float[B,3,16]", "", "", "int32[B]", "int32[]"), "float[B,3,32] | float[B,2,?,8] | float[B,2,?,8]"},
		{"GroupQueryAttention", 1, heads, moveFacts("float[B,3,64]", "", "", "", "", "int32[B]", "int32[]"), "float[B,3,32] | float[B,2,?,8] | float[B,2,?,8]"},
		{"GroupQueryAttention", 1, attrs("num_heads", 3, "kv_num_heads", 2), moveFacts("float", "", "", "", "", "int32", "int32"), "!a multiple of the other"},
		{"GroupQueryAttention", 1, heads, moveFacts("float[B,3,33]", "float", "float", "", "", "int32[B]", "int32[]"), "!4 heads do not divide"},
		{"GroupQueryAttention", 1, heads, moveFacts("float[B,3,32]", "float[B,3,16]", "", "", "", "int32[B]", "int32[]"), "!key and value come together"},
		{"GroupQueryAttention", 1, heads, moveFacts("float[2,3,32]", "float[2,3,16]", "float[2,3,16]", "", "", "int32[3]", "int32[]"), "!one for each of the 2 batches"},
		{"GroupQueryAttention", 1, attrs("num_heads", 4, "kv_num_heads", 2, "do_rotary", 1), moveFacts("float[B,3,64]", "", "", "", "", "int32[B]", "int32[]"), "!no cos_cache"},
		{"GroupQueryAttention", 1, attrs("num_heads", 4, "kv_num_heads", 2, "k_quant_type", "PER_TENSOR"), moveFacts("float[B,3,64]", "", "", "", "", "int32[B]", "int32[]"), "!k_quant_type"},
		{"GroupQueryAttention", 1, attrs("num_heads", 4, "kv_num_heads", 2, "local_window_size", 0), moveFacts("float[B,3,64]", "", "", "", "", "int32[B]", "int32[]"), "!local_window_size"},
	})
}

func TestProjectedAttentionShapes(t *testing.T) {
	two := attrs("num_heads", 2)
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"Attention", 1, two, moveFacts("float[B,S,5]", "float[5,12]", "float[12]"), "float[B,S,4] | float[2,B,2,S,2]"},
		{"Attention", 1, attrs("num_heads", 2, "qkv_hidden_sizes", []int64{4, 4, 6}), moveFacts("float[B,S,5]", "float[5,14]"), "float[B,S,6]"},
		{"Attention", 1, attrs("num_heads", 2, "qkv_hidden_sizes", []int64{4, 2, 6}), moveFacts("float[B,S,5]", "float[5,12]"), "!those of query and key alike"},
		{"Attention", 1, attrs("num_heads", 2, "qkv_hidden_sizes", []int64{4, 4, 6}), moveFacts("float[B,S,5]", "float[5,12]"), "!14 in all"},
		{"Attention", 1, two, moveFacts("float[B,S,5]", "float[4,12]"), "!does not fit the input"},
		{"Attention", 1, two, moveFacts("float[B,S,5]", "float[5,13]"), "!as many for query, key and value"},
		{"Attention", 1, attrs("num_heads", 3), moveFacts("float[B,S,5]", "float[5,12]"), "!does not divide"},
		{"QAttention", 1, two, moveFacts("uint8[B,S,5]", "int8[5,12]", "float[12]", "float[]", "float[12]"), "float[B,S,4]"},
		{"QAttention", 1, two, moveFacts("uint8[B,S,5]", "int8[5,12]", "float[12]", "float[2]", "float[12]"), "!must have one element"},
		{"DecoderMaskedMultiHeadAttention", 1, two, moveFacts("float[B,1,8]", "float[B,2,5,4]", "float[B,2,5,4]"), "float[B,1,8]"},
		{"DecoderMaskedMultiHeadAttention", 1, two, moveFacts("float[B,3,8]", "float[B,2,5,4]", "float[B,2,5,4]"), "!one at a time"},
		{"DecoderMaskedMultiHeadAttention", 1, two, moveFacts("float[B,1,8]"), "!key and value are missing"},
		{"MRotaryEmbedding", 1, attrs("num_heads", 2, "mrope_section", []int64{1, 1, 0}), moveFacts("float[B,S,8]", "int64[3,B,S]", "float[9,2]", "float[9,2]"), "float[B,S,8]"},
		{"MRotaryEmbedding", 1, attrs("num_heads", 2, "mrope_section", []int64{1, 0, 0}), moveFacts("float[B,S,7]", "int64[3,B,S]", "float[9,1]", "float[9,1]"), "!2 heads do not divide"},
		{"RotaryEmbedding", 1, attrs("num_heads", 2), moveFacts("float[B,S,7]", "int64[1]", "float[9,1]", "float[9,1]"), "!2 heads do not divide"},
		{"MRotaryEmbedding", 1, attrs("num_heads", 2, "mrope_section", []int64{1, 1}), moveFacts("float[B,S,8]", "int64[3,B,S]", "float[9,2]", "float[9,2]"), "!must be three sizes"},
		{"MRotaryEmbedding", 1, attrs("num_heads", 2, "mrope_section", []int64{1, 1, 1}), moveFacts("float[B,S,8]", "int64[3,B,S]", "float[9,2]", "float[9,2]"), "!input 2 (cos_cache)"},
	})
}
