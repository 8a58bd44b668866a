package op_test

import "testing"

func TestContribTensorShapes(t *testing.T) {
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32[]=1"), "float[N,1,3]"},
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32[]=-1"), "float[N,3,1]"},
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32[]=-3"), "float[1,N,3]"},
		{"ExpandDims", 1, nil, moveFacts("float[]", "int32[1]=0"), "float[1]"},
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32"), "float[?,?,?]"},
		{"ExpandDims", 1, nil, moveFacts("float", "int32[]=7"), "float"},
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32[]=3"), "!out of range"},
		{"ExpandDims", 1, nil, moveFacts("float[N,3]", "int32[2]=0,1"), "!one element"},

		{"GatherND", 1, nil, moveFacts("float[2,N,4]", "int32[5,2]"), "float[5,4]"},
		{"GatherND", 1, nil, moveFacts("float[2,N,4]", "int64[M,3]"), "float[M]"},
		{"GatherND", 1, nil, moveFacts("float[2,N,4]", "int64[5,4]"), "!allowed are 1 to 3"},

		{"Pad", 1, nil, moveFacts("float[2,N]", "int64[4]=1,0,1,0"), "float[4,N]"},
		{"Pad", 1, nil, moveFacts("float[2,N]", "int64[1,4]"), "float[?,?]"},
		{"Pad", 1, nil, moveFacts("float[2,N]", "int64[2,2]"), "!a row"},
		{"Pad", 1, nil, moveFacts("float[2,N]", "int64[]"), "!a vector"},
		{"Pad", 1, nil, moveFacts("float[2,N]", "int64[1,3]"), "!two elements for each axis"},
		{"Pad", 1, attrs("mode", "wrap"), moveFacts("float[2]", "int64[2]=0,0"), "!wrap"},

		{"Range", 1, nil, moveFacts("int64[]=2", "int64[]=N"), "int64[?]"},
		{"Range", 1, nil, moveFacts("int64[]=0", "int64[]=N"), "int64[N]"},
		{"Range", 1, nil, moveFacts("int32[1]=2", "int32[1]=4"), "int32[2]=2,3"},
		{"Range", 1, nil, moveFacts("int64[]=2", "int64[]=9", "int64[]=0"), "!would not end"},

		{"Trilu", 1, nil, moveFacts("float[B,2,N]", "int64[]=1"), "float[B,2,N]"},
		{"Trilu", 1, nil, moveFacts("float[N]"), "!2 or more"},

		{"Unique", 1, nil, moveFacts("float[N]"), "float[?] | int64[N] | int64[?]"},
		{"Unique", 1, nil, moveFacts("float"), "float[?] | int64[?] | int64[?]"},
		{"Unique", 1, nil, moveFacts("float[2,3]"), "!rank 2 |  | "},

		{"UnfoldTensor", 1, attrs("size", 3), moveFacts("float[N,7]"), "float[N,5,3]"},
		{"UnfoldTensor", 1, attrs("size", 2, "step", 3, "dim", 0), moveFacts("float[7,N]"), "float[2,N,2]"},
		{"UnfoldTensor", 1, attrs("size", 2), moveFacts("float[7,N]"), "float[7,?,2]"},
		{"UnfoldTensor", 1, attrs("size", 1), moveFacts("float[7,N]"), "float[7,N,1]"},
		{"UnfoldTensor", 1, attrs("size", 2), moveFacts("float"), "float"},
		{"UnfoldTensor", 1, attrs("size", 8), moveFacts("float[7]"), "!only 7 elements"},
		{"UnfoldTensor", 1, attrs("size", 0), moveFacts("float[7]"), "!is 0"},
		{"UnfoldTensor", 1, attrs("size", 1, "step", 0), moveFacts("float[7]"), "!is 0"},
		{"UnfoldTensor", 1, attrs("size", 1), moveFacts("float[]"), "!out of range"},

		{"SampleOp", 1, nil, moveFacts("int64[N]"), "int64[N]"},

		{"GridSample", 1, nil, moveFacts("float[N,3,4,5]", "float[2,6,W,2]"), "float[2,3,6,W]"},
		{"GridSample", 1, nil, moveFacts("float[N,3,4]", "float[2,6,1]"), "!rank 3"},
		{"GridSample", 1, attrs("mode", "linear"), moveFacts("float", "float"), "!linear"},

		{"CropAndResize", 1, nil, moveFacts("float[N,C,4,5]", "float[R,4]", "int32[3]", "int32[2]=7,W"), "float[3,C,7,W]"},
		{"CropAndResize", 1, nil, moveFacts("float", "float[R,4]", "int32[R]", "int32[2]"), "float[R,?,?,?]"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,4,5]", "float[R,5]", "int32[3]", "int32[2]"), "!(regions, 4)"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,4,5]", "float[2,4]", "int32[3]", "int32[2]"), "!each of the regions"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,4,5]", "float[2,4]", "int32[2]", "int32[3]"), "!(height, width)"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,4,5]", "float[2,4]", "int32[2]", "int32[2]=0,1"), "!is 0"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,0,5]", "float[2,4]", "int32[2]", "int32[2]=1,1"), "!nothing to sample"},
		{"CropAndResize", 1, nil, moveFacts("float[N,C,4]", "float", "int32", "int32"), "!rank 3"},
		{"CropAndResize", 1, attrs("mode", "cubic"), moveFacts("float", "float", "int32", "int32"), "!cubic"},

		{"IsAllFinite", 1, nil, moveFacts("float[N]", "float"), "bool[]"},
		{"IsAllFinite", 1, attrs("isinf_only", 1, "isnan_only", 1), moveFacts("float[N]"), "!both set"},
	})
	runMoveCases(t, []moveCase{
		{"DynamicSlice", 1, nil, moveFacts("float[10,N]", "int32[1]=2", "int32[1]=-1"), "float[7,N]"},
		{"DynamicSlice", 21, nil, moveFacts("float[10,N]", "int64[1]=2", "int64[1]=4", "int64[1]=1"), "float[10,?]"},
		{"DynamicSlice", 1, nil, moveFacts("float[10,N]", "int64[1]=2", "int64[1]=4", "int64[1]=2"), "!out of range"},

		{"Crop", 1, attrs("border", []int{1, 2, 3, 4}), moveFacts("float[N,C,10,10]"), "float[N,C,4,6]"},
		{"Crop", 1, attrs("border", []int{0, 2, 0, 4}), moveFacts("float[N,C,H,W]"), "float[N,C,?,W]"},
		{"Crop", 1, attrs("border", []int{1, 2, 0, 0}, "scale", []int{3, 4}), moveFacts("float[N,C,H,5]"), "float[N,C,3,4]"},
		{"Crop", 1, attrs("border", []int{6, 0, 5, 0}), moveFacts("float[N,C,10,10]"), "!more than dimension 3"},
		{"Crop", 1, attrs("border", []int{1, 2, 0, 0}, "scale", []int{9, 4}), moveFacts("float[N,C,10,10]"), "!more than dimension 2"},
		{"Crop", 1, attrs("border", []int{1, 2}), moveFacts("float[N,C,10,10]"), "!left, top"},
		{"Crop", 1, attrs("border", []int{1, -2, 0, 0}), moveFacts("float[N,C,10,10]"), "!must be in"},
		{"Crop", 1, attrs("border", []int{1, 2, 0, 0}, "scale", []int{9}), moveFacts("float[N,C,10,10]"), "!(height, width)"},
		{"Crop", 1, attrs("border", []int{1, 2, 0, 0}), moveFacts("float[N,C,10]"), "!rank 3"},

		{"ImageScaler", 1, attrs("bias", []float32{1, 2}), moveFacts("float[N,2,H,W]"), "float[N,2,H,W]"},
		{"ImageScaler", 1, nil, moveFacts("float[N,2,H,W]"), "float[N,2,H,W]"},
		{"ImageScaler", 1, attrs("bias", []float32{1}), moveFacts("float[N,2,H,W]"), "!1 elements for the 2 channels"},
		{"ImageScaler", 1, nil, moveFacts("float[N,2,H]"), "!rank 3"},
	})
}

