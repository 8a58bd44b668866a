package tensor

import (
	"fmt"
	"math"
	"math/cmplx"
)

// MismatchError says how two values that should be equal differ.
type MismatchError struct {
	// Path leads to the differing part from the outermost value: "" for the value
	// itself, "[2]" for a sequence's third item, "[key]" for a map's value.
	Path string
	// Reason is set when the two can not be compared element by element: they
	// differ in kind, element type, shape, length or keys. Got and Want then
	// describe that and the fields below are zero.
	Reason    string
	Index     []int  // of the first element that differs; empty for a scalar
	Got, Want string // that element
	Count     int    // elements that differ
	Total     int    // elements compared
	// MaxAbs is the largest |got-want| and MaxRel the largest |got-want|/|want|
	// over all elements in which both are finite numbers, want not 0 for MaxRel.
	MaxAbs, MaxRel float64
}

// Error describes the difference in one line.
func (e *MismatchError) Error() string {
	where := ""
	if e.Path != "" {
		where = " at " + e.Path
	}
	if e.Reason != "" {
		return fmt.Sprintf("tensor: %s differs%s: got %s, want %s", e.Reason, where, e.Got, e.Want)
	}
	return fmt.Sprintf("tensor: %d of %d elements differ%s, the first at %v: got %s, want %s (largest difference %.3g, relative %.3g)",
		e.Count, e.Total, where, e.Index, e.Got, e.Want, e.MaxAbs, e.MaxRel)
}

// Compare returns nil when got equals want as ONNX's backend tests understand it,
// and otherwise a *MismatchError. Element type and shape must agree. Numbers are
// equal when |got-want| <= atol + rtol*|want|, or both are NaN, or the same
// infinity; strings and bools when they are the same. Sequences compare item by
// item, maps key by key in any order, and an optional as what it holds (nil where
// it holds nothing), so that it also equals that value itself.
func Compare(got, want Value, rtol, atol float64) error {
	c := comparer{rtol: rtol, atol: atol}
	if err := c.values("", got, want); err != nil {
		return err
	}
	return nil
}

type comparer struct{ rtol, atol float64 }

func (c comparer) values(path string, got, want Value) *MismatchError {
	got, want = content(got), content(want)
	if got == nil || want == nil {
		if got == nil && want == nil {
			return nil
		}
		return &MismatchError{Path: path, Reason: "presence", Got: describe(got), Want: describe(want)}
	}
	switch w := want.(type) {
	case *Tensor:
		if g, ok := got.(*Tensor); ok {
			return c.tensors(path, g, w)
		}
	case *Sequence:
		if g, ok := got.(*Sequence); ok {
			return c.sequences(path, g, w)
		}
	case *Map:
		if g, ok := got.(*Map); ok {
			return c.maps(path, g, w)
		}
	}
	return &MismatchError{Path: path, Reason: "kind", Got: describe(got), Want: describe(want)}
}

// content takes the value out of optionals; nil when there is none.
func content(v Value) Value {
	for {
		switch o := v.(type) {
		case *Optional:
			if o == nil {
				return nil
			}
			v = o.Value
		case *Tensor:
			if o == nil {
				return nil
			}
			return v
		default:
			return v
		}
	}
}

func describe(v Value) string {
	if v == nil {
		return "nothing"
	}
	return v.String()
}

func (c comparer) sequences(path string, got, want *Sequence) *MismatchError {
	if len(got.Items) != len(want.Items) {
		return &MismatchError{Path: path, Reason: "length", Got: fmt.Sprint(len(got.Items)), Want: fmt.Sprint(len(want.Items))}
	}
	for i, w := range want.Items {
		if err := c.values(fmt.Sprintf("%s[%d]", path, i), got.Items[i], w); err != nil {
			return err
		}
	}
	return nil
}

func (c comparer) maps(path string, got, want *Map) *MismatchError {
	differ := func(reason string) *MismatchError {
		return &MismatchError{Path: path, Reason: reason, Got: got.String(), Want: want.String()}
	}
	gk, err1 := printedKeys(got)
	wk, err2 := printedKeys(want)
	switch {
	case err1 != nil || err2 != nil || got.Keys.dtype != want.Keys.dtype:
		return differ("key type")
	case len(gk) != len(wk):
		return differ("length")
	}
	place := make(map[string]int, len(gk))
	for i, k := range gk {
		place[k] = i
	}
	for i, k := range wk {
		at := fmt.Sprintf("%s[%s]", path, k)
		j, ok := place[k]
		if !ok {
			return &MismatchError{Path: at, Reason: "key", Got: "nothing", Want: k}
		}
		g, err1 := mapValue(got, j)
		w, err2 := mapValue(want, i)
		if err1 != nil || err2 != nil {
			return differ("number of values")
		}
		if err := c.values(at, g, w); err != nil {
			return err
		}
	}
	return nil
}

