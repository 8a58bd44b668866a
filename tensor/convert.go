package tensor

import "fmt"

// ConvertOptions are the attributes of the ONNX Cast operator that change a
// result. The zero value holds the operator's defaults.
type ConvertOptions struct {
	// NoSaturate makes a number beyond the range of a float8 type NaN or, in
	// float8e5m2, infinite; by default it becomes the largest number there is.
	NoSaturate bool
	// Round is how a number becomes a float8e8m0.
	Round RoundMode
}

// Convert returns a new contiguous tensor with the elements of src converted to
// another type by the rules of the ONNX Cast operator:
//
//   - to a float type, rounding once to nearest, ties to even, infinite beyond its
//     range, except for the float8 types (see ConvertOptions), float4e2m1, which
//     saturates, and float8e8m0, which rounds to powers of two;
//   - between integers, keeping the low bits;
//   - to bool, whether the number is not zero (NaN is not);
//   - from bool, 1 and 0;
//   - from a string, the decimal number in it, plain or with an exponent, white
//     space around it allowed, or "INF", "+INF", "-INF" or "NaN" in any case; for
//     bool also "true" and "false"; another string is an error that wraps
//     [strconv.ErrSyntax];
//   - to a string as ONNX Runtime writes it: integers in decimal, bool as 1 and 0,
//     floats as C's %.8g, "NaN", "INF" and "-INF".
//
// The operator leaves a float beyond an integer's range open. Here floats
// truncate toward zero and then do what ONNX Runtime and NumPy yield on x86, on
// every architecture: to int64, and to int32 and narrower by way of int32, a
// number out of range and NaN become the least int64 or int32, and the narrower
// types keep its low bits; uint32 keeps the low bits of the int64; uint64 wraps
// negative numbers, and what is beyond becomes 0, NaN 1<<63. To the 4- and 2-bit
// integers floats round to nearest, ties to even, and keep the low bits ("4 bit
// integer types" in the ONNX documentation).
//
// Complex numbers convert to each other only, as Cast excludes them.
func Convert(src *Tensor, to DType, opts ConvertOptions) (*Tensor, error) {
	dst, err := New(to, src.shape...)
	if err != nil {
		return nil, err
	}
	if err := ConvertInto(dst, src, opts); err != nil {
		return nil, err
	}
	return dst, nil
}

// ConvertInto is Convert writing into a tensor of the same shape and any strides
// that does not overlap src. It allocates nothing when both are contiguous and
// neither holds strings.
func ConvertInto(dst, src *Tensor, opts ConvertOptions) error {
	if !dst.shape.Equal(src.shape) {
		return fmt.Errorf("tensor: cannot convert shape %v into shape %v", src.shape, dst.shape)
	}
	if dst.dtype == src.dtype {
		copyElements(dst, src)
		return nil
	}
	if dst.dtype.Class() == ClassComplex != (src.dtype.Class() == ClassComplex) {
		return fmt.Errorf("tensor: cannot convert %v to %v: the ONNX Cast operator excludes complex numbers", src.dtype, dst.dtype)
	}
	if !src.IsContiguous() {
		src = src.Clone()
	}
	if !dst.IsContiguous() {
		tmp, err := New(dst.dtype, dst.shape...)
		if err != nil {
			return err
		}
		if err := ConvertInto(tmp, src, opts); err != nil {
			return err
		}
		copyElements(dst, tmp)
		return nil
	}
	switch {
	case src.dtype == String:
		return parseStrings(dst, src, opts)
	case dst.dtype == String:
		return formatStrings(dst, src)
	}
	convertNumbers(dst, src, opts)
	return nil
}