func TestContribFourierShapes(t *testing.T) {
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"Rfft", 1, nil, moveFacts("float[N,6]"), "float[N,4,2]"},
		{"Rfft", 1, attrs("signal_ndim", 2), moveFacts("float[3,H,7]"), "float[3,H,4,2]"},
		{"Rfft", 1, nil, moveFacts("float[2,N]"), "float[2,?,2]"},
		{"Rfft", 1, attrs("signal_ndim", 3), moveFacts("float[2,3]"), "!needs 3"},
		{"Rfft", 1, attrs("signal_ndim", 4), moveFacts("float"), "!is 4"},
		{"Rfft", 1, attrs("onesided", 0), moveFacts("float[4]"), "!is 0"},
		{"Rfft", 1, attrs("normalized", 1), moveFacts("float[4]"), "!is 1"},
		{"Rfft", 1, nil, moveFacts("float[2,0]"), "!signal of length 0"},
		{"Irfft", 1, attrs("signal_ndim", 1), moveFacts("float[N,4,2]"), "float[N,6]"},
		{"Irfft", 1, attrs("signal_ndim", 2), moveFacts("float[H,N,2]"), "float[H,?]"},
		{"Irfft", 1, attrs("signal_ndim", 1), moveFacts("float[4,3]"), "!must end in 2"},
		{"Irfft", 1, attrs("signal_ndim", 1), moveFacts("float[4,1,2]"), "!must be in [2"},
		{"Irfft", 1, attrs("signal_ndim", 3), moveFacts("float[4,3,2]"), "!needs 4"},
		{"ComplexMul", 1, nil, moveFacts("float[N,3,2]", "float[3,2]"), "float[N,3,2]"},
		{"ComplexMulConj", 1, nil, moveFacts("float[1,2]", "float[5,2]"), "float[5,2]"},
		{"ComplexMul", 1, nil, moveFacts("float[3]", "float[2]"), "!must end in 2"},
		{"ComplexMul", 1, nil, moveFacts("float[2]", "float[]"), "!must end in 2"},
		{"ComplexMul", 1, nil, moveFacts("float[3,2]", "float[4,2]"), "!do not broadcast"},
	})
}
