package op_test

import "testing"

func TestInferContribQuant(t *testing.T) {
	// The operands of QEmbedLayerNormalization after the ids and the table of words.
	embed := func(ids, words string, edit map[int]string) []string {
		in := []string{ids, "", words, "int8[8,6]", "", "int8[6]", "int8[6]", "",
			"float[]", "float[1]", "", "float[]", "float[]", "int8[]", "int8[]", "", "int8[]", "int8[]"}
		for i, s := range edit {
			in[i] = s
		}
		return in
	}
	lstm := func(edit map[int]string) []string {
		in := []string{"float[T,N,3]", "int8[1,3,20]", "int8[1,5,20]", "", "", "", "", "", "float[1]", "int8[1]", "float[1,20]", "int8[1,20]"}
		for i, s := range edit {
			in[i] = s
		}
		return in
	}
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"QuantizeLinear", 1, nil, moveFacts("float[N,4]", "float[4]", "int16[4]"), "int16[N,4]"},
		{"QuantizeLinear", 1, attrs("axis", int64(3)), moveFacts("float[N,4]", "float[4]", "int16[4]"), "!axis"},
		{"DequantizeLinear", 1, nil, moveFacts("int4[N,4]", "float16[]", "int4[]"), "float16[N,4]"},
		{"QLinearAdd", 1, nil, moveFacts("int8[N,1,4]", "float[]", "int8[]", "int8[3,1]", "float[]", "int8[]", "float[]", "int8[]"), "int8[N,3,4]"},
		{"QLinearMul", 1, nil, moveFacts("uint8[2,5]", "float[]", "uint8[]", "uint8[4]", "float[]", "uint8[]", "float[]"), "!broadcast"},
		{"QLinearConcat", 1, attrs("axis", int64(1)), moveFacts("float[]", "uint8[]", "uint8[N,2]", "float[]", "uint8[]", "uint8[N,3]", "float[]", "uint8[]"), "uint8[N,5]"},
		{"QLinearConcat", 1, attrs("axis", int64(1)), moveFacts("float[]", "uint8[]", "uint8[N,2]", "float[]"), "!three for each tensor"},
		{"QLinearGlobalAveragePool", 1, attrs("channels_last", int64(1)), moveFacts("uint8[N,5,7,3]", "float[]", "uint8[]", "float[]", "uint8[]"), "uint8[N,1,1,3]"},
		{"QLinearConv", 1, attrs("channels_last", int64(1)), moveFacts("uint8[1,5,7,2]", "float[]", "uint8[]", "int8[4,2,3,3]", "float[4]", "int8[]", "float[]", "uint8[]"), "uint8[1,3,5,4]"},
		{"NhwcMaxPool", 1, attrs("kernel_shape", []int64{2, 2}), moveFacts("uint8[N,5,7,2]"), "uint8[N,4,6,2]"},
		{"QGemm", 1, attrs("transB", int64(1)), moveFacts("uint8[N,3]", "float[]", "uint8[]", "int8[4,3]", "float[]", "int8[]"), "float[N,4]"},
		{"QGemm", 1, nil, moveFacts("uint8[N,3]", "float[]", "uint8[]", "int8[4,3]", "float[]", "int8[]"), "!3 columns meet 4 rows"},
		{"MatMulInteger16", 1, nil, moveFacts("uint16[B,2,3]", "uint16[3,N]"), "uint32[B,2,N]"},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,5]", "int8[9,6]", nil)...), "float[N,5,6] | int32[N]"},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,9]", "int8[9,6]", nil)...), "!has 8 positions | "},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,5]", "int8[9,7]", nil)...), "!word_embedding of 7 | "},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,5]", "int8[9,6]", map[int]string{8: "float[9]"})...), "!must have one element | "},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,5]", "int8[9,6]", map[int]string{1: "int32[N,5]"})...), "!come together | "},
		{"QEmbedLayerNormalization", 1, nil, moveFacts(embed("int32[N,5]", "int8[9,6]", map[int]string{1: "int32[N,5]", 4: "int8[2,6]"})...), "!without segment_embedding_scale | "},
		{"DynamicQuantizeLSTM", 1, nil, moveFacts(lstm(nil)...), "float[T,1,N,5] | float[1,N,5] | float[1,N,5]"},
		{"DynamicQuantizeLSTM", 1, nil, moveFacts(lstm(map[int]string{1: "int8[1,20,3]"})...), "!input 1 (W): has shape [1,20,3] |  | "},
		{"DynamicQuantizeLSTM", 1, nil, moveFacts(lstm(map[int]string{8: "float[20]"})...), "!input 8 (W_scale): has shape [20] |  | "},
		{"DynamicQuantizeLSTM", 1, nil, moveFacts(lstm(map[int]string{11: "int8[1,4]"})...), "!input 11 (R_zero_point) |  | "},
	})
}
