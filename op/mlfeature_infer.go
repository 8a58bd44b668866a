package op

import (
	"gort/graph"
	"gort/tensor"
)

// inferSameShape gives output 0 the shape of input 0.
func inferMLSameShape(c *Context) error {
	c.SetShape(0, c.Shape(0))
	return nil
}

// inferArrayFeatureExtractor picks columns: a vector counts as one row.
func inferArrayFeatureExtractor(c *Context) error {
	x, y := c.Shape(0), c.Shape(1)
	r, ok := x.Rank()
	if !ok {
		return nil
	}
	if r == 0 {
		return c.InputErrorf(0, "is a scalar, must have at least one dimension")
	}
	picked := graph.Dim{}
	if y.IsRanked() {
		picked = product(y.Dims())
	}
	if r == 1 {
		c.SetDims(0, graph.Known(1), picked)
		return nil
	}
	c.SetDims(0, append(append([]graph.Dim{}, x.Dims()[:r-1]...), picked)...)
	return nil
}

// inferFeatureVectorizer puts inputs side by side, each with as many columns as
// inputdimensions says, or as it has.
func inferFeatureVectorizer(c *Context) error {
	sizes := c.Attrs.Ints("inputdimensions")
	if c.Has("inputdimensions") && len(sizes) != c.NumInputs() {
		return c.AttrErrorf("inputdimensions", "has %d elements for %d inputs", len(sizes), c.NumInputs())
	}
	rows, columns := graph.Dim{}, graph.Known(0)
	for i := range c.NumInputs() {
		s := c.Shape(i)
		n, d := graph.Dim{}, graph.Dim{}
		if r, ok := s.Rank(); ok {
			switch {
			case r == 0:
				return c.InputErrorf(i, "is a scalar, must be [N, C] or [C]")
			case r == 1:
				n, d = graph.Known(1), s.Dim(0)
			default:
				n, d = s.Dim(0), product(s.Dims()[1:])
			}
		}
		if sizes != nil {
			if sizes[i] < 0 || sizes[i] > 1<<31 {
				return c.AttrErrorf("inputdimensions", "element %d is %d, must not be negative", i, sizes[i])
			}
			d = graph.Known(int(sizes[i]))
		}
		merged, ok := graph.MergeDim(rows, n)
		if !ok {
			return c.InputErrorf(i, "has %v rows, an earlier input has %v", n, rows)
		}
		rows = merged
		a, okA := columns.Size()
		b, okB := d.Size()
		if columns = (graph.Dim{}); okA && okB {
			columns = graph.Known(a + b)
		}
	}
	c.SetDims(0, rows, columns)
	return nil
}

// perFeature checks an attribute that has one element for each feature or one for all.
func (c *Context) perFeature(name string, n int) error {
	s := c.Shape(0)
	if f, ok := s.Dim(-1).Size(); ok && n > 1 && n != f && f != 0 {
		return c.AttrErrorf(name, "has %d elements, input %v has %d features", n, s, f)
	}
	return nil
}

func inferImputer(c *Context) error {
	name, n := "imputed_value_int64s", len(c.Attrs.Ints("imputed_value_int64s"))
	if d := c.DType(0); d == tensor.Float32 || d == tensor.Float64 {
		name, n = "imputed_value_floats", len(c.Floats("imputed_value_floats"))
	} else if d == tensor.Undefined {
		n = max(n, len(c.Floats("imputed_value_floats")))
	}
	if n == 0 {
		return c.AttrErrorf(name, "is empty, but input 0 holds %v", c.DType(0))
	}
	c.SetShape(0, c.Shape(0))
	return c.perFeature(name, n)
}

func inferNormalizer(c *Context) error {
	if r, ok := c.Shape(0).Rank(); ok && (r < 1 || r > 2) {
		return c.InputErrorf(0, "shape %v has rank %d, must be 1 or 2", c.Shape(0), r)
	}
	c.SetShape(0, c.Shape(0))
	return nil
}

func inferScaler(c *Context) error {
	offset, scale := len(c.Floats("offset")), len(c.Floats("scale"))
	if offset == 0 || scale == 0 {
		return c.AttrErrorf("offset", "has %d elements and scale %d, both need some", offset, scale)
	}
	if offset != scale && offset != 1 && scale != 1 {
		return c.AttrErrorf("offset", "has %d elements, scale has %d", offset, scale)
	}
	c.SetShape(0, c.Shape(0))
	return c.perFeature("offset", max(offset, scale))
}

func inferOneHotEncoder(c *Context) error {
	ints, strings := len(c.Attrs.Ints("cats_int64s")), len(c.Strings("cats_strings"))
	if (ints == 0) == (strings == 0) {
		return c.AttrErrorf("cats_int64s", "has %d elements and cats_strings %d, one of them must name the categories", ints, strings)
	}
	if d := c.DType(0); d != tensor.Undefined && (d == tensor.String) != (strings > 0) {
		return c.InputErrorf(0, "is %v, the categories are of another type", d)
	}
	if s := c.Shape(0); s.IsRanked() {
		c.SetDims(0, append(append([]graph.Dim{}, s.Dims()...), graph.Known(max(ints, strings)))...)
	}
	return nil
}
