package op_test

import (
	"testing"

	"gort/op"
	"gort/tensor"
)

// withFloats puts a constant float vector at input i.
func withFloats(facts []op.Fact, i int, v ...float32) []op.Fact {
	facts[i] = op.FactOf(tensor.Must(tensor.FromSlice(v)))
	return facts
}

func TestInferResize(t *testing.T) {
	scaled := func(x string, v ...float32) []op.Fact { return withFloats(moveFacts(x, "", ""), 2, v...) }
	sized := func(x, sizes string) []op.Fact { return moveFacts(x, "", "", sizes) }
	axes := func(v ...int64) []int64 { return v }
	runMoveCases(t, []moveCase{
		{"Resize", 10, nil, withFloats(moveFacts("float[1,1,2,4]", ""), 1, 1, 1, 0.6, 0.6), "float[1,1,1,2]"},
		{"Resize", 13, nil, scaled("float[N,C,2,W]", 1, 1, 2, 2), "float[N,C,4,?]"},
		{"Resize", 13, nil, sized("float[N,3,H,W]", "int64[4]=N,3,8,M"), "float[N,3,8,M]"},
		{"Resize", 13, nil, withFloats(moveFacts("float[1,1,2,2]", "", "", "int64[4]=1,1,4,4"), 2), "float[1,1,4,4]"},
		{"Resize", 18, attrs("axes", axes(3, 2)), scaled("float[1,1,2,4]", 2, 3), "float[1,1,6,8]"},
		{"Resize", 18, attrs("axes", axes(2, 3), "keep_aspect_ratio_policy", "not_larger"), sized("float[1,1,2,4]", "int64[2]=7,8"), "float[1,1,4,8]"},
		{"Resize", 18, attrs("axes", axes(2, 3), "keep_aspect_ratio_policy", "not_smaller"), sized("float[1,1,2,4]", "int64[2]=6,8"), "float[1,1,6,12]"},
		{"Resize", 18, attrs("axes", axes(2, 3), "keep_aspect_ratio_policy", "not_larger"), sized("float[1,1,2,W]", "int64[2]=6,8"), "float[1,1,?,?]"},
		{"Resize", 13, nil, moveFacts("float[1,1,2,W]", "", "float[4]"), "float[?,?,?,?]"},
		{"Resize", 13, nil, moveFacts("float[1,1,2,2]"), "!neither scales nor sizes"},
		{"Resize", 13, nil, withFloats(moveFacts("float[1,1,2,2]", "", "", "int64[4]=1,1,4,4"), 2, 1, 1, 2, 2), "!both scales and sizes"},
		{"Resize", 13, nil, scaled("float[1,1,2,2]", 1, 1, 2), "!must be 4"},
		{"Resize", 13, nil, scaled("float[1,1,2,2]", 1, 1, 2, -1), "!must be positive"},
		{"Resize", 13, nil, scaled("float[1,1,2,2]", 1, 1, 2, 2e9), "!more than"},
		{"Resize", 13, nil, sized("float[1,1,2,2]", "int64[4]=1,1,-4,4"), "!element 2 is -4"},
		{"Resize", 13, nil, sized("float[1,1,0,2]", "int64[4]=1,1,4,4"), "!no elements in dimension 2"},
		{"Resize", 18, attrs("axes", axes(2, 2)), scaled("float[1,1,2,2]", 2, 2), "!names axis 2 twice"},
		{"Resize", 13, attrs("mode", "area"), scaled("float[1,1,2,2]", 1, 1, 2, 2), "!allowed are"},
		{"Resize", 13, attrs("coordinate_transformation_mode", "tf_crop_and_resize"), scaled("float[1,1,2,2]", 1, 1, 2, 2), "!is required for tf_crop_and_resize"},
		{"Upsample", 9, nil, withFloats(moveFacts("float[1,1,2,2]", ""), 1, 1, 1, 2, 3), "float[1,1,4,6]"},
		{"Upsample", 7, attrs("scales", []float32{1, 1, 2, 3}), moveFacts("float[1,1,2,2]"), "float[1,1,4,6]"},
		{"Upsample", 1, attrs("height_scale", float32(2), "width_scale", float32(3)), moveFacts("float[1,1,2,2]"), "float[1,1,4,6]"},
		{"Upsample", 9, nil, withFloats(moveFacts("float[1,1,2,2]", ""), 1, 1, 1, 0.5, 3), "!each must be 1 or more"},
	})
}

func TestInferGrids(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"GridSample", 16, nil, moveFacts("float[N,C,4,4]", "float[2,H,W,2]"), "float[2,C,H,W]"},
		{"GridSample", 20, nil, moveFacts("float[N,C,4,4,4]", "float[N,2,3,4,3]"), "float[N,C,2,3,4]"},
		{"GridSample", 20, nil, moveFacts("float[N,C,4,4]", "float[N,2,3,3]"), "!positions of 3 coordinates"},
		{"GridSample", 16, attrs("mode", "cubic"), moveFacts("float[N,C,4,4]", "float[N,2,3,2]"), "!allowed are"},
		{"AffineGrid", 20, nil, moveFacts("float[N,2,3]", "int64[4]=2,3,5,W"), "float[2,5,W,2]"},
		{"AffineGrid", 20, nil, moveFacts("float[N,2,3]", "int64[5]=2,3,5,6,7"), "!must be (N, 3, 4)"},
	})
}
