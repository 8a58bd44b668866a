package difftest

import (
	"math"

	"gort/tensor"
)

// contribTensorGenerators call the rearranging and sampling operators that ONNX Runtime
// adds, and those of ai.onnx that it kept. Rfft, Irfft, ComplexMul, ComplexMulConj and
// IsAllFinite have no CPU kernel there.
var contribTensorGenerators = []Generator{
	{Domain: microsoft, Op: "ExpandDims", Make: func(g *G) {
		shape := g.Shape(1, 4)
		g.In(g.Tensor(g.DType("T"), shape...))
		// ONNX Runtime holds the axis against the number of elements.
		axis, n := g.Between(-len(shape)-1, len(shape)), 1
		for _, d := range shape {
			n *= d
		}
		g.In(Scalar(tensor.Int32, float64(min(max(axis, -n), n))))
	}},
	{Domain: microsoft, Op: "GatherND", Make: contribGatherND},
	{Domain: microsoft, Op: "Pad", Make: contribPad},
	{Domain: microsoft, Op: "Range", Make: contribRange},
	{Domain: microsoft, Op: "Trilu", Make: func(g *G) {
		g.In(g.Tensor(g.DType("T"), g.Shape(2, 4)...))
		if g.Maybe() {
			g.Either(Scalar(tensor.Int64, float64(g.Between(-5, 5))))
		}
		g.MaybeAttr("upper", g.Maybe())
	}},
	{Domain: microsoft, Op: "Unique", Make: func(g *G) {
		d := g.DType("T")
		if !g.Forces("T") && !g.OneIn(4) {
			d = tensor.Float32 // the only type that ONNX Runtime has
		}
		g.In(g.Range(d, 0, 1, g.Dim()*g.Between(1, 3)))
	}},
	{Domain: microsoft, Op: "UnfoldTensor", Make: func(g *G) {
		shape := g.Sizes(1, 4)
		axis := g.Axis(len(shape))
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Attr("size", g.Between(1, shape[(axis+len(shape))%len(shape)]))
		g.MaybeAttr("step", g.Between(1, 4))
		if axis != -1 || g.Maybe() {
			g.Attr("dim", axis)
		}
	}},
	{Domain: microsoft, Op: "SampleOp", Make: func(g *G) { g.In(g.Tensor(g.DType("T"), g.Shape(0, 4)...)) }},
	{Domain: microsoft, Op: "GridSample", Make: contribGridSample},
	{Domain: microsoft, Op: "CropAndResize", Make: cropAndResize},
	{Domain: microsoft, Op: "Rfft", Make: func(g *G) { fourier(g, false) }},
	{Domain: microsoft, Op: "Irfft", Make: func(g *G) { fourier(g, true) }},
	{Domain: microsoft, Op: "ComplexMul", Make: complexMul},
	{Domain: microsoft, Op: "ComplexMulConj", Make: complexMul},
	{Domain: microsoft, Op: "IsAllFinite", Make: isAllFinite},
	{Op: "DynamicSlice", Make: dynamicSlice},
	{Op: "Crop", Make: crop},
	{Op: "ImageScaler", Make: func(g *G) {
		shape := g.Shape(4, 4)
		g.In(g.Tensor(g.DType("T"), shape...))
		g.Attr("scale", float32(g.fraction(-2, 2)))
		bias := make([]float32, shape[1])
		for i := range bias {
			bias[i] = float32(g.fraction(-2, 2))
		}
		if len(bias) > 0 {
			g.Attr("bias", bias)
		}
	}},
}

func contribGatherND(g *G) {
	d, at := g.DType("T"), g.DType("Tind")
	shape := g.Sizes(1, 4)
	depth := g.Between(1, len(shape))
	tuples := g.Shape(0, 2)
	n := 1
	for _, k := range tuples {
		n *= k
	}
	list := make([]int, 0, n*depth)
	for range n {
		for k := range depth {
			list = append(list, g.Between(-shape[k], shape[k]-1))
		}
	}
	indices := tensor.Must(Ints(at, list...).Reshape(append(tuples, depth)...))
	g.In(g.Tensor(d, shape...))
	g.Either(indices)
}

func contribPad(g *G) {
	d, shape := g.DType("T"), g.Sizes(1, 4)
	mode := Pick(g, "constant", "reflect", "edge")
	pads := make([]int, 2*len(shape))
	for i := range pads {
		switch n := shape[i%len(shape)]; {
		case mode == "reflect":
			pads[i] = g.Between(0, min(n-1, 3))
		case mode == "constant" && g.OneIn(4):
			pads[i] = -g.Between(0, n/2)
		default:
			pads[i] = g.Between(0, 3)
		}
	}
	list := Ints(tensor.Int64, pads...)
	if g.OneIn(3) {
		list = tensor.Must(list.Reshape(1, len(pads)))
	}
	g.In(g.Tensor(d, shape...))
	g.Either(list)
	if g.Maybe() {
		g.Either(g.Tensor(d, [][]int{{}, {1}}[g.IntN(2)]...))
	}
	if mode != "constant" || g.Maybe() {
		g.Attr("mode", mode)
	}
}

