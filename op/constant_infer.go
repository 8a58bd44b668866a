package op

import (
	"math"

	"gort/graph"
	"gort/tensor"
)

// constantAttrs are the attributes of which a Constant has exactly one.
var constantAttrs = []string{"value", "sparse_value", "value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"}

// maxSparse bounds the dense form of a sparse constant, in bytes.
const maxSparse = 1 << 32

// constantAttr finds the attribute that gives a Constant's value.
func constantAttr(a Attrs) (string, error) {
	name := ""
	for _, n := range constantAttrs {
		if !a.Has(n) {
			continue
		}
		if name != "" {
			return "", nodeError(a.Node, "attribute "+n, "is given beside %s, exactly one value may be", name)
		}
		name = n
	}
	if name == "" {
		return "", nodeError(a.Node, "", "has no value, one of the attributes %v must be given", constantAttrs)
	}
	return name, nil
}

// ConstantValue returns the value of a Constant node.
func ConstantValue(a Attrs) (*tensor.Tensor, error) {
	name, err := constantAttr(a)
	if err != nil {
		return nil, err
	}
	switch name {
	case "value":
		if t := a.Tensor(name); t != nil {
			return t, nil
		}
		return nil, nodeError(a.Node, "attribute value", "holds no tensor")
	case "sparse_value":
		s := a.Sparse(name)
		if s == nil {
			return nil, nodeError(a.Node, "attribute sparse_value", "holds no sparse tensor")
		}
		return s.Dense(maxSparse)
	case "value_float":
		return tensor.Scalar(a.Float(name)), nil
	case "value_floats":
		return tensor.FromSlice(a.Floats(name))
	case "value_int":
		return tensor.Scalar(a.Int64(name)), nil
	case "value_ints":
		return tensor.FromSlice(a.Ints(name))
	case "value_string":
		return tensor.Scalar(a.String(name)), nil
	}
	return tensor.FromSlice(a.Strings(name))
}

func inferConstant(c *Context) error {
	name, err := constantAttr(c.Attrs)
	if err != nil {
		return err
	}
	if name == "sparse_value" {
		s := c.Sparse(name)
		if s == nil || s.Values == nil {
			return c.AttrErrorf(name, "holds no sparse tensor")
		}
		if err := c.wantConstantType(name, s.Values.DType()); err != nil {
			return err
		}
		c.SetDType(0, s.Values.DType())
		c.SetShape(0, graph.Fixed(s.Dims...))
		return nil
	}
	t, err := ConstantValue(c.Attrs)
	if err != nil {
		return err
	}
	if err := c.wantConstantType(name, t.DType()); err != nil {
		return err
	}
	c.SetConst(0, t)
	return nil
}

func (c *Context) wantConstantType(name string, d tensor.DType) error {
	if set := c.sig.Types["T"].Tensor; !set.Has(d) {
		return c.AttrErrorf(name, "is %v, version %d of the operator allows %v", d, c.Def.Since, set)
	}
	return nil
}

// inferConstantOfShape reads the shape from the input; the value is float32 0
// unless the attribute says otherwise.
func inferConstantOfShape(c *Context) error {
	if err := c.WantRank(0, 1); err != nil {
		return err
	}
	d := tensor.Float32
	value := c.Tensor("value")
	if value != nil {
		if value.Size() != 1 {
			return c.AttrErrorf("value", "has %d elements, must have one", value.Size())
		}
		d = value.DType()
		if set := c.sig.Types["T2"].Tensor; !set.Has(d) {
			return c.AttrErrorf("value", "is %v, version %d of the operator allows %v", d, c.Def.Since, set)
		}
	}
	c.SetDType(0, d)
	target := c.Ints(0)
	if target == nil {
		return nil
	}
	dims := make([]graph.Dim, len(target.Elems))
	for i, e := range target.Elems {
		if v, ok := e.Value(); ok && v < 0 {
			return c.InputErrorf(0, "element %d is %d, must not be negative", i, v)
		}
		dims[i] = e.Dim()
	}
	c.SetDims(0, dims...)
	if len(dims) > 1 || !wholeNumbers(d) {
		return nil
	}
	v, n := KnownInt(0), 1
	if value != nil {
		list, err := Int64s(value)
		if err != nil {
			return nil
		}
		v = KnownInt(list[0])
	}
	if len(dims) == 1 {
		var ok bool
		if n, ok = dims[0].Size(); !ok || n > maxInts {
			return nil
		}
	}
	out := &Ints{Scalar: len(dims) == 0, Elems: make([]Int, n)}
	for i := range out.Elems {
		out.Elems[i] = v
	}
	c.SetInts(0, out)
	return nil
}

func inferEyeLike(c *Context) error {
	if err := c.WantRank(0, 2); err != nil {
		return err
	}
	if err := c.attrDType("dtype", "T2", c.DType(0)); err != nil {
		return err
	}
	s := c.Shape(0)
	if !s.IsRanked() {
		s = graph.OfRank(2)
	}
	c.SetShape(0, s)
	return nil
}