// printedKeys prints the keys: strings quoted, integers in decimal.
func printedKeys(m *Map) ([]string, error) {
	if m.Keys == nil {
		return nil, fmt.Errorf("tensor: map without keys")
	}
	keys := make([]string, m.Keys.size)
	printer, i := newPrinter(m.Keys), 0
	for it := NewIterator(m.Keys.shape, m.Keys.Strides(), m.Keys.offset); it.Next(); i++ {
		keys[i] = printer(it.Index())
	}
	return keys, nil
}

// mapValue returns the i-th value as a value of its own.
func mapValue(m *Map, i int) (Value, error) {
	switch v := m.Values.(type) {
	case *Sequence:
		if i < len(v.Items) {
			return v.Items[i], nil
		}
	case *Tensor:
		if i < v.size {
			flat, err := v.Contiguous().Reshape(v.size)
			if err != nil {
				return nil, err
			}
			return flat.View(Shape{}, nil, flat.offset+i)
		}
	}
	return nil, fmt.Errorf("tensor: map has no value %d", i)
}

func (c comparer) tensors(path string, got, want *Tensor) *MismatchError {
	if got.dtype != want.dtype {
		return &MismatchError{Path: path, Reason: "element type", Got: got.dtype.String(), Want: want.dtype.String()}
	}
	if !got.shape.Equal(want.shape) {
		return &MismatchError{Path: path, Reason: "shape", Got: got.shape.String(), Want: want.shape.String()}
	}
	e := MismatchError{Path: path, Total: want.size}
	g, w := got.Contiguous(), want.Contiguous()
	first := -1
	note := func(i int, equal bool) {
		if equal {
			return
		}
		if e.Count++; first < 0 {
			first = i
		}
	}
	switch want.dtype.Class() {
	case ClassString:
		gs, ws := Elements[string](g), Elements[string](w)
		for i := range ws {
			note(i, gs[i] == ws[i])
		}
	case ClassBool:
		for i, b := range w.data[w.offset:][:w.size] {
			note(i, (b != 0) == (g.data[g.offset+i] != 0))
		}
	case ClassComplex:
		gs, ws := asComplex(g), asComplex(w)
		for i := range ws {
			note(i, c.complexes(&e, gs[i], ws[i]))
		}
	case ClassInt, ClassUint:
		gs, ws := Elements[int64](Must(Convert(g, Int64, ConvertOptions{}))), Elements[int64](Must(Convert(w, Int64, ConvertOptions{})))
		for i := range ws {
			note(i, c.integers(&e, gs[i], ws[i], want.dtype.Class() == ClassUint))
		}
	default:
		gs, ws := Elements[float64](Must(Convert(g, Float64, ConvertOptions{}))), Elements[float64](Must(Convert(w, Float64, ConvertOptions{})))
		for i := range ws {
			note(i, c.floats(&e, gs[i], ws[i]))
		}
	}
	if e.Count == 0 {
		return nil
	}
	e.Index = unravel(first, want.shape)
	e.Got, e.Want = newPrinter(g)(g.offset+first), newPrinter(w)(w.offset+first)
	return &e
}

// within applies the tolerances to a finite difference and keeps the largest.
func (c comparer) within(e *MismatchError, diff, want float64) bool {
	e.MaxAbs = max(e.MaxAbs, diff)
	if want != 0 {
		e.MaxRel = max(e.MaxRel, diff/want)
	}
	return diff <= c.atol+c.rtol*want
}

func (c comparer) floats(e *MismatchError, got, want float64) bool {
	if math.IsNaN(got) || math.IsNaN(want) {
		return got != got && want != want
	}
	if math.IsInf(got, 0) || math.IsInf(want, 0) {
		return got == want
	}
	return c.within(e, math.Abs(got-want), math.Abs(want))
}

// integers subtracts before it widens, so that neighbours beyond 2^53 differ.
func (c comparer) integers(e *MismatchError, got, want int64, unsigned bool) bool {
	diff := uint64(got) - uint64(want)
	size := float64(uint64(want))
	if unsigned {
		if uint64(got) < uint64(want) {
			diff = -diff
		}
	} else {
		if got < want {
			diff = -diff
		}
		size = math.Abs(float64(want))
	}
	return c.within(e, float64(diff), size)
}

func (c comparer) complexes(e *MismatchError, got, want complex128) bool {
	if cmplx.IsNaN(got) || cmplx.IsNaN(want) {
		return cmplx.IsNaN(got) && cmplx.IsNaN(want)
	}
	if cmplx.IsInf(got) || cmplx.IsInf(want) {
		return got == want
	}
	return c.within(e, cmplx.Abs(got-want), cmplx.Abs(want))
}

func asComplex(t *Tensor) []complex128 {
	return Elements[complex128](Must(Convert(t, Complex128, ConvertOptions{})))
}

// unravel turns the place of an element in row-major order into its index.
func unravel(i int, shape Shape) []int {
	index := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		index[k] = i % shape[k]
		i /= shape[k]
	}
	return index
}
