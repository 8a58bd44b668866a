package op_test

import "testing"

func TestInferQuantize(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"QuantizeLinear", 10, nil, moveFacts("float[N,4]", "float[]"), "uint8[N,4]"},
		{"QuantizeLinear", 13, nil, moveFacts("float[N,4]", "float[4]", "int8[4]"), "int8[N,4]"},
		{"QuantizeLinear", 21, attrs("output_dtype", int64(22)), moveFacts("float[N,4]", "float[]"), "int4[N,4]"},
		{"QuantizeLinear", 21, attrs("axis", int64(1), "block_size", int64(3)), moveFacts("float[N,4]", "float[N,2]", "int16[N,2]"), "int16[N,4]"},
		{"QuantizeLinear", 13, nil, moveFacts("float[N,4]", "float[3]"), "!one element for each of the 4 positions"},
		{"QuantizeLinear", 13, attrs("axis", int64(2)), moveFacts("float[N,4]", "float[4]"), "!axis"},
		{"QuantizeLinear", 10, nil, moveFacts("float[N,4]", "float[4]"), "!must be a scalar in version 10"},
		{"QuantizeLinear", 21, attrs("axis", int64(1), "block_size", int64(2)), moveFacts("float[N,4]", "float[N,3]"), "!dimension 1 must be 2"},
		{"QuantizeLinear", 21, attrs("block_size", int64(-1)), moveFacts("float[N,4]", "float[]"), "!must be 0 or more"},
		{"QuantizeLinear", 21, attrs("output_dtype", int64(1)), moveFacts("float[N,4]", "float[]"), "!allowed are the numbers"},
		{"QuantizeLinear", 21, attrs("output_dtype", int64(3)), moveFacts("float[N,4]", "float[]", "uint8[]"), "!but the zero point is uint8"},
		{"QuantizeLinear", 23, attrs("precision", int64(11)), moveFacts("float[N,4]", "float[]"), "!precision"},
		{"DequantizeLinear", 13, nil, moveFacts("uint8[N,4]", "float[4]", "uint8[4]"), "float[N,4]"},
		{"DequantizeLinear", 19, nil, moveFacts("uint8[N,4]", "float16[]"), "float16[N,4]"},
		{"DequantizeLinear", 23, attrs("output_dtype", int64(1)), moveFacts("uint8[N,4]", "float16[]"), "float[N,4]"},
		{"DequantizeLinear", 24, nil, moveFacts("uint8[N,4]", "float8e8m0[]"), "!allowed are the numbers"},
		{"DequantizeLinear", 13, nil, moveFacts("uint8[N,4]", "float[4]", "uint8[3]"), "!is not that of the scale"},
		{"DynamicQuantizeLinear", 11, nil, moveFacts("float[N,4]"), "uint8[N,4] | float[] | uint8[]"},
		{"MatMulInteger", 10, nil, moveFacts("uint8[B,2,3]", "int8[3,N]"), "int32[B,2,N]"},
		{"MatMulInteger", 10, nil, moveFacts("uint8[2,3]", "int8[4,N]"), "!3 columns meet 4 rows"},
		{"QLinearMatMul", 10, nil, moveFacts("uint8[2,3]", "float[]", "uint8[]", "int8[3]", "float[]", "int8[]", "float[]", "int8[]"), "int8[2]"},
		{"ConvInteger", 10, nil, moveFacts("uint8[1,1,3,3]", "uint8[2,1,2,2]", "uint8[]", "uint8[2]"), "int32[1,2,2,2]"},
		{"ConvInteger", 10, nil, moveFacts("uint8[1,1,3,3]", "uint8[2,1,2,2]", "uint8[]", "uint8[3]"), "!for each of the 2 filters"},
		{"QLinearConv", 10, nil, moveFacts("uint8[1,1,3,3]", "float[]", "uint8[]", "int8[2,1,2,2]", "float[2]", "int8[2]", "float[]", "uint8[]", "int32[2]"), "uint8[1,2,2,2]"},
		{"QLinearConv", 10, nil, moveFacts("uint8[1,1,3,3]", "float[2]", "uint8[]", "int8[2,1,2,2]", "float[2]", "int8[2]", "float[]", "uint8[]"), "!must be a scalar"},
	})
}
