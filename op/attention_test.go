package op_test

import "testing"

func TestInferAttention(t *testing.T) {
	heads := func(more ...any) []any {
		return append([]any{"q_num_heads", int64(4), "kv_num_heads", int64(2)}, more...)
	}
	runMoveCases(t, []moveCase{
		{"Attention", 23, nil, moveFacts("float[B,4,S,8]", "float[B,2,T,8]", "float[B,2,T,6]"), "float[B,4,S,6] | float[B,2,T,8] | float[B,2,T,6] | float[B,4,S,T]"},
		{"Attention", 24, attrs(heads()...), moveFacts("float[B,S,32]", "float[B,T,16]", "float[B,T,12]", "bool[S,T]"), "float[B,S,24]"},
		{"Attention", 23, nil, moveFacts("float16[2,4,3,8]", "float16[2,4,5,8]", "float16[2,4,5,8]", "", "float16[2,4,P,8]", "float16[2,4,P,8]"), "float16[2,4,3,8] | float16[2,4,?,8] | float16[2,4,?,8]"},
		{"Attention", 23, nil, moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]", "float[1,1,3,9]", "float[2,4,7,8]", "float[2,4,7,8]"), "float[2,4,3,8] | float[2,4,12,8]"},
		{"Attention", 23, nil, moveFacts("float", "float[2,4,5,8]", "float[2,4,5,8]"), "float"},
		{"Attention", 23, nil, moveFacts("float[2,3,4]", "float[2,3,4]", "float[2,3,4]"), "!q_num_heads: is 0"},
		{"Attention", 23, nil, moveFacts("float[2,5,3,8]", "float[2,2,3,8]", "float[2,2,3,8]"), "!must be a multiple"},
		{"Attention", 23, nil, moveFacts("float[2,4,3,8]", "float[2,4,3,7]", "float[2,4,3,8]"), "!elements a head"},
		{"Attention", 23, nil, moveFacts("float[2,4,3,8]", "float[2,4,3,8]", "float[2,4,3,8]", "", "float[2,4,3,8]"), "!given together"},
		{"Attention", 23, nil, moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]", "bool[3,6]"), "!there are 5 keys"},
		{"Attention", 23, nil, moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]", "bool[2,5]"), "!does not broadcast"},
		{"Attention", 24, nil, moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]", "", "float[2,4,1,8]", "float[2,4,1,8]", "int64[2]"), "!must not be given together"},
		{"Attention", 23, attrs("qk_matmul_output_mode", int64(4)), moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]"), "!allowed are 0 to 3"},
		{"Attention", 23, attrs("softmax_precision", int64(7)), moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]"), "!allowed are 1, 10, 11 and 16"},
		{"Attention", 25, attrs("left_window_size", int64(-2)), moveFacts("float[2,4,3,8]", "float[2,4,5,8]", "float[2,4,5,8]"), "!allowed are -1 and more"},
	})
}

func TestInferRotaryAndLinearAttention(t *testing.T) {
	linear := func(rule string) []any {
		return []any{"q_num_heads", int64(4), "kv_num_heads", int64(2), "update_rule", rule}
	}
	runMoveCases(t, []moveCase{
		{"RotaryEmbedding", 23, nil, moveFacts("float[B,4,S,8]", "float[50,4]", "float[50,4]", "int64[B,S]"), "float[B,4,S,8]"},
		{"RotaryEmbedding", 23, attrs("num_heads", int64(2), "rotary_embedding_dim", int64(4)), moveFacts("float[B,S,16]", "float[B,S,2]", "float[B,S,2]"), "float[B,S,16]"},
		{"RotaryEmbedding", 23, nil, moveFacts("float[B,4,S,8]", "float[50,3]", "float[50,4]", "int64[B,S]"), "!must be [?,4]"},
		{"RotaryEmbedding", 23, nil, moveFacts("float[B,4,S,7]", "float[50,3]", "float[50,3]", "int64[B,S]"), "!must be even"},
		{"RotaryEmbedding", 23, attrs("rotary_embedding_dim", int64(10)), moveFacts("float[B,4,S,8]", "float[50,4]", "float[50,4]", "int64[B,S]"), "!at most the head size"},
		{"LinearAttention", 27, attrs(linear("linear")...), moveFacts("float16[B,T,32]", "float16[B,T,16]", "float16[B,T,12]", "float[B,2,8,6]"), "float16[B,T,24] | float[B,2,8,6]"},
		{"LinearAttention", 27, attrs(linear("linear")...), moveFacts("float16[B,T,32]", "float16[B,T,16]", "float16[B,T,12]"), "float16[B,T,24] | float16[B,2,8,6]"},
		{"LinearAttention", 27, attrs(linear("gated_delta")...), moveFacts("float[B,T,32]", "float[B,T,16]", "float[B,T,12]", "", "float[B,T,2]", "float[B,T,1]"), "float[B,T,24] | float[B,2,8,6]"},
		{"LinearAttention", 27, attrs(linear("delta")...), moveFacts("float[B,T,32]", "float[B,T,16]", "float[B,T,12]"), "!update rule \"delta\" wants true | "},
		{"LinearAttention", 27, attrs(linear("gated")...), moveFacts("float[B,T,32]", "float[B,T,16]", "float[B,T,12]", "", "float[B,T,3]"), "!must be 2 or 16 | "},
		{"LinearAttention", 27, attrs(linear("other")...), moveFacts("float[B,T,32]", "float[B,T,16]", "float[B,T,12]"), "!allowed are | "},
	})
}
