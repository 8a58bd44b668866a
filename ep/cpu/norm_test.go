package cpu

import (
	"math"
	"testing"

	"gort/graph"
	"gort/tensor"
)

// The statistics of a batch, running ones, and what they make of 1 and 3 (mean
// 2, variance 1) with momentum 3/4, by version of the operator.
func TestBatchNormTraining(t *testing.T) {
	x := mat([]float32{1, 3}, 2, 1, 1)
	in := []*tensor.Tensor{x, vec[float32](2), vec[float32](5), vec[float32](6), vec[float32](9)}
	base := []graph.Attr{graph.NewAttr("momentum", float32(0.75)), graph.NewAttr("epsilon", float32(0))}
	for _, c := range []struct {
		opset, outputs int
		attrs          []graph.Attr
	}{
		{6, 1, base}, {6, 5, base}, {9, 5, base},
		{14, 3, append(base[:2:2], graph.NewAttr("training_mode", int64(1)))},
		{15, 3, append(base[:2:2], graph.NewAttr("training_mode", int64(1)))},
	} {
		got, err := nodeTest{op: "BatchNormalization", opset: c.opset, outputs: c.outputs, attrs: c.attrs, in: in}.run(t)
		if err != nil {
			t.Errorf("version %d: %v", c.opset, err)
			continue
		}
		want := []*tensor.Tensor{mat([]float32{3, 7}, 2, 1, 1), vec[float32](5), vec[float32](7), vec[float32](2), vec[float32](1)}
		for i := range got {
			wantTensor(t, "BatchNormalization", got[i], want[i])
		}
	}
	// Known statistics: (x-6)/3*2 + 5.
	got := nodeTest{op: "BatchNormalization", opset: 6, attrs: append(base[:2:2], graph.NewAttr("is_test", int64(1))), in: in}.one(t)
	if err := tensor.Compare(got, mat([]float32{5.0 / 3, 3}, 2, 1, 1), 1e-6, 0); err != nil {
		t.Error(err)
	}
	// One statistic an element of an image.
	each := []*tensor.Tensor{mat([]float32{1, 2, 3, 4}, 2, 1, 2), mat([]float32{1, 1}, 1, 2), mat([]float32{0, 0}, 1, 2), mat([]float32{1, 2}, 1, 2), mat([]float32{1, 4}, 1, 2)}
	got = nodeTest{op: "BatchNormalization", opset: 7, attrs: append(base[:2:2], graph.NewAttr("spatial", int64(0))), in: each}.one(t)
	wantTensor(t, "one statistic an element", got, mat([]float32{0, 0, 2, 1}, 2, 1, 2))
}

func TestLayerNormParameters(t *testing.T) {
	// Rows -1 1 and -3 3 are -1 1 when normalised.
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16} {
		x := numbersOf(d, []float64{-1, 1, -3, 3}, 2, 2)
		for _, c := range []struct {
			scale *tensor.Tensor
			want  []float64
		}{
			{numbersOf(d, []float64{2, 4}, 2), []float64{-2, 4, -2, 4}},
			{numbersOf(d, []float64{2}, 1), []float64{-2, 2, -2, 2}},
			{numbersOf(d, []float64{2}), []float64{-2, 2, -2, 2}},
			{numbersOf(d, []float64{2, 4}, 2, 1), []float64{-2, 2, -4, 4}}, // rows differ
		} {
			for _, name := range []string{"LayerNormalization", "RMSNormalization"} {
				got, err := nodeTest{op: name, opset: 23, attrs: []graph.Attr{graph.NewAttr("epsilon", float32(0))}, in: []*tensor.Tensor{x, c.scale}}.run(t)
				if err != nil {
					t.Errorf("%s of %v with scale %v: %v", name, d, c.scale.Shape(), err)
					continue
				}
				wantTensor(t, name, got[0], numbersOf(d, c.want, 2, 2))
			}
		}
	}
	got, err := nodeTest{op: "LayerNormalization", opset: 17, outputs: 3, attrs: []graph.Attr{graph.NewAttr("epsilon", float32(0)), graph.NewAttr("stash_type", int64(16))},
		in: []*tensor.Tensor{mat([]float64{2, 6}, 1, 2), vec[float64](1, 1)}}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantTensor(t, "mean", got[1], numbersOf(tensor.BFloat16, []float64{4}, 1, 1))
	wantTensor(t, "inverse deviation", got[2], numbersOf(tensor.BFloat16, []float64{0.5}, 1, 1))
}

func TestGroupNormVersions(t *testing.T) {
	x := mat([]float32{-1, 1, -2, 2}, 1, 4, 1)
	for opset, scale := range map[int]*tensor.Tensor{18: vec[float32](3, 5), 21: vec[float32](3, 3, 5, 5)} {
		zero := tensor.Must(tensor.New(tensor.Float32, scale.Size()))
		got := nodeTest{op: "GroupNormalization", opset: opset, attrs: []graph.Attr{graph.NewAttr("num_groups", int64(2)), graph.NewAttr("epsilon", float32(0))}, in: []*tensor.Tensor{x, scale, zero}}.one(t)
		wantTensor(t, "GroupNormalization", got, mat([]float32{-3, 3, -5, 5}, 1, 4, 1))
	}
}

// Nothing to normalise is no error, and no division by zero either.
func TestNormOfNothing(t *testing.T) {
	for name, shapes := range map[string][]tensor.Shape{
		"LayerNormalization": {{0, 3}, {3}}, "InstanceNormalization": {{0, 2, 3}, {2}, {2}}, "LRN": {{0, 2, 3}},
		"BatchNormalization": {{0, 2}, {2}, {2}, {2}, {2}}, "LpNormalization": {{2, 0}}, "MeanVarianceNormalization": {{0, 1, 2, 3}},
	} {
		n := nodeTest{op: name, opset: 17}
		for _, s := range shapes {
			n.in = append(n.in, tensor.Must(tensor.New(tensor.Float32, s...)))
		}
		if name == "LRN" {
			n.attrs = []graph.Attr{graph.NewAttr("size", int64(3))}
		}
		if got := n.one(t); !got.Shape().Equal(shapes[0]) {
			t.Errorf("%s: shape %v, want %v", name, got.Shape(), shapes[0])
		}
	}
	got := nodeTest{op: "LpNormalization", opset: 22, in: []*tensor.Tensor{vec(float32(math.Inf(1)), 0)}}.one(t)
	if v := tensor.Elements[float32](got); !math.IsNaN(float64(v[0])) || v[1] != 0 {
		t.Errorf("an infinite norm gives %v, want [NaN 0]", v)
	}
}