func contribRange(g *G) {
	d := g.DType("T")
	shape := [][]int{{}, {1}}[g.IntN(2)]
	one := func(v float64) *tensor.Tensor {
		return tensor.Must(Scalar(d, v).Reshape(shape...))
	}
	draw := func() float64 {
		if d.Class() == tensor.ClassFloat {
			return g.fraction(-9, 9)
		}
		return float64(g.Between(-30, 30))
	}
	g.In(one(draw()))
	g.Either(one(draw()))
	if g.Maybe() {
		delta := draw() / 4
		if d.Class() != tensor.ClassFloat {
			delta = math.Trunc(delta)
		}
		if delta == 0 {
			delta = 1
		}
		g.Either(one(delta))
	}
}

func contribGridSample(g *G) {
	d := g.DType("T1")
	n, h, w := g.Between(1, 3), g.Between(1, 5), g.Between(1, 5)
	g.In(g.Tensor(d, n, g.Between(1, 3), g.Between(1, 6), g.Between(1, 6)))
	g.In(g.Range(d, -1.5, 1.5, n, h, w, 2))
	g.MaybeAttr("mode", Pick(g, "bilinear", "nearest", "bicubic"))
	g.MaybeAttr("padding_mode", Pick(g, "zeros", "border", "reflection"))
	g.MaybeAttr("align_corners", g.Maybe())
}

func cropAndResize(g *G) {
	d := g.DType("T1")
	n, regions := g.Between(1, 3), g.Between(0, 4)
	g.In(g.Tensor(d, n, g.Between(1, 3), g.Between(1, 6), g.Between(1, 6)))
	g.In(g.Range(d, -0.25, 1.25, regions, 4))
	g.In(g.Range(tensor.Int32, 0, float64(n-1), regions))
	g.Either(Ints(tensor.Int32, g.Between(1, 5), g.Between(1, 5)))
	g.MaybeAttr("mode", Pick(g, "bilinear", "nearest"))
	g.MaybeAttr("extrapolation_value", float32(g.fraction(-2, 2)))
}

// fourier draws a signal of one to three dimensions, or half of the spectrum of one.
func fourier(g *G, inverse bool) {
	d, n := g.DType("T"), g.Between(1, 3)
	shape := g.Sizes(n, n+1)
	if inverse {
		shape[len(shape)-1] = max(shape[len(shape)-1], 2)
		shape = append(shape, 2)
	}
	g.In(g.Tensor(d, shape...))
	if inverse || n > 1 || g.Maybe() {
		g.Attr("signal_ndim", n)
	}
	g.MaybeAttr("onesided", 1)
	g.MaybeAttr("normalized", 0)
}

func complexMul(g *G) {
	d, shape := g.DType("T"), append(g.Shape(0, 3), 2)
	other := append(g.Broadcastable(shape[:len(shape)-1]), 2)
	if g.Maybe() {
		shape, other = other, shape
	}
	g.In(g.Tensor(d, shape...))
	g.Either(g.Tensor(d, other...))
}

// isAllFinite now and then puts a number that is not finite somewhere.
func isAllFinite(g *G) {
	d := g.DType("V")
	for range g.Between(1, 3) {
		t := tensor.Must(tensor.Convert(g.Tensor(d, g.Shape(0, 3)...), tensor.Float64, tensor.ConvertOptions{}))
		if list := tensor.Elements[float64](t); len(list) > 0 && g.OneIn(3) {
			list[g.IntN(len(list))] = Pick(g, math.NaN(), math.Inf(1), math.Inf(-1))
		}
		g.In(tensor.Must(tensor.Convert(t, d, tensor.ConvertOptions{})))
	}
	switch g.IntN(3) {
	case 0:
		g.Attr("isinf_only", 1)
	case 1:
		g.Attr("isnan_only", 1)
	}
}

func dynamicSlice(g *G) {
	d, at, shape := g.DType("T"), g.DType("Tind"), g.Shape(1, 4)
	axes := g.Axes(len(shape), g.Between(1, len(shape)))
	all := g.Maybe()
	if all {
		axes = axes[:0]
		for i := range shape {
			axes = append(axes, i)
		}
	}
	starts, ends := make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		n := shape[(a+len(shape))%len(shape)]
		starts[i], ends[i] = g.Between(-n-1, n+1), g.Between(-n-1, n+1)
		if g.OneIn(3) {
			ends[i] = math.MaxInt32
		}
	}
	g.In(g.Tensor(d, shape...))
	g.Either(Ints(at, starts...))
	g.Either(Ints(at, ends...))
	if !all {
		g.Either(Ints(at, axes...))
	}
}

func crop(g *G) {
	shape := []int{g.Dim(), g.Size(), g.Between(2, 7), g.Between(2, 7)}
	border := make([]int, 4)
	for i := range border {
		border[i] = g.Between(0, shape[3-i%2]/2)
	}
	g.In(g.Tensor(g.DType("T"), shape...))
	g.Attr("border", border)
	if g.Maybe() {
		g.Attr("scale", []int{g.Between(1, shape[2]-border[1]), g.Between(1, shape[3]-border[0])})
	}
}
