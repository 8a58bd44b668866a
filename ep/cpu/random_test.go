package cpu

import (
	"math"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

func TestRandomTypesAndSeeds(t *testing.T) {
	for _, name := range []string{"RandomNormal", "RandomUniform"} {
		for _, d := range op.FloatBFTypes.List() {
			n := nodeTest{op: name, opset: 22, attrs: []graph.Attr{graph.NewAttr("shape", []int64{3, 5}), graph.NewAttr("dtype", int64(d)), graph.NewAttr("seed", float32(7))}}
			a, b := n.one(t), n.one(t)
			wantTensor(t, name+" "+d.String()+" twice", a, b)
			if a.DType() != d || !a.Shape().Equal(tensor.Shape{3, 5}) {
				t.Errorf("%s is %v", name, a)
			}
			v, err := tensor.Float64s(a)
			if err != nil || v[0] == v[1] {
				t.Errorf("%s %v is %v, %v", name, d, v, err)
			}
		}
	}
	like := nodeTest{op: "RandomUniformLike", opset: 1, attrs: []graph.Attr{graph.NewAttr("dtype", int64(tensor.Float32))}, in: []*tensor.Tensor{vec("a", "b")}}.one(t)
	if like.DType() != tensor.Float32 || like.Size() != 2 {
		t.Errorf("RandomUniformLike of strings is %v", like)
	}
	p := vec[float64](0, 1)
	for _, d := range (op.NumericBFTypes | 1<<tensor.Bool).List() {
		got := nodeTest{op: "Bernoulli", opset: 22, attrs: []graph.Attr{graph.NewAttr("dtype", int64(d))}, in: []*tensor.Tensor{p}}.one(t)
		wantTensor(t, "Bernoulli "+d.String(), got, numbersOf(d, []float64{0, 1}, 2))
	}
	logits := mat([]float32{0, 500, 500, 0}, 2, 2)
	got := nodeTest{op: "Multinomial", opset: 22, attrs: []graph.Attr{graph.NewAttr("sample_size", int64(2)), graph.NewAttr("dtype", int64(tensor.Int64))}, in: []*tensor.Tensor{logits}}.one(t)
	wantTensor(t, "Multinomial", got, mat([]int64{1, 1, 0, 0}, 2, 2))
}

func TestDropout(t *testing.T) {
	x := vec[float32](1, 2, 3)
	out, err := nodeTest{op: "Dropout", opset: 13, in: []*tensor.Tensor{x}, outputs: 2}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantTensor(t, "Dropout", out[0], x)
	wantTensor(t, "mask", out[1], vec(true, true, true))
	low := numbersOf(tensor.Float8E5M2, []float64{1, 2}, 2)
	wantTensor(t, "float8", nodeTest{op: "Dropout", opset: 22, in: []*tensor.Tensor{low}}.one(t), low)

	n := 4000
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	train := nodeTest{op: "Dropout", opset: 13, attrs: []graph.Attr{graph.NewAttr("seed", int64(3))}, outputs: 2,
		in: []*tensor.Tensor{mat(ones, n), tensor.Scalar[float32](0.75), tensor.Scalar(true)}}
	if out, err = train.run(t); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i, v := range tensor.Elements[float32](out[0]) {
		if keep := tensor.Elements[bool](out[1])[i]; keep != (v == 4) || !keep && v != 0 {
			t.Fatalf("element %d is %v, the mask says %v", i, v, keep)
		}
		if v != 0 {
			kept++
		}
	}
	if math.Abs(float64(kept)/float64(n)-0.25) > 0.04 {
		t.Errorf("%d of %d are kept, the ratio is 0.75", kept, n)
	}
	train.in[1] = tensor.Scalar[float32](1)
	if _, err := train.run(t); err == nil {
		t.Error("a ratio of 1 scales by infinity, no error")
	}
}

func TestCrossEntropy(t *testing.T) {
	scores := mat([]float32{0, 0, 0, float32(math.Log(3))}, 2, 2)
	for _, labels := range []*tensor.Tensor{vec[int64](0, 1), vec[int32](0, 1)} {
		want := (math.Log(2) + math.Log(4.0/3)) / 2
		out, err := nodeTest{op: "SoftmaxCrossEntropyLoss", opset: 13, in: []*tensor.Tensor{scores, labels}, outputs: 2}.run(t)
		if err != nil {
			t.Fatal(err)
		}
		if v := tensor.Elements[float32](out[0])[0]; math.Abs(float64(v)-want) > 1e-6 {
			t.Errorf("loss %v, want %v", v, want)
		}
		if v := tensor.Elements[float32](out[1])[3]; math.Abs(float64(v)-math.Log(0.75)) > 1e-6 {
			t.Errorf("log_prob %v, want %v", v, math.Log(0.75))
		}
		alone := nodeTest{op: "SoftmaxCrossEntropyLoss", opset: 13, in: []*tensor.Tensor{scores, labels}}.one(t)
		wantTensor(t, "without log_prob", alone, out[0])
	}
	if _, err := (nodeTest{op: "NegativeLogLikelihoodLoss", opset: 13, in: []*tensor.Tensor{scores, vec[int64](0, 2)}}).run(t); err == nil {
		t.Error("label 2 of 2 classes, no error")
	}
}
