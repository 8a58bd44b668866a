package tensor

import (
	"fmt"
	"slices"
)

// Tensor is a strided window on storage of one element type. The zero value is
// not valid; use New, FromSlice or FromBytes. A Tensor's shape, strides and type
// are fixed; its elements are shared with whoever holds the same storage, and
// concurrent use follows the rule for slices: many readers or one writer.
type Tensor struct {
	dtype   DType
	shape   Shape
	strides []int // in elements; nil means row-major and gapless
	offset  int   // in elements from the start of the storage
	size    int   // number of elements
	data    []byte
	strs    []string // storage of String tensors instead of data
}

// New returns a zeroed tensor (empty strings for String). It fails on an invalid
// type and on a shape that is negative or too large.
func New(d DType, shape ...int) (*Tensor, error) {
	if !d.Valid() {
		return nil, fmt.Errorf("tensor: cannot make a tensor of %v", d)
	}
	n, err := Shape(shape).NumElements()
	if err != nil {
		return nil, err
	}
	t := &Tensor{dtype: d, shape: Shape(shape).Clone(), size: n}
	if d == String {
		t.strs = make([]string, n)
	} else {
		t.data = make([]byte, d.Bytes(n))
	}
	return t, nil
}

// FromBytes returns a tensor that aliases data, which holds the elements in
// row-major order, little-endian. It fails when data is not exactly as long as
// the shape needs. The bytes need no alignment.
func FromBytes(d DType, data []byte, shape ...int) (*Tensor, error) {
	if !d.Valid() || d == String {
		return nil, fmt.Errorf("tensor: cannot make a tensor of %v from bytes", d)
	}
	n, err := Shape(shape).NumElements()
	if err != nil {
		return nil, err
	}
	if want := d.Bytes(n); len(data) != want {
		return nil, fmt.Errorf("tensor: %v of shape %v needs %d bytes, got %d", d, Shape(shape), want, len(data))
	}
	return &Tensor{dtype: d, shape: Shape(shape).Clone(), size: n, data: data}, nil
}

// Header returns a tensor that only describes: it has a type, a shape and
// strides (nil for row-major) but no storage, and reading an element panics. It
// stands for a value whose memory is not there yet, as while a plan is made.
func Header(d DType, shape Shape, strides []int) (*Tensor, error) {
	n, err := shape.NumElements()
	if err != nil {
		return nil, err
	}
	return &Tensor{dtype: d, shape: shape.Clone(), strides: slices.Clone(strides), size: n}, nil
}

// Must returns t, or panics when err is not nil: for literals known to be right.
func Must(t *Tensor, err error) *Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// DType is the element type.
func (t *Tensor) DType() DType { return t.dtype }

// Shape is the size of each dimension. The caller must not change it.
func (t *Tensor) Shape() Shape { return t.shape }

// Rank is the number of dimensions.
func (t *Tensor) Rank() int { return len(t.shape) }

// Size is the number of elements.
func (t *Tensor) Size() int { return t.size }

// Offset is the index of the first element within the storage, in elements.
func (t *Tensor) Offset() int { return t.offset }

// Strides returns the distance between neighbours along each dimension, in elements.
// For a contiguous tensor they are made on each call.
func (t *Tensor) Strides() []int {
	if t.strides != nil {
		return t.strides
	}
	return t.shape.Strides()
}

// NumBytes is the size of the elements in bytes when stored without gaps; 0 for strings.
func (t *Tensor) NumBytes() int { return t.dtype.Bytes(t.size) }

// IsContiguous reports whether the elements lie in row-major order without gaps.
func (t *Tensor) IsContiguous() bool {
	if t.strides == nil || t.size <= 1 {
		return true
	}
	n := 1
	for i := len(t.shape) - 1; i >= 0; i-- {
		if t.shape[i] != 1 && t.strides[i] != n {
			return false
		}
		n *= t.shape[i]
	}
	return true
}

