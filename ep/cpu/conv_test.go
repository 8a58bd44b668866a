package cpu

import (
	"math/rand"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// bytesOf makes random codes.
func bytesOf[T int8 | uint8](rng *rand.Rand, shape ...int) *tensor.Tensor {
	x := make([]T, tensor.Shape(shape).Size())
	for i := range x {
		x[i] = T(rng.Intn(256))
	}
	return mat(x, shape...)
}

// A kernel gives the same with and without packed constants, bit for bit.
func TestPackedAgreesWithPlain(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	f := func(shape ...int) *tensor.Tensor { return noise[float32](rng, shape...) }
	low := func(shape ...int) *tensor.Tensor {
		return tensor.Must(tensor.Convert(f(shape...), tensor.Float16, tensor.ConvertOptions{}))
	}
	positive := func(n int) *tensor.Tensor {
		x := f(n)
		for i, v := range tensor.Elements[float32](x) {
			tensor.Elements[float32](x)[i] = v*v + 0.1
		}
		return x
	}
	pads := graph.NewAttr("pads", []int64{1, 1, 1, 1})
	group := graph.NewAttr("group", int64(2))
	for _, c := range []struct {
		nodeTest
		consts []int
		least  int // constants that are no longer read
	}{
		{nodeTest{op: "Conv", opset: 11, attrs: []graph.Attr{pads}, in: []*tensor.Tensor{f(2, 5, 9, 7), f(20, 5, 3, 3), f(20)}}, []int{1, 2}, 1},
		{nodeTest{op: "Conv", opset: 11, attrs: []graph.Attr{pads, group}, in: []*tensor.Tensor{f(1, 64, 6, 6), f(10, 32, 3, 3)}}, []int{1}, 1},
		{nodeTest{op: "Conv", opset: 11, attrs: []graph.Attr{group}, in: []*tensor.Tensor{f(1, 2, 6, 6), f(2, 1, 3, 3)}}, []int{1}, 0}, // depthwise
		{nodeTest{op: "Conv", opset: 22, in: []*tensor.Tensor{low(1, 4, 6, 6), low(3, 4, 3, 3), low(3)}}, []int{1, 2}, 1},
		{nodeTest{op: "BatchNormalization", opset: 15, in: []*tensor.Tensor{f(2, 4, 9), f(4), f(4), f(4), positive(4)}}, []int{1, 2, 3, 4}, 4},
		{nodeTest{op: "MatMulInteger", opset: 10, in: []*tensor.Tensor{bytesOf[uint8](rng, 3, 5, 9), bytesOf[int8](rng, 9, 7), vec[uint8](3), bytesOf[int8](rng, 7)}}, []int{1, 3}, 2},
		{nodeTest{op: "MatMulInteger", opset: 10, in: []*tensor.Tensor{bytesOf[uint8](rng, 5, 9), bytesOf[int8](rng, 9, 7)}}, []int{1}, 1},
		{nodeTest{op: "QLinearMatMul", opset: 10, in: []*tensor.Tensor{bytesOf[int8](rng, 5, 9), vec[float32](0.1), vec[int8](3), bytesOf[uint8](rng, 9, 7), vec[float32](0.2), vec[uint8](100), vec[float32](3), vec[uint8](7)}}, []int{3, 5}, 2},
		{nodeTest{op: "ConvInteger", opset: 10, attrs: []graph.Attr{pads}, in: []*tensor.Tensor{bytesOf[uint8](rng, 2, 3, 6, 5), bytesOf[uint8](rng, 4, 3, 3, 3), vec[uint8](200), bytesOf[uint8](rng, 4)}}, []int{1, 3}, 2},
		{nodeTest{op: "QLinearConv", opset: 10, attrs: []graph.Attr{pads}, in: []*tensor.Tensor{bytesOf[uint8](rng, 2, 3, 6, 5), vec[float32](0.1), vec[uint8](200), bytesOf[int8](rng, 4, 3, 3, 3), vec[float32](0.1, 0.2, 0.3, 0.4), vec[int8](1, 2, 3, 4), vec[float32](9), vec[int8](-5), vec[int32](1, -20, 300, 4000)}}, []int{3, 5}, 2},
	} {
		c.outputs = 1
		want, err := c.run(t)
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		got, dropped := runPrepacked(t, c.nodeTest, c.consts...)
		if dropped < c.least {
			t.Errorf("%s: %d constants no longer read, want %d", c.op, dropped, c.least)
		}
		wantTensor(t, c.op, got[0], want[0])
	}
}

// Every claimed type convolves: 1 2 3 4 with (1 1) is 3 5 7.
func TestConvEveryType(t *testing.T) {
	for _, name := range []string{"Conv", "ConvTranspose"} {
		def, err := op.Standard().Lookup("", name, 22)
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{3, 5, 7}
		if name == "ConvTranspose" {
			want = []float64{1, 3, 5, 7, 4}
		}
		for _, d := range def.Signature().Types["T"].Tensor.List() {
			got := nodeTest{op: name, opset: 22, in: []*tensor.Tensor{numbersOf(d, []float64{1, 2, 3, 4}, 1, 1, 4), numbersOf(d, []float64{1, 1}, 1, 1, 2)}}.one(t)
			wantTensor(t, name, got, numbersOf(d, want, 1, 1, len(want)))
		}
	}
}

func TestQLinearConvRounds(t *testing.T) {
	// (x-1) * (w-0) summed over the window, times 0.5*0.25/0.25, plus 10: 3*0.5 and
	// 5*0.5 round to even.
	got := nodeTest{op: "QLinearConv", opset: 10, in: []*tensor.Tensor{
		mat([]uint8{2, 3, 4}, 1, 1, 3), vec[float32](0.5), vec[uint8](1), mat([]int8{1, 1}, 1, 1, 2), vec[float32](0.25), vec[int8](0), vec[float32](0.25), vec[uint8](10)}}.one(t)
	wantTensor(t, "QLinearConv", got, mat([]uint8{12, 12}, 1, 1, 2))
}

func TestPoolErrorsNameTheInput(t *testing.T) {
	kernel := graph.NewAttr("kernel_shape", []int64{2})
	for want, n := range map[string]nodeTest{
		"input 1 (I): element 1 is 9, allowed are 0 to 2": {op: "MaxUnpool", opset: 11, attrs: []graph.Attr{kernel}, in: []*tensor.Tensor{mat([]float32{1, 2}, 1, 1, 2), mat([]int64{0, 9}, 1, 1, 2)}},
		"input 2 (batch_indices): element 0 is 3":         {op: "RoiAlign", opset: 16, in: []*tensor.Tensor{mat(make([]float32, 4), 1, 1, 2, 2), mat(make([]float32, 4), 1, 4), vec[int64](3)}},
		"input 1 (rois): region 0 is on image 5":          {op: "MaxRoiPool", opset: 1, attrs: []graph.Attr{graph.NewAttr("pooled_shape", []int64{1, 1})}, in: []*tensor.Tensor{mat(make([]float32, 4), 1, 1, 2, 2), mat([]float32{5, 0, 0, 1, 1}, 1, 5)}},
	} {
		if _, err := n.run(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", n.op, err, want)
		}
	}
}

func TestPoolEveryType(t *testing.T) {
	kernel := graph.NewAttr("kernel_shape", []int64{2})
	for name, want := range map[string][]float64{"MaxPool": {2, 4}, "AveragePool": {1.5, 3}, "LpPool": {3, 6}, "GlobalMaxPool": {4}, "GlobalAveragePool": {7.0 / 3}} {
		var list []graph.Attr
		if !strings.HasPrefix(name, "Global") {
			list = append(list, kernel)
		}
		if name == "LpPool" {
			list = append(list, graph.NewAttr("p", int64(1)))
		}
		def, err := op.Standard().Lookup("", name, 22)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range def.Signature().Types["T"].Tensor.List() {
			got := nodeTest{op: name, opset: 22, attrs: list, in: []*tensor.Tensor{numbersOf(d, []float64{1, 2, 4}, 1, 1, 3)}}.one(t)
			if err := tensor.Compare(got, numbersOf(d, want, 1, 1, len(want)), spacing[d], 0); err != nil {
				t.Errorf("%s of %v: %v", name, d, err)
			}
		}
	}
	// Indices count over the whole tensor, also of half precision.
	got, err := nodeTest{op: "MaxPool", opset: 12, outputs: 2, attrs: []graph.Attr{kernel}, in: []*tensor.Tensor{numbersOf(tensor.Float16, []float64{1, 2, 4, 9, 2, 1}, 1, 2, 3)}}.run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantTensor(t, "indices", got[1], mat([]int64{1, 2, 3, 4}, 1, 2, 2))
}

// Blocks of 2 with a step of 1 overlap in the middle: there bools join by or, and
// strings one after the other.
func TestCol2ImOtherTypes(t *testing.T) {
	image, block := vec[int64](1, 3), vec[int64](1, 2)
	for _, c := range []struct{ x, want *tensor.Tensor }{
		{mat([]bool{true, false, false, false}, 1, 2, 2), mat([]bool{true, false, false}, 1, 1, 1, 3)},
		{mat([]bool{false, true, true, false}, 1, 2, 2), mat([]bool{false, true, false}, 1, 1, 1, 3)},
		{mat([]string{"a", "b", "c", "d"}, 1, 2, 2), mat([]string{"a", "bc", "d"}, 1, 1, 1, 3)},
		{mat([]int32{1, 2, 3, 4}, 1, 2, 2), mat([]int32{1, 5, 4}, 1, 1, 1, 3)},
	} {
		got := nodeTest{op: "Col2Im", opset: 18, in: []*tensor.Tensor{c.x, image, block}}.one(t)
		wantTensor(t, "Col2Im "+c.x.DType().String(), got, c.want)
	}
}
