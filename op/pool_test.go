package op_test

import "testing"

func TestInferPool(t *testing.T) {
	ints := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"MaxPool", 12, attrs("kernel_shape", ints(3, 3), "strides", ints(2, 2), "pads", ints(1, 1, 1, 1)), moveFacts("float[N,64,112,112]"), "float[N,64,56,56]"},
		{"MaxPool", 12, attrs("kernel_shape", ints(2), "strides", ints(2), "ceil_mode", int64(1)), moveFacts("uint8[1,1,5]"), "uint8[1,1,3] | int64[1,1,3]"},
		// The window that would start in the padding after the input is not counted.
		{"MaxPool", 12, attrs("kernel_shape", ints(1, 1), "strides", ints(2, 2), "ceil_mode", int64(1)), moveFacts("float[1,1,2,2]"), "float[1,1,1,1]"},
		{"AveragePool", 19, attrs("kernel_shape", ints(3), "strides", ints(3), "pads", ints(1, 1), "ceil_mode", int64(1)), moveFacts("float[1,1,5]"), "float[1,1,2]"},
		{"AveragePool", 19, attrs("kernel_shape", ints(2, 2), "dilations", ints(2, 3)), moveFacts("float[1,1,5,5]"), "float[1,1,3,2]"},
		{"AveragePool", 7, attrs("kernel_shape", ints(3, 3), "auto_pad", "SAME_LOWER", "strides", ints(2, 2)), moveFacts("float[1,1,5,H]"), "float[1,1,3,?]"},
		{"LpPool", 2, attrs("kernel_shape", ints(2)), moveFacts("float"), "float[?,?,?]"},
		{"MaxPool", 12, attrs("kernel_shape", ints(2)), moveFacts("float[1,1,5,5]"), "!kernel_shape [2] needs 3"},
		{"MaxPool", 12, attrs("kernel_shape", ints(0)), moveFacts("float[1,1,5]"), "!elements must be in"},
		{"MaxPool", 12, attrs("kernel_shape", ints(6)), moveFacts("float[1,1,5]"), "!does not fit into 5"},
		{"MaxPool", 12, attrs("kernel_shape", ints(1), "storage_order", int64(2)), moveFacts("float[1,1,5]"), "!allowed are 0 and 1"},
		{"LpPool", 18, attrs("kernel_shape", ints(1), "p", int64(0)), moveFacts("float[1,1,5]"), "!must be 1 or more"},
		{"GlobalAveragePool", 1, nil, moveFacts("float[N,C,7,7]"), "float[N,C,1,1]"},
		{"GlobalMaxPool", 1, nil, moveFacts("float[2]"), "!rank 1"},
	})
}

func TestInferPoolRelatives(t *testing.T) {
	ints := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"MaxUnpool", 11, attrs("kernel_shape", ints(2, 2), "strides", ints(2, 2)), moveFacts("float[1,1,2,2]", "int64[1,1,2,2]"), "float[1,1,4,4]"},
		{"MaxUnpool", 11, attrs("kernel_shape", ints(2, 2)), moveFacts("float[1,1,2,2]", "int64[1,1,2,2]", "int64[4]=1,1,5,W"), "float[1,1,5,W]"},
		{"MaxUnpool", 11, attrs("kernel_shape", ints(2, 2)), moveFacts("float[1,1,2,2]", "int64[1,1,2,3]"), "!is not that of the input"},
		{"MaxUnpool", 11, attrs("kernel_shape", ints(2, 2)), moveFacts("float[1,1,2,2]", "int64[1,1,2,2]", "int64[4]=2,1,5,5"), "!the input has 1"},
		{"MaxRoiPool", 1, attrs("pooled_shape", ints(2, 3)), moveFacts("float[1,4,8,8]", "float[R,5]"), "float[R,4,2,3]"},
		{"MaxRoiPool", 1, attrs("pooled_shape", ints(2, 3)), moveFacts("float[1,4,8,8]", "float[R,4]"), "!must be 5"},
		{"RoiAlign", 16, attrs("output_height", int64(3)), moveFacts("float[1,4,8,8]", "float[?,4]", "int64[R]"), "float[R,4,3,1]"},
		{"RoiAlign", 16, attrs("mode", "sum"), moveFacts("float[1,4,8,8]", "float[R,4]", "int64[R]"), "!allowed are avg and max"},
	})
}
