package difftest

import (
	"math"

	"gort/tensor"
)

// resizeGenerators call the operators that resample images.
var resizeGenerators = []Generator{
	{Op: "Resize", Make: resize},
	{Op: "Upsample", Make: upsample},
	{Op: "GridSample", Make: gridSample},
	{Op: "AffineGrid", Make: affineGrid},
}

// image draws a shape whose last dimensions a filter changes: two behind batch and
// channels, or nothing else, as ONNX Runtime's kernels want it. free is how many
// leading dimensions stay as they are.
func (g *G) image() (shape []int, free int) {
	shape = []int{g.Between(1, 2), g.Between(1, 3), g.Between(1, 7), g.Between(1, 7)}
	if g.OneIn(4) {
		return shape[2:], 0
	}
	return shape, 2
}

// factors draws what each dimension is scaled by. Where a size does not change, the
// factor is 1: ONNX Runtime copies what has the same shape, whatever the factors say.
func (g *G) factors(shape []int, free int, allowed func(size int, by float32) bool) []float32 {
	out := make([]float32, len(shape))
	for i, n := range shape {
		out[i] = 1
		if i < free {
			continue
		}
		by := Pick[float32](g, 0.5, 0.75, 1, 1.25, 2, 2.5, 4)
		if m := int(float32(n) * by); m > 0 && m != n && allowed(n, by) {
			out[i] = by
		}
	}
	return out
}

// grows allows what Upsample can, divides what makes a whole number of elements.
func grows(_ int, by float32) bool   { return by >= 1 }
func divides(n int, by float32) bool { return float32(n)*by == float32(int(float32(n)*by)) }

func floats(list []float32) *tensor.Tensor { return fromSlice(list, []int{len(list)}) }

func upsample(g *G) {
	d, mode := g.DType("T"), Pick(g, "nearest", "linear")
	if d.Class() != tensor.ClassFloat {
		mode = "nearest" // means of integers are cut, where rounding errors show
	}
	shape, free := g.image()
	if g.Since() == 1 {
		shape, free = append([]int{1, 2}, shape[len(shape)-2:]...), 2
		if mode == "linear" {
			mode = "bilinear"
		}
	}
	factors := g.factors(shape, free, grows)
	x := g.Tensor(d, shape...)
	fill := func(g *G, mode string) {
		g.In(x)
		if mode != "nearest" || g.Maybe() {
			g.Attr("mode", mode)
		}
	}
	fill(g, mode)
	switch g.Since() {
	case 1:
		g.Attr("height_scale", factors[2])
		g.Attr("width_scale", factors[3])
		if mode == "bilinear" {
			mode = "linear"
		}
		t := g.Twin("Upsample", 9)
		fill(t, mode)
		t.Const(floats(factors))
	case 7:
		g.Attr("scales", factors)
	case 9:
		g.Either(floats(factors))
	case 10: // deprecated in favour of Resize, and the same as before
		g.Either(floats(factors))
		g.AskVersion(9)
	}
}

