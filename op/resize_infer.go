package op

import (
	"math"
	"slices"

	"gort/graph"
	"gort/tensor"
)

// ResizeTarget is what a Resize or Upsample makes of the dimensions of its input.
type ResizeTarget struct {
	Out   []graph.Dim
	Scale []float64 // out/in of each dimension; NaN where it is not known yet
}

// NewResizeTarget applies scales, or sizes when scales is nil, to an input. They
// stand for all dimensions, or for those of the attribute axes.
func NewResizeTarget(a Attrs, in []graph.Dim, scales []float32, sizes *Ints) (*ResizeTarget, error) {
	axes, err := resizeAxes(a, len(in))
	if err != nil {
		return nil, err
	}
	t := &ResizeTarget{Out: slices.Clone(in), Scale: make([]float64, len(in))}
	for i := range t.Scale {
		t.Scale[i] = 1
	}
	if scales != nil {
		return t, t.applyScales(a, axes, in, scales)
	}
	return t, t.applySizes(a, axes, in, sizes)
}

// resizeAxes returns the dimensions that scales, sizes and roi speak of.
func resizeAxes(a Attrs, rank int) ([]int, error) {
	given := a.Ints("axes")
	if len(given) == 0 {
		axes := make([]int, rank)
		for i := range axes {
			axes[i] = i
		}
		return axes, nil
	}
	axes := make([]int, len(given))
	for i, v := range given {
		d, err := tensor.Axis(int(v), rank)
		if err != nil {
			return nil, nodeError(a.Node, "attribute axes", "%v", err)
		}
		if slices.Contains(axes[:i], d) {
			return nil, nodeError(a.Node, "attribute axes", "is %v, which names axis %d twice", given, d)
		}
		axes[i] = d
	}
	return axes, nil
}

func (t *ResizeTarget) applyScales(a Attrs, axes []int, in []graph.Dim, scales []float32) error {
	if len(scales) != len(axes) {
		return nodeError(a.Node, "scales", "are %v, must be %d", scales, len(axes))
	}
	for i, s := range scales {
		d := axes[i]
		if !(s > 0) || s > maxExtent {
			return nodeError(a.Node, "scales", "are %v, each must be positive and at most %d", scales, maxExtent)
		}
		t.Scale[d] = float64(s)
		n, ok := in[d].Size()
		switch {
		case ok:
			out := math.Floor(float64(n) * float64(s))
			if out > maxExtent {
				return nodeError(a.Node, "scales", "are %v, which makes %d elements more than %d", scales, n, maxExtent)
			}
			t.Out[d] = graph.Known(int(out))
		case s != 1:
			t.Out[d] = graph.Dim{}
		}
	}
	return nil
}

func (t *ResizeTarget) applySizes(a Attrs, axes []int, in []graph.Dim, sizes *Ints) error {
	if sizes == nil {
		for _, d := range axes {
			t.Out[d], t.Scale[d] = graph.Dim{}, math.NaN()
		}
		return nil
	}
	if len(sizes.Elems) != len(axes) {
		return nodeError(a.Node, "sizes", "have %d elements, must be %d", len(sizes.Elems), len(axes))
	}
	policy := a.String("keep_aspect_ratio_policy")
	all := math.NaN()
	for i, e := range sizes.Elems {
		d := axes[i]
		v, known := e.Value()
		if known && (v < 0 || v > maxExtent) {
			return nodeError(a.Node, "sizes", "element %d is %d, must be in [0, %d]", i, v, maxExtent)
		}
		t.Out[d], t.Scale[d] = e.Dim(), math.NaN()
		if n, ok := in[d].Size(); ok && known {
			if n == 0 && v != 0 {
				return nodeError(a.Node, "sizes", "element %d is %d, but the input has no elements in dimension %d", i, v, d)
			}
			t.Scale[d] = 1
			if n > 0 {
				t.Scale[d] = float64(v) / float64(n)
			}
		}
		switch {
		case i == 0 || math.IsNaN(t.Scale[d]):
			all = t.Scale[d]
		case policy == "not_larger":
			all = math.Min(all, t.Scale[d])
		case policy == "not_smaller":
			all = math.Max(all, t.Scale[d])
		}
	}
	if policy != "not_larger" && policy != "not_smaller" {
		return nil
	}
	for _, d := range axes {
		t.Out[d], t.Scale[d] = graph.Dim{}, all
		if n, ok := in[d].Size(); ok && !math.IsNaN(all) {
			out := math.Floor(float64(n)*all + 0.5)
			if out > maxExtent {
				return nodeError(a.Node, "sizes", "make %d elements %g, more than %d", n, out, maxExtent)
			}
			t.Out[d] = graph.Known(int(out))
		}
	}
	return nil
}