// Bytes returns the storage of the elements of a contiguous tensor, little-endian,
// without copying. It fails for strings, for gaps, and for a packed tensor that
// does not start on a byte.
func (t *Tensor) Bytes() ([]byte, error) {
	if t.dtype == String {
		return nil, fmt.Errorf("tensor: strings have no byte form")
	}
	if !t.IsContiguous() {
		return nil, fmt.Errorf("tensor: %v of shape %v has strides %v; make it contiguous first", t.dtype, t.shape, t.strides)
	}
	at, aligned := t.dtype.position(t.offset)
	if !aligned {
		return nil, fmt.Errorf("tensor: a packed %v view does not start on a byte; make it contiguous first", t.dtype)
	}
	return t.data[at:][:t.NumBytes():t.NumBytes()], nil
}

// Storage returns the whole storage the tensor is a window on, including what
// lies before and after its own elements; nil for strings.
func (t *Tensor) Storage() []byte { return t.data }

// View returns a window on the same storage with another shape, strides and
// offset (absolute, in elements). It fails when an element would lie outside the
// storage. nil strides mean row-major.
func (t *Tensor) View(shape Shape, strides []int, offset int) (*Tensor, error) {
	v := new(Tensor)
	if err := t.ViewInto(v, shape, strides, offset); err != nil {
		return nil, err
	}
	return v, nil
}

// ViewInto is View writing into a header that the caller keeps, so that a plan
// can be replayed without allocation. It keeps its own copies of shape and strides.
func (t *Tensor) ViewInto(v *Tensor, shape Shape, strides []int, offset int) error {
	n, err := shape.NumElements()
	if err != nil {
		return err
	}
	if strides != nil && len(strides) != len(shape) {
		return fmt.Errorf("tensor: %d strides for shape %v", len(strides), shape)
	}
	if n == 0 {
		offset = 0 // no element, so no place; any offset is fine
	} else if !t.holds(shape, strides, offset, n) {
		return fmt.Errorf("tensor: view of shape %v, strides %v, offset %d leaves the storage of %d elements", shape, strides, offset, t.capacity())
	}
	v.dtype, v.offset, v.size, v.data, v.strs = t.dtype, offset, n, t.data, t.strs
	v.shape = append(v.shape[:0], shape...)
	if strides == nil {
		v.strides = nil
	} else {
		v.strides = append(v.strides[:0], strides...)
	}
	return nil
}

// holds reports whether all n > 0 elements of a window lie inside the storage. It
// checks before it multiplies, so that no stride can overflow past the check.
func (t *Tensor) holds(shape Shape, strides []int, offset, n int) bool {
	last := t.capacity() - 1
	lo, hi := offset, offset
	if lo < 0 || hi > last {
		return false
	}
	if strides == nil {
		return n-1 <= last-hi
	}
	for i, s := range strides {
		steps := shape[i] - 1
		switch {
		case steps == 0 || s == 0:
		case s < -last || s > last || steps > last/max(s, -s):
			return false
		case s < 0:
			lo += steps * s
		default:
			hi += steps * s
		}
		if lo < 0 || hi > last {
			return false
		}
	}
	return true
}

// SetBytes points a contiguous tensor header at other storage of the same length,
// keeping type and shape. It is for those who replay a plan over moving memory.
func (t *Tensor) SetBytes(data []byte) error {
	if want := t.NumBytes(); len(data) != want || t.dtype == String {
		return fmt.Errorf("tensor: %v of shape %v needs %d bytes, got %d", t.dtype, t.shape, want, len(data))
	}
	t.data, t.offset, t.strides = data, 0, nil
	return nil
}

func (t *Tensor) capacity() int {
	if t.dtype == String {
		return len(t.strs)
	}
	if bits := t.dtype.Bits(); bits < 8 {
		return len(t.data) * (8 / bits)
	}
	return len(t.data) / t.dtype.Bytes(1)
}

// Reshape returns a view with another shape of the same number of elements. The
// tensor must be contiguous.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	n, err := Shape(shape).NumElements()
	if err != nil {
		return nil, err
	}
	if n != t.size {
		return nil, fmt.Errorf("tensor: cannot reshape %v (%d elements) to %v (%d)", t.shape, t.size, Shape(shape), n)
	}
	if !t.IsContiguous() {
		return nil, fmt.Errorf("tensor: cannot reshape %v with strides %v; make it contiguous first", t.shape, t.strides)
	}
	return t.View(shape, nil, t.offset)
}

