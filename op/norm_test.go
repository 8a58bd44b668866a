package op_test

import "testing"

func TestInferNorm(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"BatchNormalization", 15, nil, moveFacts("float[N,3,H,W]", "float[3]", "float[3]", "float[3]", "float[3]"), "float[N,3,H,W]"},
		{"BatchNormalization", 15, attrs("training_mode", int64(1)), moveFacts("float[N,3,H]", "float[3]", "float[3]", "float[3]", "float[3]"), "float[N,3,H] | float[3] | float[3]"},
		{"BatchNormalization", 7, attrs("spatial", int64(0)), moveFacts("float[N,3,2]", "float[3,2]", "float[3,2]", "float[3,2]", "float[3,2]"), "float[N,3,2]"},
		{"BatchNormalization", 15, nil, moveFacts("float[N]", "float[1]", "float[1]", "float[1]", "float[1]"), "float[N]"},
		{"BatchNormalization", 15, nil, moveFacts("float[N,3]", "float[3]", "float[4]", "float[3]", "float[3]"), "!one element for each of the 3 channels"},
		{"InstanceNormalization", 6, nil, moveFacts("float[N,3,H,W]", "float[3]", "float[3]"), "float[N,3,H,W]"},
		{"InstanceNormalization", 6, nil, moveFacts("float[N,3,H,W]", "float[2]", "float[3]"), "!for each of the 3 channels"},
		{"GroupNormalization", 21, attrs("num_groups", int64(2)), moveFacts("float[N,4,H]", "float[4]", "float[4]"), "float[N,4,H]"},
		{"GroupNormalization", 18, attrs("num_groups", int64(2)), moveFacts("float[N,4,H]", "float[2]", "float[2]"), "float[N,4,H]"},
		{"GroupNormalization", 21, attrs("num_groups", int64(3)), moveFacts("float[N,4,H]", "float[4]", "float[4]"), "!does not divide the 4 channels"},
		{"LayerNormalization", 17, attrs("axis", int64(1)), moveFacts("float16[N,4,5]", "float16[4,5]"), "float16[N,4,5] | float[N,1,1] | float[N,1,1]"},
		{"LayerNormalization", 17, attrs("stash_type", int64(16)), moveFacts("float[N,4,5]", "float[5]", "float[5]"), "float[N,4,5] | bfloat16[N,4,1] | bfloat16[N,4,1]"},
		{"LayerNormalization", 17, nil, moveFacts("float[N,4,5]", "float[4]"), "!does not broadcast"},
		{"LayerNormalization", 17, attrs("axis", int64(3)), moveFacts("float[N,4,5]", "float[5]"), "!axis"},
		{"LayerNormalization", 17, attrs("stash_type", int64(2)), moveFacts("float[N,4,5]", "float[5]"), "!allowed are 1"},
		{"RMSNormalization", 23, nil, moveFacts("float16[N,4,5]", "float[5]"), "float[N,4,5]"},
		{"LRN", 13, attrs("size", int64(0)), moveFacts("float[N,4,5]"), "!must be in [1,"},
		{"LpNormalization", 1, attrs("p", int64(3)), moveFacts("float[N,4,5]"), "!allowed are 1 and 2"},
		{"MeanVarianceNormalization", 13, nil, moveFacts("float[N,4,5]"), "!axis"},
		{"MeanVarianceNormalization", 13, attrs("axes", []int64{0, -1}), moveFacts("float[N,4,5]"), "float[N,4,5]"},
	})
}