// resizeInputs says where a version of Resize has its inputs; -1 is nowhere.
func resizeInputs(since int) (roi, scales, sizes int) {
	if since < 11 {
		return -1, 1, -1
	}
	return 1, 2, 3
}

// FloatsOf returns a float tensor's elements, widened or narrowed to float32.
func FloatsOf(t *tensor.Tensor) ([]float32, error) {
	t, err := tensor.Convert(t, tensor.Float32, tensor.ConvertOptions{})
	if err != nil {
		return nil, err
	}
	return tensor.Elements[float32](t), nil
}

// given reports whether an optional input of Resize is there: empty ones stand
// for omitted ones.
func (c *Context) givenResize(i int) bool {
	return i >= 0 && c.HasInput(i) && !c.Shape(i).Dim(0).Is(0)
}

var resizeModes = map[string][]string{
	"mode":                           {"nearest", "linear", "cubic", "bilinear"},
	"coordinate_transformation_mode": {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"},
	"nearest_mode":                   {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
	"keep_aspect_ratio_policy":       {"stretch", "not_larger", "not_smaller"},
}

// oneOf checks a string attribute, where the definition has it.
func (c *Context) oneOf(name string, allowed []string) error {
	if c.sig.Attr(name) == nil || slices.Contains(allowed, c.String(name)) {
		return nil
	}
	return c.AttrErrorf(name, "is %q, allowed are %v", c.String(name), allowed)
}

func inferResize(c *Context) error {
	for name, allowed := range resizeModes {
		if err := c.oneOf(name, allowed); err != nil {
			return err
		}
	}
	roi, scalesAt, sizesAt := resizeInputs(c.Def.Since)
	for _, i := range []int{scalesAt, sizesAt} {
		if i >= 0 && c.HasInput(i) {
			if err := c.WantRank(i, 1); err != nil {
				return err
			}
		}
	}
	hasScales, hasSizes := c.givenResize(scalesAt), c.givenResize(sizesAt)
	if hasScales && hasSizes {
		if c.Shape(scalesAt).Dim(0).IsKnown() && c.Shape(sizesAt).Dim(0).IsKnown() {
			return c.Errorf("both scales and sizes are given, one of them has to be")
		}
		// One of them may turn out to be empty, which is the same as omitted.
		if r, ok := c.Shape(0).Rank(); ok {
			c.SetShape(0, graph.OfRank(r))
		}
		return nil
	}
	if !hasScales && !hasSizes {
		return c.Errorf("neither scales nor sizes are given, one of them has to be")
	}
	in := c.Shape(0)
	rank, ok := in.Rank()
	if !ok {
		return nil
	}
	if roi >= 0 && c.String("coordinate_transformation_mode") == "tf_crop_and_resize" {
		axes, err := resizeAxes(c.Attrs, rank)
		if err != nil {
			return err
		}
		if !c.HasInput(roi) {
			return c.InputErrorf(roi, "is required for tf_crop_and_resize")
		}
		if n, ok := c.Shape(roi).Dim(0).Size(); ok && n != 2*len(axes) {
			return c.InputErrorf(roi, "has %d elements, must have %d", n, 2*len(axes))
		}
	}
	if t := c.Const(scalesAt); hasScales && t != nil {
		scales, err := FloatsOf(t)
		if err != nil {
			return err
		}
		if len(scales) > 0 {
			return c.setResized(NewResizeTarget(c.Attrs, in.Dims(), scales, nil))
		}
	}
	if hasSizes {
		return c.setResized(NewResizeTarget(c.Attrs, in.Dims(), nil, c.Ints(sizesAt)))
	}
	return c.setResized(NewResizeTarget(c.Attrs, in.Dims(), nil, nil))
}

func (c *Context) setResized(t *ResizeTarget, err error) error {
	if err == nil {
		c.SetDims(0, t.Out...)
	}
	return err
}

// UpsampleScales returns the scales that an Upsample has as attributes, nil
// when they are an input.
func UpsampleScales(a Attrs) []float32 {
	switch a.Def.Since {
	case 1:
		return []float32{1, 1, a.Float("height_scale"), a.Float("width_scale")}
	case 7:
		return a.Floats("scales")
	}
	return nil
}

func inferUpsample(c *Context) error {
	if err := c.oneOf("mode", []string{"nearest", "linear", "bilinear"}); err != nil {
		return err
	}
	in := c.Shape(0)
	if c.Def.Since == 1 {
		if err := c.WantRank(0, 4); err != nil {
			return err
		}
	}
	if !in.IsRanked() {
		return nil
	}
	scales := UpsampleScales(c.Attrs)
	if t := c.Const(1); scales == nil && t != nil {
		var err error
		if scales, err = FloatsOf(t); err != nil {
			return err
		}
	}
	if scales == nil && c.Def.Since == 7 {
		scales = []float32{}
	}
	for _, s := range scales {
		if !(s >= 1) {
			return c.Errorf("scales are %v, each must be 1 or more", scales)
		}
	}
	return c.setResized(NewResizeTarget(c.Attrs, in.Dims(), scales, nil))
}

// inferGridSample gives (N, C, the grid's positions…).
func inferGridSample(c *Context) error {
	modes := []string{"linear", "nearest", "cubic"}
	planar := c.Def.Since < 20
	if planar {
		modes = []string{"bilinear", "nearest", "bicubic"}
	}
	if err := c.oneOf("mode", modes); err != nil {
		return err
	}
	if err := c.oneOf("padding_mode", []string{"zeros", "border", "reflection"}); err != nil {
		return err
	}
	x, g := c.Shape(0), c.Shape(1)
	rank, ok := x.Rank()
	if !ok {
		rank, ok = g.Rank()
	}
	if !ok {
		return nil
	}
	if rank < 3 || planar && rank != 4 {
		return c.InputErrorf(0, "has rank %d, the operator needs 4 (3 or more from version 20 on)", rank)
	}
	if err := c.WantRank(1, rank); err != nil {
		return err
	}
	if n, ok := g.Dim(-1).Size(); ok && n != rank-2 {
		return c.InputErrorf(1, "shape %v has positions of %d coordinates, the input has %d spatial dimensions", g, n, rank-2)
	}
	batch, ok := graph.MergeDim(x.Dim(0), g.Dim(0))
	if !ok {
		return c.InputErrorf(1, "shape %v does not have the batch of the input %v", g, x)
	}
	dims := []graph.Dim{batch, x.Dim(1)}
	for i := 1; i < rank-1; i++ {
		dims = append(dims, g.Dim(i))
	}
	c.SetDims(0, dims...)
	return nil
}

// inferAffineGrid gives (N, spatial sizes…, coordinates) for size (N, C, sizes…).
func inferAffineGrid(c *Context) error {
	if err := c.WantRank(0, 3); err != nil {
		return err
	}
	if err := c.WantRank(1, 1); err != nil {
		return err
	}
	size := c.Ints(1)
	if size == nil {
		return nil
	}
	n := len(size.Elems) - 2
	if n != 2 && n != 3 {
		return c.InputErrorf(1, "has %d elements, must have 4 or 5", len(size.Elems))
	}
	theta := c.Shape(0)
	for i, want := range []int{n, n + 1} {
		if d, ok := theta.Dim(1 + i).Size(); ok && d != want {
			return c.InputErrorf(0, "shape %v must be (N, %d, %d)", theta, n, n+1)
		}
	}
	for i, e := range size.Elems {
		if v, ok := e.Value(); ok && (v < 0 || v > maxExtent) {
			return c.InputErrorf(1, "element %d is %d, must be in [0, %d]", i, v, maxExtent)
		}
	}
	batch, ok := graph.MergeDim(size.Elems[0].Dim(), theta.Dim(0))
	if !ok {
		return c.InputErrorf(1, "is for a batch of %v, theta %v has %v", size.Elems[0].Dim(), theta, theta.Dim(0))
	}
	dims := []graph.Dim{batch}
	for _, e := range size.Elems[2:] {
		dims = append(dims, e.Dim())
	}
	c.SetDims(0, append(dims, graph.Known(n))...)
	return nil
}