// convertNumbers converts between contiguous tensors. Source types that Go can
// compute with go to store as they are, the others in blocks decoded to such a
// type; store does the same on the other side.
func convertNumbers(dst, src *Tensor, opts ConvertOptions) {
	switch src.dtype {
	case Float32:
		store(dst, 0, Elements[float32](src), opts)
	case Float64:
		store(dst, 0, Elements[float64](src), opts)
	case Int8:
		store(dst, 0, Elements[int8](src), opts)
	case Int16:
		store(dst, 0, Elements[int16](src), opts)
	case Int32:
		store(dst, 0, Elements[int32](src), opts)
	case Int64:
		store(dst, 0, Elements[int64](src), opts)
	case Uint8:
		store(dst, 0, Elements[uint8](src), opts)
	case Uint16:
		store(dst, 0, Elements[uint16](src), opts)
	case Uint32:
		store(dst, 0, Elements[uint32](src), opts)
	case Uint64:
		store(dst, 0, Elements[uint64](src), opts)
	case Complex64:
		d, s := Elements[complex128](dst), Elements[complex64](src)
		for i, v := range s {
			d[i] = complex128(v)
		}
	case Complex128:
		d, s := Elements[complex64](dst), Elements[complex128](src)
		for i, v := range s {
			d[i] = complex64(v)
		}
	case Bool:
		fromBool(dst, src, opts)
	case Uint4, Int4, Uint2, Int2:
		fromPackedInt(dst, src, opts)
	case Float16:
		if dst.dtype == Float32 {
			d := Elements[float32](dst)
			for i, v := range Elements[F16](src) {
				d[i] = v.Float32()
			}
			return
		}
		fromSmallFloat(dst, src, opts)
	case BFloat16:
		if dst.dtype == Float32 {
			d := Elements[float32](dst)
			for i, v := range Elements[BF16](src) {
				d[i] = v.Float32()
			}
			return
		}
		fromSmallFloat(dst, src, opts)
	default:
		fromSmallFloat(dst, src, opts)
	}
}

// blockLen is how many elements are decoded at a time when there is no direct
// way: few enough for the stack and the first-level cache.
const blockLen = 512

func fromSmallFloat(dst, src *Tensor, opts ConvertOptions) {
	var buf [blockLen]float32
	for at := 0; at < src.size; at += blockLen {
		b := buf[:min(blockLen, src.size-at)]
		decodeFloats(b, src, at)
		store(dst, at, b, opts)
	}
}

// decodeFloats reads elements of a float type narrower than float32, from the
// at-th on, until buf is full.
func decodeFloats(buf []float32, src *Tensor, at int) {
	switch src.dtype {
	case Float16:
		for i, v := range Elements[F16](src)[at:][:len(buf)] {
			buf[i] = v.Float32()
		}
	case BFloat16:
		for i, v := range Elements[BF16](src)[at:][:len(buf)] {
			buf[i] = v.Float32()
		}
	case Float8E4M3FN:
		lookUp(buf, src, at, e4m3fnTable)
	case Float8E4M3FNUZ:
		lookUp(buf, src, at, e4m3fnuzTable)
	case Float8E5M2:
		lookUp(buf, src, at, e5m2Table)
	case Float8E5M2FNUZ:
		lookUp(buf, src, at, e5m2fnuzTable)
	case Float8E8M0:
		for i, v := range Elements[F8E8M0](src)[at:][:len(buf)] {
			buf[i] = v.Float32()
		}
	case Float4E2M1:
		for i := range buf {
			buf[i] = float4Table[getPacked(src.data, 4, src.offset+at+i)]
		}
	}
}

func lookUp(buf []float32, src *Tensor, at int, table *[256]float32) {
	for i, code := range src.data[src.offset+at:][:len(buf)] {
		buf[i] = table[code]
	}
}

// fromBool takes any byte but 0 as true, for files may hold such.
func fromBool(dst, src *Tensor, opts ConvertOptions) {
	var buf [blockLen]uint8
	bytes := src.data[src.offset:][:src.size]
	for at := 0; at < len(bytes); at += blockLen {
		b := buf[:min(blockLen, len(bytes)-at)]
		for i, v := range bytes[at:][:len(b)] {
			b[i] = 0
			if v != 0 {
				b[i] = 1
			}
		}
		store(dst, at, b, opts)
	}
}

func fromPackedInt(dst, src *Tensor, opts ConvertOptions) {
	var buf [blockLen]int8
	for at := 0; at < src.size; at += blockLen {
		b := buf[:min(blockLen, src.size-at)]
		unpack(b, src, src.offset+at)
		store(dst, at, b, opts)
	}
}
