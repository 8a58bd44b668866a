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

// What is drawn has the mean and the variance asked for, within five standard
// deviations of what so many draws show, in every type.
func TestRandomMoments(t *testing.T) {
	const n = 20000
	shape := graph.NewAttr("shape", []int64{n / 4, 4})
	like := mat(make([]float32, n), n/4, 4)
	normal := []graph.Attr{graph.NewAttr("mean", float32(-2)), graph.NewAttr("scale", float32(0.5))}
	uniform := []graph.Attr{graph.NewAttr("low", float32(-1)), graph.NewAttr("high", float32(3))}
	for _, c := range []struct {
		op             string
		attrs          []graph.Attr
		in             []*tensor.Tensor
		mean, variance float64
		fourth         float64 // central moment
		low, high      float64 // rounding may reach the upper end
	}{
		{"RandomNormal", append(normal, shape), nil, -2, 0.25, 3 * 0.25 * 0.25, math.Inf(-1), math.Inf(1)},
		{"RandomNormalLike", normal, []*tensor.Tensor{like}, -2, 0.25, 3 * 0.25 * 0.25, math.Inf(-1), math.Inf(1)},
		{"RandomUniform", append(uniform, shape), nil, 1, 16.0 / 12, 256.0 / 80, -1, 3},
		{"RandomUniformLike", uniform, []*tensor.Tensor{like}, 1, 16.0 / 12, 256.0 / 80, -1, 3},
	} {
		for _, d := range op.FloatBFTypes.List() {
			attrs := append([]graph.Attr{graph.NewAttr("dtype", int64(d)), graph.NewAttr("seed", float32(11))}, c.attrs...)
			got := nodeTest{op: c.op, opset: 22, attrs: attrs, in: c.in}.one(t)
			if got.DType() != d || got.Size() != n {
				t.Errorf("%s is %v, want %d of %v", c.op, got, n, d)
			}
			x, err := tensor.Float64s(got)
			if err != nil {
				t.Fatal(err)
			}
			mean, variance := 0.0, 0.0
			for _, v := range x {
				mean += v / n
				if v < c.low || v > c.high {
					t.Fatalf("%s %v drew %v, want %v to %v", c.op, d, v, c.low, c.high)
				}
			}
			for _, v := range x {
				variance += (v - mean) * (v - mean) / n
			}
			if math.Abs(mean-c.mean) > 5*math.Sqrt(c.variance/n) {
				t.Errorf("%s %v has mean %v, want %v", c.op, d, mean, c.mean)
			}
			if math.Abs(variance-c.variance) > 5*math.Sqrt((c.fourth-c.variance*c.variance)/n) {
				t.Errorf("%s %v has variance %v, want %v", c.op, d, variance, c.variance)
			}
		}
	}
	// 1 comes as often as the probability says.
	for _, since := range []int{15, 22} {
		for _, p := range []float64{0.125, 0.75} {
			chances := make([]float32, n)
			for i := range chances {
				chances[i] = float32(p)
			}
			attrs := []graph.Attr{graph.NewAttr("dtype", int64(tensor.Int64)), graph.NewAttr("seed", float32(3))}
			drawn := nodeTest{op: "Bernoulli", opset: since, attrs: attrs, in: []*tensor.Tensor{mat(chances, n)}}.one(t)
			ones := 0.0
			for _, v := range tensor.Elements[int64](drawn) {
				if v != 0 && v != 1 {
					t.Fatalf("Bernoulli-%d drew %d", since, v)
				}
				ones += float64(v)
			}
			if f := ones / n; math.Abs(f-p) > 5*math.Sqrt(p*(1-p)/n) {
				t.Errorf("Bernoulli-%d draws 1 in %v of all draws, want %v", since, f, p)
			}
		}
	}
	// Classes come as often as their probabilities say, in each row.
	p := [][]float64{{0.5, 0.25, 0.125, 0.125}, {0.1, 0.2, 0.3, 0.4}}
	logits := make([]float32, 0, 8)
	for _, row := range p {
		for _, q := range row {
			logits = append(logits, float32(math.Log(q)))
		}
	}
	for _, d := range op.IndexTypes.List() {
		attrs := []graph.Attr{graph.NewAttr("dtype", int64(d)), graph.NewAttr("sample_size", int64(n)), graph.NewAttr("seed", float32(5))}
		drawn, err := tensor.Float64s(nodeTest{op: "Multinomial", opset: 22, attrs: attrs, in: []*tensor.Tensor{mat(logits, 2, 4)}}.one(t))
		if err != nil {
			t.Fatal(err)
		}
		for r, row := range p {
			counts := make([]float64, len(row))
			for _, k := range drawn[r*n:][:n] {
				counts[int(k)]++
			}
			for k, q := range row {
				if f := counts[k] / n; math.Abs(f-q) > 5*math.Sqrt(q*(1-q)/n) {
					t.Errorf("Multinomial %v draws class %d of row %d in %v of all draws, want %v", d, k, r, f, q)
				}
			}
		}
	}
}
