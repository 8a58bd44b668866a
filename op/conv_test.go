package op_test

import "testing"

func TestInferConv(t *testing.T) {
	ints := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"Conv", 11, nil, moveFacts("float[N,3,224,224]", "float[64,3,7,7]"), "float[N,64,218,218]"},
		{"Conv", 11, attrs("strides", ints(2, 2), "pads", ints(3, 3, 3, 3)), moveFacts("float[1,3,224,224]", "float[64,3,7,7]", "float[64]"), "float[1,64,112,112]"},
		{"Conv", 11, attrs("pads", ints(1, 0, 2, 1)), moveFacts("float[1,1,5,5]", "float[1,1,3,3]"), "float[1,1,6,4]"},
		{"Conv", 11, attrs("dilations", ints(2), "strides", ints(3)), moveFacts("float[1,4,20]", "float[8,4,3]"), "float[1,8,6]"},
		{"Conv", 22, attrs("auto_pad", "SAME_UPPER", "strides", ints(2, 2)), moveFacts("float[1,3,5,6]", "float[4,3,3,3]"), "float[1,4,3,3]"},
		{"Conv", 22, attrs("auto_pad", "SAME_LOWER"), moveFacts("float[1,3,H,6]", "float[4,3,K,3]"), "float[1,4,H,6]"},
		{"Conv", 22, attrs("auto_pad", "VALID", "pads", ints(9, 9, 9, 9)), moveFacts("float[1,3,5,6]", "float[4,3,3,3]"), "float[1,4,3,4]"},
		{"Conv", 11, attrs("pads", ints(1, 1, 1, 1)), moveFacts("float[1,3,H,W]", "float[4,3,3,3]"), "float[1,4,H,W]"},
		{"Conv", 11, attrs("group", int64(3)), moveFacts("float[1,6,4,4]", "float[9,2,1,1]"), "float[1,9,4,4]"},
		{"Conv", 11, nil, moveFacts("float", "float[4,3,3,3]"), "float[?,4,?,?]"},
		{"Conv", 11, attrs("kernel_shape", ints(3, 3)), moveFacts("float[1,3,8,8]", "float"), "float[1,?,6,6]"},
		{"Conv", 11, nil, moveFacts("float[0,3,8,8]", "float[2,3,3,3]"), "float[0,2,6,6]"},
		{"Conv", 11, attrs("group", int64(0)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!is 0, must be in"},
		{"Conv", 11, attrs("group", int64(2)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!does not divide the 3 channels"},
		{"Conv", 11, nil, moveFacts("float[1,3,8,8]", "float[2,4,3,3]"), "!made for 4 channels"},
		{"Conv", 11, nil, moveFacts("float[1,3,8,8]", "float[2,3,3]"), "!2 spatial dimensions"},
		{"Conv", 11, nil, moveFacts("float[1,3,8,8]", "float[2,3,9,3]"), "!does not fit into 8 elements"},
		{"Conv", 11, nil, moveFacts("float[1,3,8,8]", "float[2,3,3,3]", "float[3]"), "!one for each of the 2 filters"},
		{"Conv", 11, attrs("kernel_shape", ints(3, 5)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!but the weights are"},
		{"Conv", 11, attrs("strides", ints(0, 1)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!elements must be in [1,"},
		{"Conv", 11, attrs("pads", ints(-1, 0, 0, 0)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!elements must be in [0,"},
		{"Conv", 11, attrs("pads", ints(0, 0)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!must have 4 elements"},
		{"Conv", 11, attrs("auto_pad", "SAME"), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!allowed are NOTSET"},
		{"Conv", 11, attrs("dilations", ints(2147483647, 2147483647)), moveFacts("float[1,3,8,8]", "float[2,3,3,3]"), "!does not fit"},
		{"Conv", 11, nil, moveFacts("float[1,3]", "float[2,3]"), "!rank 2"},
	})
}

func TestInferConvTranspose(t *testing.T) {
	ints := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"ConvTranspose", 11, nil, moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "float[1,2,5,5]"},
		{"ConvTranspose", 11, attrs("strides", ints(3, 2), "pads", ints(1, 2, 1, 2)), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "float[1,2,7,3]"},
		{"ConvTranspose", 11, attrs("strides", ints(3, 2), "output_padding", ints(1, 1)), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "float[1,2,10,8]"},
		{"ConvTranspose", 11, attrs("strides", ints(3, 2), "output_shape", ints(10, 8)), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "float[1,2,10,8]"},
		{"ConvTranspose", 11, attrs("strides", ints(2, 2), "auto_pad", "SAME_UPPER"), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "float[1,2,6,6]"},
		{"ConvTranspose", 11, attrs("group", int64(4)), moveFacts("float[N,8,W]", "float[8,3,2]"), "float[N,12,?]"},
		{"ConvTranspose", 11, nil, moveFacts("float[1,2,3,3]", "float[1,2,3,3]"), "!made for 1 channels"},
		{"ConvTranspose", 11, attrs("pads", ints(9, 9, 9, 9)), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "!cuts off more"},
		{"ConvTranspose", 11, attrs("output_shape", ints(1, 2, 3)), moveFacts("float[1,1,3,3]", "float[1,2,3,3]"), "!must be 2 sizes"},
	})
}

func TestInferConvRelatives(t *testing.T) {
	ints := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"DeformConv", 19, attrs("offset_group", int64(2)), moveFacts("float[1,4,5,5]", "float[3,4,2,2]", "float[1,16,4,4]"), "float[1,3,4,4]"},
		{"DeformConv", 19, nil, moveFacts("float[1,4,5,5]", "float[3,4,2,2]", "float[1,16,4,4]"), "!must have 8"},
		{"DeformConv", 19, nil, moveFacts("float[1,4,5,5]", "float[3,4,2,2]", "float[1,8,5,4]"), "!does not agree with the output"},
		{"Col2Im", 18, nil, moveFacts("float[1,5,5]", "int64[2]=5,5", "int64[2]=1,5"), "float[1,1,5,5]"},
		{"Col2Im", 18, attrs("pads", ints(0, 1, 0, 1)), moveFacts("float[N,10,15]", "int64[2]=5,5", "int64[2]=1,5"), "float[N,2,5,5]"},
		{"Col2Im", 18, nil, moveFacts("float[1,5,5]", "int64[2]=H,5", "int64[2]=1,5"), "float[1,1,H,5]"},
		{"Col2Im", 18, nil, moveFacts("float[1,6,5]", "int64[2]=5,5", "int64[2]=1,5"), "!no multiple"},
		{"Col2Im", 18, nil, moveFacts("float[1,5,6]", "int64[2]=5,5", "int64[2]=1,5"), "!has 6 blocks"},
		{"Col2Im", 18, nil, moveFacts("float[1,5,6]", "int64[2]=5,0", "int64[2]=1,5"), "!element 1 is 0"},
		{"CausalConvWithState", 27, nil, moveFacts("float[2,3,L]", "float[3,1,4]"), "float[2,3,L] | float[2,3,3]"},
		{"CausalConvWithState", 27, nil, moveFacts("float[2,3,L]", "float[3,1,4]", "", "float[2,3,2]"), "!does not fit | "},
		{"CausalConvWithState", 27, attrs("activation", "gelu"), moveFacts("float[2,3,L]", "float[3,1,4]"), "!allowed are none | "},
	})
}
