package tensor

import (
	"math"
	"strconv"
)

// A printer writes the element at an index of the storage.
type printer func(i int) string

// newPrinter returns the printer of a tensor's elements: numbers with as few
// digits as tell them apart from their neighbours in the same type, "nan", "inf"
// and "-inf", "true" and "false", complex numbers and strings as in Go.
func newPrinter(t *Tensor) printer {
	switch t.dtype {
	case Undefined:
		return func(int) string { return "?" }
	case String:
		return func(i int) string { return strconv.Quote(t.strs[i]) }
	case Bool:
		return func(i int) string { return strconv.FormatBool(t.data[i] != 0) }
	case Float32:
		s := StorageOf[float32](t)
		return func(i int) string { return printFloat(float64(s[i]), 32) }
	case Float64:
		s := StorageOf[float64](t)
		return func(i int) string { return printFloat(s[i], 64) }
	case Complex64:
		s := StorageOf[complex64](t)
		return func(i int) string { return printComplex(complex128(s[i]), 32) }
	case Complex128:
		s := StorageOf[complex128](t)
		return func(i int) string { return printComplex(s[i], 64) }
	case Uint64:
		s := StorageOf[uint64](t)
		return func(i int) string { return strconv.FormatUint(s[i], 10) }
	}
	one := &Tensor{dtype: t.dtype, shape: Shape{}, size: 1, data: t.data}
	if t.dtype.Class() != ClassFloat {
		out := Must(New(Int64))
		return func(i int) string {
			one.offset = i
			convertNumbers(out, one, ConvertOptions{})
			return strconv.FormatInt(Elements[int64](out)[0], 10)
		}
	}
	out, back := Must(New(Float64)), Must(New(t.dtype))
	return func(i int) string {
		one.offset = i
		convertNumbers(out, one, ConvertOptions{})
		v := Elements[float64](out)[0]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return printFloat(v, 64)
		}
		return printShortest(v, func(w float64) bool {
			encodeFloats(back, 0, []float64{w}, ConvertOptions{Round: RoundNearest})
			convertNumbers(out, back, ConvertOptions{})
			return Elements[float64](out)[0] == v
		})
	}
}

func printFloat(v float64, bits int) string {
	switch {
	case v != v:
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// printShortest uses the fewest digits from which same says that they mean v.
func printShortest(v float64, same func(float64) bool) string {
	for digits := 1; digits < 17; digits++ {
		s := strconv.FormatFloat(v, 'g', digits, 64)
		if w, err := strconv.ParseFloat(s, 64); err == nil && same(w) {
			// Print the digits in the layout that the other floats have.
			return strconv.FormatFloat(w, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func printComplex(v complex128, bits int) string {
	re, im := printFloat(real(v), bits), printFloat(imag(v), bits)
	if im[0] != '-' {
		im = "+" + im
	}
	return re + im + "i"
}