// attrDType sets the first output's element type from an attribute that holds a
// number of TensorProto.DataType, or to def when the node does not give it and
// it has no default.
func (c *Context) attrDType(name, typeVar string, def tensor.DType) error {
	d := def
	if c.Has(name) || c.attrValue(name) != nil {
		v := c.Int64(name)
		d = tensor.DType(v)
		if set := c.sig.Types[typeVar].Tensor; int64(d) != v || !d.Valid() || !set.Has(d) {
			return c.AttrErrorf(name, "is %d, allowed are the numbers of %v", v, set)
		}
	}
	if d == tensor.Undefined {
		return nil
	}
	if set := c.sig.Types[typeVar].Tensor; !set.Has(d) {
		return c.Errorf("the output would be %v like the input, allowed are %v; give the attribute %s", d, set, name)
	}
	c.SetDType(0, d)
	return nil
}

// inferRange counts the steps from start to limit. com.microsoft may omit the step: 1.
func inferRange(c *Context) error {
	if n := c.Int("stash_type"); c.sig.Attr("stash_type") != nil && n != int(tensor.Float32) && n != int(tensor.Float64) {
		return c.AttrErrorf("stash_type", "is %d, allowed are 1 (float) and 11 (double)", n)
	}
	for i := range 3 {
		if manyElements(c.Shape(i)) {
			return c.InputErrorf(i, "shape %v is no scalar", c.Shape(i))
		}
	}
	c.SetDims(0, graph.Dim{})
	if c.DType(0).Class() == tensor.ClassFloat {
		return c.inferRangeFloat()
	}
	var v [3]Int
	for i := range v {
		if i == 2 && !c.HasInput(i) {
			v[i] = KnownInt(1)
			continue
		}
		in := c.Ints(i)
		if in == nil || len(in.Elems) != 1 {
			return nil
		}
		v[i] = in.Elems[0]
	}
	if v[2].Is(0) {
		return c.InputErrorf(2, "is 0, the range would not end")
	}
	start, ok0 := v[0].Value()
	limit, ok1 := v[1].Value()
	delta, ok2 := v[2].Value()
	switch {
	case ok0 && ok1 && ok2:
	case v[0].Is(0) && v[2].Is(1):
		c.SetDims(0, v[1].Dim()) // the range over a dimension
		return nil
	default:
		return nil
	}
	n, ok := RangeLen(start, limit, delta)
	if !ok {
		return c.Errorf("the range from %d to %d by %d is too long", start, limit, delta)
	}
	c.SetDims(0, graph.Known(n))
	if n > maxInts {
		return nil
	}
	out := &Ints{Elems: make([]Int, n)}
	for i := range out.Elems {
		out.Elems[i] = KnownInt(start + int64(i)*delta)
	}
	c.SetInts(0, out)
	return nil
}

// RangeLen is the number of elements from start to limit by delta, which is not
// 0; ok is false when it does not fit an int.
func RangeLen(start, limit, delta int64) (n int, ok bool) {
	if delta > 0 && start >= limit || delta < 0 && start <= limit {
		return 0, true
	}
	span, step := uint64(limit)-uint64(start), uint64(delta)
	if delta < 0 {
		span, step = -span, -step
	}
	count := (span-1)/step + 1
	return int(count), count <= math.MaxInt>>1
}

func (c *Context) inferRangeFloat() error {
	var v [3]float64
	for i := range v {
		if i == 2 && !c.HasInput(i) {
			v[i] = 1
			continue
		}
		t := c.Const(i)
		if t == nil {
			return nil
		}
		list, err := tensor.Float64s(t)
		if err != nil {
			return c.InputErrorf(i, "%v", err)
		}
		if len(list) != 1 {
			return c.InputErrorf(i, "shape %v is no scalar", t.Shape())
		}
		v[i] = list[0]
	}
	n, ok := RangeLenFloat(v[0], v[1], v[2], c.DType(0))
	if !ok {
		return c.Errorf("the range from %v to %v by %v has no end", v[0], v[1], v[2])
	}
	c.SetDims(0, graph.Known(n))
	return nil
}

// RangeLenFloat is RangeLen for floats: ceil((limit-start)/delta), where the
// difference is rounded to the type; ok is false when it is not finite.
func RangeLenFloat(start, limit, delta float64, d tensor.DType) (n int, ok bool) {
	span := limit - start
	if d != tensor.Float64 {
		span = float64(float32(span))
	}
	count := math.Ceil(span / delta)
	switch {
	case count != count || count > 1<<40 || delta == 0:
		return 0, false
	case count < 0:
		return 0, true
	}
	return int(count), true
}

// rangeBody counts the steps, in integers where the operands are, and multiplies
// the number of each step by delta. 16-bit floats are computed in stash_type.
func rangeBody(c *Context) (Body, error) {
	var steps string
	switch d := c.DType(0); {
	case d == tensor.Undefined:
		return Body{}, nil
	case d == tensor.Float16 || d == tensor.BFloat16:
		return Body{27, `output = CastLike (Range (Cast <to = @stash_type> (start), Cast <to = @stash_type> (limit), Cast <to = @stash_type> (delta)), start)`}, nil
	case d.Class() == tensor.ClassFloat:
		steps = `Cast <to = 7> (Ceil (Div (Cast <to = 11> (Sub (limit, start)), Cast <to = 11> (delta))))`
	default:
		steps = `Div (Sub (Add (Sub (Cast <to = 7> (limit), Cast <to = 7> (start)), by), Sign (by)), by)`
	}
	return Body{21, `
		first = Reshape (start, [])
		by = Cast <to = 7> (Reshape (delta, []))
		count = Reshape (Max (` + steps + `, 0), [1])
		index = CumSum <exclusive = 1> (Expand (1, count), 0)
		output = Add (first, Mul (index:start, Reshape (delta, [])))`}, nil
}
