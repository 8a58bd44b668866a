package op_test

import (
	"math"
	"testing"

	"gort/op"
)

func TestSliceFamilyShapes(t *testing.T) {
	const huge = "4611686018427387904"
	runMoveCases(t, []moveCase{
		{"Concat", 13, attrs("axis", 1), moveFacts("float[2,3]", "float[?,N]"), "float[2,?]"},
		{"Concat", 13, attrs("axis", -1), moveFacts("float[N,3]", "float[2,4]"), "float[2,7]"},
		{"Concat", 13, attrs("axis", 0), moveFacts("float[N,3]", "float[0,3]"), "float[N,3]"},
		{"Concat", 13, attrs("axis", 0), moveFacts("float", "float[2,3]"), "float[?,3]"},
		{"Concat", 1, nil, moveFacts("float[2,3]", "float[2,1]"), "float[2,4]"},
		{"Concat", 13, attrs("axis", 0), moveFacts("int64[1]=N", "int64[2]=-1,3"), "int64[3]=N,-1,3"},
		{"Concat", 13, attrs("axis", 0), moveFacts("float["+huge+"]", "float["+huge+"]"), "float[?]"},
		{"Concat", 13, attrs("axis", 0), moveFacts("float[2,3]", "float[2,4]"), "!only dimension 0 may differ"},
		{"Concat", 13, attrs("axis", 0), moveFacts("float[2,3]", "float[2]"), "!rank 1"},
		{"Concat", 13, attrs("axis", 2), moveFacts("float[2,3]"), "!out of range"},

		{"Split", 13, attrs("axis", 1), moveFacts("float[N,6]"), "float[N,3] | float[N,3]"},
		{"Split", 18, attrs("num_outputs", 3), moveFacts("float[7]"), "float[3] | float[3] | float[1]"},
		{"Split", 18, attrs("num_outputs", 4), moveFacts("float[5]"), "float[2] | float[2] | float[1] | float[0]"},
		{"Split", 13, nil, moveFacts("float[7]", "int64[2]=2,5"), "float[2] | float[5]"},
		{"Split", 13, nil, moveFacts("float[7]", "int64[2]=2,N"), "float[2] | float[N]"},
		{"Split", 13, nil, moveFacts("float[7]", "int64"), "float[?] | float[?]"},
		{"Split", 11, attrs("split", []int{1, 2}), moveFacts("int64[3]=4,5,N"), "int64[1]=4 | int64[2]=5,N"},
		{"Split", 13, nil, moveFacts("float[7]"), "!equal parts |  | "},
		{"Split", 13, nil, moveFacts("float[7]", "int64[2]=2,4"), "!adds up to 6 | "},
		{"Split", 13, nil, moveFacts("float[7]", "int64[3]=2,4,1"), "!3 sizes | "},
		{"Split", 13, nil, moveFacts("float[7]", "int64[1]=-1"), "!must not be negative"},

		{"Slice", 13, nil, moveFacts("float[10,N]", "int64[1]=2", "int64[1]=-1"), "float[7,N]"},
		{"Slice", 13, nil, moveFacts("float[10,N]", "int64[1]=0", "int64[1]=9223372036854775807", "int64[1]=1"), "float[10,N]"},
		{"Slice", 13, nil, moveFacts("float[10,N]", "int64[1]=-1", "int64[1]=-9223372036854775808", "int64[1]=1", "int64[1]=-1"), "float[10,N]"},
		{"Slice", 13, nil, moveFacts("float[10,N]", "int64[1]=1", "int64[1]=5", "int64[1]=1"), "float[10,?]"},
		{"Slice", 13, nil, moveFacts("float[10]", "int64[1]=9", "int64[1]=0", "int64[1]=0", "int64[1]=-3"), "float[3]"},
		{"Slice", 13, nil, moveFacts("float[10,4]", "int64[1]=0", "int64[1]=N", "int64"), "float[?,?]"},
		{"Slice", 13, nil, moveFacts("float[N]", "int64[1]=0", "int64[1]=N"), "float[N]"},
		{"Slice", 1, attrs("starts", []int{1, 0}, "ends", []int{1000, -1}, "axes", []int{1, 0}), moveFacts("float[4,5]"), "float[3,4]"},
		{"Slice", 13, nil, moveFacts("int64[4]=2,N,7,8", "int64[1]=3", "int64[1]=0", "int64[1]=0", "int64[1]=-2"), "int64[2]=8,N"},
		{"Slice", 13, nil, moveFacts("float", "int64[1]=3", "int64[1]=0"), "float"},
		{"Slice", 13, nil, moveFacts("float[4]", "int64[1]=3", "int64[1]=0", "int64[1]=0", "int64[1]=0"), "!is 0"},
		{"Slice", 13, nil, moveFacts("float[4]", "int64[2]=3,1", "int64[1]=0"), "!1 ends, but 2"},
		{"Slice", 13, nil, moveFacts("float[4]", "int64[1]=3", "int64[1]=0", "int64[1]=-2"), "!out of range"},
		{"Slice", 13, nil, moveFacts("float[4]", "int64[2]=3,1", "int64[2]=0,1"), "!rank 1"},
		{"Slice", 13, nil, moveFacts("float[4,4]", "int64[2]=3,1", "int64[2]=0,1", "int64[2]=1,-1"), "!named twice"},

		{"Pad", 13, nil, moveFacts("float[2,N,?]", "int64[6]=1,0,1,2,0,1"), "float[5,N,?]"},
		{"Pad", 18, nil, moveFacts("float[2,3]", "int64[2]=-1,2", "", "int64[1]=-1"), "float[2,4]"},
		{"Pad", 13, nil, moveFacts("float[2,3]", "int64"), "float[?,?]"},
		{"Pad", 2, attrs("pads", []int{0, 1, 0, 1}), moveFacts("float[2,3]"), "float[2,5]"},
		{"Pad", 1, attrs("paddings", []int{0, 1, 0, 1}), moveFacts("float[2,3]"), "float[2,5]"},
		{"Pad", 13, nil, moveFacts("float[2]", "int64[2]=-2,-1"), "!less than nothing"},
		{"Pad", 13, nil, moveFacts("float[2]", "int64[3]=0,0,0"), "!two an axis"},
		{"Pad", 13, nil, moveFacts("float[2]", "int64[2]=9223372036854775807,1"), "!out of range"},
		{"Pad", 13, attrs("mode", "wrap"), moveFacts("float[2]", "int64[2]=0,0"), "!wrap"},
		{"Pad", 19, attrs("mode", "edge"), moveFacts("float[0]", "int64[2]=0,1"), "!nothing to repeat"},

		{"Tile", 13, nil, moveFacts("float[2,N]", "int64[2]=3,1"), "float[6,N]"},
		{"Tile", 13, nil, moveFacts("float", "int64[2]"), "float[?,?]"},
		{"Tile", 13, nil, moveFacts("int64[2]=N,3", "int64[1]=2"), "int64[4]=N,3,N,3"},
		{"Tile", 13, nil, moveFacts("float[4,"+huge+"]", "int64[2]=1,"+huge), "float[4,?]"},
		{"Tile", 13, nil, moveFacts("float[2]", "int64[1]=-1"), "!must not be negative"},
		{"Tile", 13, nil, moveFacts("float[2]", "int64[2]=1,1"), "!has 2 elements"},

		{"DepthToSpace", 13, attrs("blocksize", 2), moveFacts("float[N,8,3,W]"), "float[N,2,6,?]"},
		{"DepthToSpace", 13, attrs("blocksize", 2), moveFacts("float[1,6,3,3]"), "!do not divide"},
		{"DepthToSpace", 13, attrs("blocksize", 0), moveFacts("float[1,6,3,3]"), "!is 0"},
		{"DepthToSpace", 13, attrs("blocksize", 1, "mode", "X"), moveFacts("float[1,6,3,3]"), "!DCR"},
		{"SpaceToDepth", 13, attrs("blocksize", 2), moveFacts("float[N,3,6,W]"), "float[N,12,3,?]"},
		{"SpaceToDepth", 13, attrs("blocksize", 2), moveFacts("float[N,3,5,W]"), "!does not divide"},
		{"SpaceToDepth", 13, attrs("blocksize", 2), moveFacts("float[N,3,5]"), "!rank 3"},

		{"CenterCropPad", 18, attrs("axes", []int{-1}), moveFacts("float[2,N]", "int64[1]=7"), "float[2,7]"},
		{"CenterCropPad", 18, nil, moveFacts("float[2,N]", "int64[2]"), "float[?,?]"},
		{"CenterCropPad", 18, nil, moveFacts("float[2,N]", "int64[1]=3"), "!1 elements for 2 axes"},
		{"ReverseSequence", 10, nil, moveFacts("float[4,3]", "int64[3]"), "float[4,3]"},
		{"ReverseSequence", 10, nil, moveFacts("float[4,3]", "int64[4]"), "!the batch has 3"},
		{"ReverseSequence", 10, attrs("time_axis", 1), moveFacts("float[4,3]", "int64[4]"), "!must differ"},
		{"Trilu", 14, nil, moveFacts("float[N,4]"), "float[N,4]"},
		{"Trilu", 14, nil, moveFacts("float[4]"), "!2 or more"},
	})
}

// What Python's slicing gives.
func TestSliceRange(t *testing.T) {
	for _, c := range []struct {
		dim              int
		start, end, step int64
		first, count     int
	}{
		{10, 2, 5, 1, 2, 3}, {10, -3, 100, 1, 7, 3}, {10, 0, 10, 3, 0, 4}, {10, 5, 2, 1, 0, 0},
		{10, 9, 0, -1, 9, 9}, {10, 100, -100, -1, 9, 10}, {10, -1, math.MinInt64, -4, 9, 3},
		{10, math.MinInt64, math.MaxInt64, math.MaxInt64, 0, 1}, {10, math.MaxInt64, math.MinInt64, math.MinInt64, 9, 1},
		{0, 0, 5, 1, 0, 0}, {0, -1, -5, -1, 0, 0}, {10, 3, 3, -1, 0, 0},
	} {
		if first, count := op.SliceRange(c.dim, c.start, c.end, c.step); count != c.count || count > 0 && first != c.first {
			t.Errorf("%+v: got %d from %d", c, count, first)
		}
	}
}
