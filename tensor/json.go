package tensor

import "math"

// jsonTensor is a tensor in JSON.
type jsonTensor struct {
	DType string `json:"dtype"`
	Shape Shape  `json:"shape"`
	Data  any    `json:"data"`
}

// ToJSON returns what encoding/json turns into the JSON form of a value:
//
//   - a tensor is {"dtype": "float32", "shape": [2, 3], "data": [[…], […]]}, its
//     elements in nested lists (one empty list when it has none); NaN and infinities are the strings "NaN",
//     "Infinity" and "-Infinity", a complex number is [re, im];
//   - a sequence is the list of its items;
//   - an optional is what it holds, or null;
//   - a map is {"keys": […], "values": …}.
//
// Bytes of strings that are not UTF-8 become U+FFFD, as JSON has no place for them.
func ToJSON(v Value) any {
	switch v := content(v).(type) {
	case *Tensor:
		return jsonTensor{v.dtype.String(), v.shape, nest(v, 0, v.offset, v.Strides(), jsonElement(v))}
	case *Sequence:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = ToJSON(item)
		}
		return items
	case *Map:
		return map[string]any{"keys": ToJSON(v.Keys), "values": ToJSON(v.Values)}
	}
	return nil
}

// nest puts the elements from dimension dim on into lists.
func nest(t *Tensor, dim, at int, strides []int, element func(i int) any) any {
	if dim == len(t.shape) {
		return element(at)
	}
	if t.size == 0 { // a huge dimension beside one of 0 must not make huge lists
		return []any{}
	}
	list := make([]any, t.shape[dim])
	for i := range list {
		list[i] = nest(t, dim+1, at+i*strides[dim], strides, element)
	}
	return list
}

// jsonElement returns what encodes the element at an index of the storage.
func jsonElement(t *Tensor) func(i int) any {
	number := func(v float64, narrow bool) any {
		switch {
		case v != v:
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		case narrow:
			return float32(v) // encoding/json prints it with fewer digits
		}
		return v
	}
	switch t.dtype {
	case String:
		return func(i int) any { return t.strs[i] }
	case Bool:
		return func(i int) any { return t.data[i] != 0 }
	case Float64:
		s := StorageOf[float64](t)
		return func(i int) any { return number(s[i], false) }
	case Complex64:
		s := StorageOf[complex64](t)
		return func(i int) any { return []any{number(float64(real(s[i])), true), number(float64(imag(s[i])), true)} }
	case Complex128:
		s := StorageOf[complex128](t)
		return func(i int) any { return []any{number(real(s[i]), false), number(imag(s[i]), false)} }
	}
	one := &Tensor{dtype: t.dtype, shape: Shape{}, size: 1, data: t.data}
	if t.dtype.Class() == ClassFloat {
		out := Must(New(Float32))
		return func(i int) any {
			one.offset = i
			if t.dtype == Float32 {
				return number(float64(StorageOf[float32](t)[i]), true)
			}
			convertNumbers(out, one, ConvertOptions{})
			return number(float64(Elements[float32](out)[0]), true)
		}
	}
	print := newPrinter(t)
	return func(i int) any { return jsonInteger(print(i)) }
}

// jsonInteger is an integer in decimal, which encodes as it is, whatever its size.
type jsonInteger string

// MarshalJSON returns the digits.
func (n jsonInteger) MarshalJSON() ([]byte, error) { return []byte(n), nil }
