package optimize_test

import (
	"testing"

	"gort/optimize"
)

func TestDuplicates(t *testing.T) {
	check(t, []rewrite{
		{"equal nodes", "in x float[N]\na = Exp(x)\nb = Exp(x)\ny = Add(a, b)\nout y", "a = Exp(x)\ny = Add(a, a)\nout y"},
		{"equal chains", "in x float[N]\na = Exp(x)\nb = Exp(x)\nc = Neg(a)\nd = Neg(b)\ny = Add(c, d)\nout y",
			"a = Exp(x)\nc = Neg(a)\ny = Add(c, c)\nout y"},
		{"three", "in x float[N]\na = Exp(x)\nb = Exp(x)\nc = Exp(x)\nout a b c", "a = Exp(x)\nout a, a, a"},
		{"attributes in another order", "in x float[2,3]\nconst w int64[1] 1\na = ReduceSum<keepdims=0, noop_with_empty_axes=1>(x, w)\nb = ReduceSum<noop_with_empty_axes=1, keepdims=0>(x, w)\nout a b",
			"a = ReduceSum(x, [1])\nout a, a"},
		{"several outputs", "in x float[4]\na, b = Split<num_outputs=2>(x)\nc, d = Split<num_outputs=2>(x)\nout a d", "a, b = Split(x)\nout a, b"},
		{"one of the outputs", "in x float[N]\nconst k int64[1] 1\na, b = TopK(x, k)\nc, _ = TopK(x, k)\nout a b c", "a, b = TopK(x, [1])\nout a, b, a"},
		{"constants", "in x float[N]\nconst p float[2] 1 2\nconst q float[2] 1 2\na = Add(x, p)\nb = Add(x, q)\ny = Mul(a, b)\nout y",
			"a = Add(x, [1 2])\ny = Mul(a, a)\nout y"},
		{"NaN of the same bits", "in x float[N]\nconst p float[] NaN\nconst q float[] NaN\na = Add(x, p)\nb = Add(x, q)\ny = Mul(a, b)\nout y",
			"a = Add(x, NaN)\ny = Mul(a, a)\nout y"},
	}, optimize.Duplicates{})
}

func TestDuplicatesLeave(t *testing.T) {
	check(t, []rewrite{
		{name: "other operators", before: "in x float[N]\na = Exp(x)\nb = Neg(x)\nout a b"},
		{name: "other inputs", before: "in x float[N]\nin w float[N]\na = Exp(x)\nb = Exp(w)\nout a b"},
		{name: "inputs the other way round", before: "in x float[N]\nin w float[N]\na = Sub(x, w)\nb = Sub(w, x)\nout a b"},
		{name: "other attributes", before: "in x float[2,3]\na = Softmax<axis=0>(x)\nb = Softmax<axis=1>(x)\nout a b"},
		{name: "an attribute that the other leaves out", before: "in x float[2,3]\na = Softmax<axis=0>(x)\nb = Softmax(x)\nout a b"},
		{name: "an input that the other omits", before: "in x float[N]\nconst k float[] 1\na = Clip(x, k)\nb = Clip(x, _, k)\nout a b"},
		{name: "0 and -0", before: "in x float[N]\nconst p float[] 0\nconst q float[] -0\na = Add(x, p)\nb = Add(x, q)\nout a b"},
		{name: "one and a vector of one", before: "in x float[N]\nconst p float[] 1\nconst q float[1] 1\na = Add(x, p)\nb = Add(x, q)\nout a b"},
		{name: "1 and 1", before: "in x float[N]\nin i int64[N]\nconst p float[] 1\nconst q int64[] 1\na = Add(x, p)\nb = Add(i, q)\nout a b"},
		{name: "random numbers", before: "a = RandomNormal<shape=[2]>()\nb = RandomNormal<shape=[2]>()\nout a b"},
		{name: "Dropout that may train", before: "in x float[N]\nin t bool[]\na = Dropout(x, _, t)\nb = Dropout(x, _, t)\nout a b"},
		{name: "cuts into as many parts as there are outputs, more first", before: "opset 11\nin x float[6]\na, b, c = Split(x)\nd, e = Split(x)\nout a b c d e"},
		{name: "cuts into as many parts as there are outputs, fewer first", before: "opset 11\nin x float[6]\nd, e = Split(x)\na, b, c = Split(x)\nout a b c d e"},
		{name: "an output that the first does not make", before: "in x float[N]\nconst k int64[1] 1\nc, _ = TopK(x, k)\na, b = TopK(x, k)\nout a b c"},
		{name: "a program's own operators that differ from run to run", before: "in x float[N]\na = com.example.Now(x)\nb = com.example.Now(x)\nout a b"},
	}, optimize.Duplicates{})
}

// Large constants are not compared: that would read the whole model.
func TestDuplicatesLeaveLargeConstants(t *testing.T) {
	check(t, []rewrite{{name: "large", before: "in x float[N]\nconst p float[1025] 1\nconst q float[1025] 1\na = Add(x, p)\nb = Add(x, q)\nout a b"}}, optimize.Duplicates{})
	check(t, []rewrite{{"small", "in x float[N]\nconst p float[1024] 1\nconst q float[1024] 1\na = Add(x, p)\nb = Add(x, q)\nout a b",
		"a = Add(x, float32:1024)\nout a, a"}}, optimize.Duplicates{})
}