func resize(g *G) {
	variable := "T1"
	if g.Since() == 10 {
		variable = "T"
	}
	d := g.DType(variable)
	modes := []string{"nearest", "linear", "cubic"}
	switch {
	case d.Class() != tensor.ClassFloat:
		modes = modes[:1] // means of integers are cut, where rounding errors show
	case g.Since() == 10:
		modes = modes[:2]
	}
	mode := Pick(g, modes...)
	shape, free := g.image()
	g.In(g.Range(d, 0, 8, shape...))
	if mode != "nearest" || g.Maybe() {
		g.Attr("mode", mode)
	}
	if g.Since() == 10 {
		g.Either(floats(g.factors(shape, free, func(int, float32) bool { return true })))
		return
	}
	coordinates := []string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}
	switch {
	case g.Since() >= 19:
		coordinates = append(coordinates, "half_pixel_symmetric")
	case g.Since() == 11:
		coordinates = append(coordinates, "tf_half_pixel_for_nn")
	}
	by := Pick(g, coordinates...)
	roi, roiType := g.OneIn(5), tensor.Float32
	if g.Forces("T2") {
		roi, roiType = true, g.DType("T2")
	}
	if roi {
		by = "tf_crop_and_resize"
		g.MaybeAttr("extrapolation_value", float32(2.5))
	}
	// Where a factor does not make a whole number of elements, ONNX's suite has these
	// modes compute with the fractional length, and ONNX Runtime with the whole one.
	factors := g.factors(shape, free, divides)
	if by == "half_pixel" || by == "asymmetric" || by == "half_pixel_symmetric" {
		factors = g.factors(shape, free, func(int, float32) bool { return true })
	}
	if by != "half_pixel" || g.Maybe() {
		g.Attr("coordinate_transformation_mode", by)
	}
	if mode == "nearest" {
		g.MaybeAttr("nearest_mode", Pick(g, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"))
	}
	antialias := g.Since() >= 18 && mode != "nearest" && !roi && g.OneIn(3)
	if antialias {
		g.Attr("antialias", 1)
	}
	if mode == "cubic" {
		g.MaybeAttr("cubic_coeff_a", float32(-0.5))
		if !roi {
			g.MaybeAttr("exclude_outside", g.IntN(2))
		}
	}
	// The operands speak of all dimensions, or of those of the attribute axes.
	axes := make([]int, 0, len(shape))
	for i := range shape {
		axes = append(axes, i)
	}
	if g.Since() >= 18 && g.OneIn(3) {
		axes = axes[free:]
		if g.Maybe() {
			axes[0], axes[1] = axes[1], axes[0]
		}
		g.Attr("axes", axes)
	}
	if roi {
		corners := make([]float64, 2*len(axes))
		for i, a := range axes {
			corners[i+len(axes)] = 1
			if factors[a] != 1 { // else ONNX Runtime crops nothing
				corners[i], corners[i+len(axes)] = Pick(g, 0, 0.25, -0.25), Pick(g, 0.5, 0.75, 1.25)
			}
		}
		g.Either(tensor.Must(tensor.Convert(fromSlice(corners, []int{len(corners)}), roiType, tensor.ConvertOptions{})))
	} else if g.Since() == 11 {
		g.Const(floats(nil))
	} else {
		g.Omit()
	}
	if g.Maybe() {
		list := make([]float32, len(axes))
		for i, a := range axes {
			list[i] = factors[a]
		}
		g.Either(floats(list))
		return
	}
	sizes := make([]int, len(axes))
	for i, a := range axes {
		sizes[i] = max(1, int(math.Floor(float64(factors[a])*float64(shape[a]))))
	}
	if g.Since() == 11 {
		g.Const(floats(nil))
	} else {
		g.Omit()
	}
	g.Either(Ints(tensor.Int64, sizes...))
	if g.Since() >= 18 && len(axes) == len(shape)-free && by == "half_pixel" {
		g.MaybeAttr("keep_aspect_ratio_policy", Pick(g, "stretch", "not_larger", "not_smaller"))
	}
}

func gridSample(g *G) {
	d, dg := g.DType("T1"), g.DType("T2")
	modes := []string{"bilinear", "nearest", "bicubic"}
	rank := 2
	if g.Since() >= 20 {
		modes = []string{"linear", "nearest", "cubic"}
		rank = g.Between(2, 3)
	}
	if rank == 3 {
		modes = modes[:2] // the specification has cubic for two dimensions
	}
	mode, padding := Pick(g, modes...), Pick(g, "zeros", "border", "reflection")
	if d.Class() != tensor.ClassFloat {
		mode = "nearest"
	}
	if mode == "bicubic" || mode == "cubic" {
		// ONNX Runtime moves the sample itself to the border, the specification each of
		// the 16 pixels around it.
		padding = "zeros"
	}
	batch := g.Between(1, 2)
	in, out := []int{batch, g.Between(1, 3)}, []int{batch}
	for range rank {
		in, out = append(in, g.Between(2, 5)), append(out, g.Between(1, 4))
	}
	g.In(g.Tensor(d, in...))
	grid := g.Range(dg, -1.5, 1.5, append(out, rank)...)
	g.In(grid)
	if mode != modes[0] || g.Maybe() {
		g.Attr("mode", mode)
	}
	if padding != "zeros" || g.Maybe() {
		g.Attr("padding_mode", padding)
	}
	g.MaybeAttr("align_corners", g.IntN(2))
}

func affineGrid(g *G) {
	d, rank := g.DType("T1"), g.Between(2, 3)
	batch := g.Between(1, 3)
	size := []int{batch, g.Between(1, 3)}
	for range rank {
		size = append(size, g.Between(2, 5))
	}
	g.In(g.Range(d, -1, 1, batch, rank, rank+1))
	g.Either(Ints(tensor.Int64, size...))
	g.MaybeAttr("align_corners", g.IntN(2))
}