// Transpose returns a view with the dimensions in the order perm; no perm reverses them.
func (t *Tensor) Transpose(perm ...int) (*Tensor, error) {
	r := t.Rank()
	if len(perm) == 0 {
		perm = make([]int, r)
		for i := range perm {
			perm[i] = r - 1 - i
		}
	}
	if len(perm) != r {
		return nil, fmt.Errorf("tensor: permutation %v for rank %d", perm, r)
	}
	st := t.Strides()
	shape, strides, seen := make(Shape, r), make([]int, r), make([]bool, r)
	for i, p := range perm {
		if p < 0 || p >= r || seen[p] {
			return nil, fmt.Errorf("tensor: %v is not a permutation of %d dimensions", perm, r)
		}
		seen[p] = true
		shape[i], strides[i] = t.shape[p], st[p]
	}
	return t.View(shape, strides, t.offset)
}

// BroadcastTo returns a view in which size-1 dimensions (and missing leading
// ones) repeat with stride 0.
func (t *Tensor) BroadcastTo(shape ...int) (*Tensor, error) {
	d := len(shape) - t.Rank()
	if d < 0 {
		return nil, fmt.Errorf("tensor: cannot broadcast %v to %v", t.shape, Shape(shape))
	}
	st := t.Strides()
	strides := make([]int, len(shape))
	for i := range t.shape {
		switch {
		case t.shape[i] == shape[d+i]:
			strides[d+i] = st[i]
		case t.shape[i] != 1:
			return nil, fmt.Errorf("tensor: cannot broadcast %v to %v", t.shape, Shape(shape))
		}
	}
	return t.View(shape, strides, t.offset)
}

// Slice returns the view start, start+step, … of size elements along an axis.
// step may be negative.
func (t *Tensor) Slice(axis, start, size, step int) (*Tensor, error) {
	axis, err := Axis(axis, t.Rank())
	if err != nil {
		return nil, fmt.Errorf("tensor: slice: %w", err)
	}
	if !sliceFits(t.shape[axis], start, size, step) {
		return nil, fmt.Errorf("tensor: slice of %d from %d by %d leaves axis %d of %v", size, start, step, axis, t.shape)
	}
	st := slices.Clone(t.Strides())
	shape := t.shape.Clone()
	offset := t.offset
	if size > 0 {
		offset += start * st[axis]
	}
	shape[axis] = size
	if size > 1 {
		st[axis] *= step
	}
	return t.View(shape, st, offset)
}

// sliceFits reports whether the indices start, start+step, … of size elements lie
// in [0, dim), without overflow for any arguments.
func sliceFits(dim, start, size, step int) bool {
	switch {
	case size <= 0:
		return size == 0
	case start < 0 || start >= dim:
		return false
	case size == 1 || step == 0:
		return true
	case size > dim || step <= -dim || step >= dim:
		return false
	}
	last := start + (size-1)*step
	return last >= 0 && last < dim
}

// Contiguous returns t itself when its elements are already in order and without
// gaps, and otherwise a gapless copy.
func (t *Tensor) Contiguous() *Tensor {
	if t.IsContiguous() {
		if !t.dtype.Packed() {
			return t
		}
		if _, aligned := t.dtype.position(t.offset); aligned {
			return t
		}
	}
	return t.Clone()
}

// Clone returns a contiguous copy with storage of its own.
func (t *Tensor) Clone() *Tensor {
	c := &Tensor{dtype: t.dtype, shape: t.shape.Clone(), size: t.size}
	if t.dtype == String {
		c.strs = make([]string, t.size)
	} else {
		c.data = make([]byte, t.NumBytes())
	}
	copyElements(c, t)
	return c
}

// Copy copies the elements of src into dst. Type and shape must be equal, the
// strides may differ, and the two must not overlap unless they are the same window.
func Copy(dst, src *Tensor) error {
	if dst.dtype != src.dtype || !dst.shape.Equal(src.shape) {
		return fmt.Errorf("tensor: cannot copy %v %v into %v %v", src.dtype, src.shape, dst.dtype, dst.shape)
	}
	copyElements(dst, src)
	return nil
}

// String describes the tensor, not its elements: "float32 2x3".
func (t *Tensor) String() string { return t.dtype.String() + " " + t.shape.String() }
