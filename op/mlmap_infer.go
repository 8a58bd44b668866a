package op

import (
	"fmt"

	"gort/graph"
	"gort/tensor"
)

func inferCastMap(c *Context) error {
	to, ok := map[string]tensor.DType{"TO_FLOAT": tensor.Float32, "TO_STRING": tensor.String, "TO_INT64": tensor.Int64}[c.String("cast_to")]
	if !ok {
		return c.AttrErrorf("cast_to", "is %q, allowed are TO_FLOAT, TO_STRING, TO_INT64", c.String("cast_to"))
	}
	c.SetDType(0, to)
	n := graph.Dim{}
	switch c.String("map_form") {
	case "DENSE":
	case "SPARSE":
		if c.Int("max_map") < 1 {
			return c.AttrErrorf("max_map", "is %d, must be positive", c.Int("max_map"))
		}
		n = graph.Known(c.Int("max_map"))
	default:
		return c.AttrErrorf("map_form", "is %q, allowed are DENSE, SPARSE", c.String("map_form"))
	}
	c.SetDims(0, graph.Known(1), n)
	return nil
}

// swapLabelType gives output 0 the other of string and int64 and input 0's shape.
func (c *Context) swapLabelType() {
	switch c.DType(0) {
	case tensor.String:
		c.SetDType(0, tensor.Int64)
	case tensor.Int64:
		c.SetDType(0, tensor.String)
	}
	if c.DType(0) != tensor.Undefined {
		c.SetShape(0, c.Shape(0))
	}
}

func inferCategoryMapper(c *Context) error {
	if i, s := len(c.Attrs.Ints("cats_int64s")), len(c.Strings("cats_strings")); i != s {
		return c.AttrErrorf("cats_int64s", "has %d elements, cats_strings has %d", i, s)
	}
	c.swapLabelType()
	return nil
}

func inferDictVectorizer(c *Context) error {
	ints, strings := len(c.Attrs.Ints("int64_vocabulary")), len(c.Strings("string_vocabulary"))
	if (ints == 0) == (strings == 0) {
		return c.AttrErrorf("int64_vocabulary", "has %d elements and string_vocabulary %d, one of them must name the keys", ints, strings)
	}
	t := c.Type(0)
	if t.Kind != tensor.KindMap || t.Elem == nil {
		return nil
	}
	if (t.Key == tensor.String) != (strings > 0) {
		return c.InputErrorf(0, "is %v, the vocabulary is of another type", t)
	}
	c.SetDType(0, t.Elem.DType)
	c.SetDims(0, graph.Known(1), graph.Known(max(ints, strings)))
	return nil
}

func inferLabelEncoder1(c *Context) error {
	c.swapLabelType()
	return nil
}

// LabelList returns the attribute that holds the keys or values of a LabelEncoder
// (prefix "keys" or "values") as a tensor, and its name.
func LabelList(a Attrs, prefix string) (string, *tensor.Tensor, error) {
	name, list := "", (*tensor.Tensor)(nil)
	set := func(n string, t *tensor.Tensor, err error) error {
		if err == nil && list != nil {
			err = fmt.Errorf("is given together with %s, only one may be", name)
		}
		name, list = n, t
		return err
	}
	if s := a.Strings(prefix + "_strings"); len(s) > 0 {
		t, err := tensor.FromSlice(s)
		if err := set(prefix+"_strings", t, err); err != nil {
			return name, nil, err
		}
	}
	if s := a.Ints(prefix + "_int64s"); len(s) > 0 {
		t, err := tensor.FromSlice(s)
		if err := set(prefix+"_int64s", t, err); err != nil {
			return name, nil, err
		}
	}
	if s := a.Floats(prefix + "_floats"); len(s) > 0 {
		t, err := tensor.FromSlice(s)
		if err := set(prefix+"_floats", t, err); err != nil {
			return name, nil, err
		}
	}
	if t := a.Tensor(prefix + "_tensor"); t != nil {
		if err := set(prefix+"_tensor", t, nil); err != nil {
			return name, nil, err
		}
	}
	if list == nil {
		return prefix + "_strings", nil, fmt.Errorf("and the other lists of %s are empty", prefix)
	}
	return name, list, nil
}

func inferLabelEncoder(c *Context) error {
	name, keys, err := LabelList(c.Attrs, "keys")
	if err != nil {
		return c.AttrErrorf(name, "%v", err)
	}
	valuesName, values, err := LabelList(c.Attrs, "values")
	if err != nil {
		return c.AttrErrorf(valuesName, "%v", err)
	}
	if keys.Size() != values.Size() {
		return c.AttrErrorf(name, "has %d elements, %s has %d", keys.Size(), valuesName, values.Size())
	}
	if d := c.DType(0); d != tensor.Undefined && d != keys.DType() {
		return c.InputErrorf(0, "is %v, the keys are %v", d, keys.DType())
	}
	c.SetDType(0, values.DType())
	c.SetShape(0, c.Shape(0))
	return nil
}

func inferZipMap(c *Context) error {
	ints, strings := len(c.Attrs.Ints("classlabels_int64s")), len(c.Strings("classlabels_strings"))
	if (ints == 0) == (strings == 0) {
		return c.AttrErrorf("classlabels_int64s", "has %d elements and classlabels_strings %d, one of them must name the keys", ints, strings)
	}
	s := c.Shape(0)
	if r, ok := s.Rank(); ok {
		if r < 1 || r > 2 {
			return c.InputErrorf(0, "shape %v has rank %d, must be 1 or 2", s, r)
		}
		if n, ok := s.Dim(-1).Size(); ok && n != max(ints, strings) {
			return c.InputErrorf(0, "shape %v has %d columns, there are %d keys", s, n, max(ints, strings))
		}
	}
	key := tensor.Int64
	if strings > 0 {
		key = tensor.String
	}
	c.SetType(0, graph.SequenceType(graph.MapType(key, graph.TensorType(tensor.Float32, graph.ShapeOf()))))
	return nil
}
