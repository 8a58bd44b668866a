package tensor

import (
	"fmt"
	"math"
	"unsafe"

	"gort/internal/onnxpb"
)

// ProtoError says why a protobuf message does not describe a value.
type ProtoError struct {
	Name   string // the tensor's name, "" when it has none
	DType  DType  // Undefined when the message names no valid one
	Dims   []int64
	Reason string
}

// maxShownName bounds how much of a name from a file enters an error message.
const maxShownName = 80

func (e *ProtoError) Error() string {
	name := e.Name
	if len(name) > maxShownName {
		name = name[:maxShownName] + "…"
	}
	dims := e.Dims
	more := ""
	if len(dims) > 8 {
		dims, more = dims[:8], fmt.Sprintf(" and %d more dimensions", len(e.Dims)-8)
	}
	if e.DType == Undefined {
		return fmt.Sprintf("tensor %q: %s", name, e.Reason)
	}
	return fmt.Sprintf("tensor %q (%v %v%s): %s", name, e.DType, dims, more, e.Reason)
}

// ProtoHeader returns the element type and shape that a TensorProto declares,
// without looking at its data. It fails with *ProtoError on an unknown type, a
// negative dimension and a size that no memory can hold.
func ProtoHeader(p *onnxpb.TensorProto) (DType, Shape, error) {
	fail := func(d DType, format string, args ...any) (DType, Shape, error) {
		return Undefined, nil, &ProtoError{p.GetName(), d, p.GetDims(), fmt.Sprintf(format, args...)}
	}
	n := p.GetDataType()
	if n <= 0 || n >= int32(numDTypes) {
		return fail(Undefined, "element type %d is not one of the %d that ONNX defines", n, numDTypes-1)
	}
	d := DType(n)
	shape := make(Shape, len(p.GetDims()))
	for i, v := range p.GetDims() {
		if v < 0 || v > math.MaxInt {
			return fail(d, "dimension %d has size %d", i, v)
		}
		shape[i] = int(v)
	}
	if _, err := shape.NumElements(); err != nil {
		return fail(d, "more elements than memory can hold")
	}
	return d, shape, nil
}

// FromProto returns the tensor that a TensorProto describes. Numeric data is not
// copied where its bytes already are the tensor's: raw_data, float_data,
// double_data, int64_data, uint64_data and the int32_data of int32 are aliased.
// It fails with *ProtoError when the data is not exactly as long as the declared
// shape needs, for a segment, and for data in another file, which package onnx
// resolves. An empty tensor may have no data field.
func FromProto(p *onnxpb.TensorProto) (*Tensor, error) {
	d, shape, err := ProtoHeader(p)
	if err != nil {
		return nil, err
	}
	r := protoReader{p: p, dtype: d, shape: shape, size: shape.Size()}
	switch {
	case p.Segment != nil:
		return nil, r.fail("it is one segment of a larger tensor, which ONNX runtimes do not read")
	case p.GetDataLocation() == onnxpb.TensorProto_EXTERNAL:
		return nil, r.fail("its data is in another file")
	case len(p.GetRawData()) > 0:
		return r.raw()
	}
	return r.typed()
}

// protoReader is a TensorProto whose header has been checked.
type protoReader struct {
	p     *onnxpb.TensorProto
	dtype DType
	shape Shape
	size  int
}

func (r *protoReader) fail(format string, args ...any) error {
	return &ProtoError{r.p.GetName(), r.dtype, r.p.GetDims(), fmt.Sprintf(format, args...)}
}

func (r *protoReader) raw() (*Tensor, error) {
	if r.dtype == String {
		return nil, r.fail("strings can not be in raw_data (%d bytes), only in string_data", len(r.p.RawData))
	}
	if want := r.dtype.Bytes(r.size); len(r.p.RawData) != want {
		return nil, r.fail("raw_data has %d bytes, the shape needs %d", len(r.p.RawData), want)
	}
	return FromBytes(r.dtype, r.p.RawData, r.shape...)
}

// typed reads the field that the format reserves for the element type.
func (r *protoReader) typed() (*Tensor, error) {
	switch r.dtype {
	case Float32:
		return alias(r, "float_data", r.p.FloatData, r.size)
	case Complex64:
		return alias(r, "float_data", r.p.FloatData, 2*r.size)
	case Float64:
		return alias(r, "double_data", r.p.DoubleData, r.size)
	case Complex128:
		return alias(r, "double_data", r.p.DoubleData, 2*r.size)
	case Int64:
		return alias(r, "int64_data", r.p.Int64Data, r.size)
	case Uint64:
		return alias(r, "uint64_data", r.p.Uint64Data, r.size)
	case Int32:
		return alias(r, "int32_data", r.p.Int32Data, r.size)
	case Uint32:
		return r.narrowUint32()
	case String:
		return r.strings()
	}
	return r.narrowInt32()
}

// count compares how many entries a field has with how many the shape needs.
func (r *protoReader) count(field string, got, want, entryBytes int) error {
	if got == want {
		return nil
	}
	if entryBytes == 0 {
		return r.fail("%s has %d entries, the shape needs %d", field, got, want)
	}
	return r.fail("%s has %d entries (%d bytes), the shape needs %d (%d bytes)", field, got, got*entryBytes, want, r.dtype.Bytes(r.size))
}

// alias views a repeated field, whose entries lie in memory as the tensor's
// elements do, as the tensor's storage.
func alias[T float32 | float64 | int32 | int64 | uint64](r *protoReader, field string, data []T, want int) (*Tensor, error) {
	var z T
	if err := r.count(field, len(data), want, int(unsafe.Sizeof(z))); err != nil {
		return nil, err
	}
	return FromBytes(r.dtype, bytesOf(data), r.shape...)
}

func (r *protoReader) narrowUint32() (*Tensor, error) {
	src := r.p.Uint64Data
	if err := r.count("uint64_data", len(src), r.size, 4); err != nil {
		return nil, err
	}
	dst := make([]uint32, len(src))
	for i, v := range src {
		if v > math.MaxUint32 {
			return nil, r.fail("uint64_data[%d] is %d, which uint32 can not hold", i, v)
		}
		dst[i] = uint32(v)
	}
	return FromSlice(dst, r.shape...)
}

// narrowInt32 reads the types that the format stores one element (or, packed,
// one byte of elements) an int32: the small integers as numbers, the small floats
// and packed types as their bits.
func (r *protoReader) narrowInt32() (*Tensor, error) {
	src := r.p.Int32Data
	want := r.size
	width := r.dtype.Bits()
	if r.dtype.Packed() {
		want, width = r.dtype.Bytes(r.size), 8
	}
	if err := r.count("int32_data", len(src), want, width/8); err != nil {
		return nil, err
	}
	// Bits are unsigned by the specification, but writers that sign-extend them
	// exist and lose nothing.
	lo, hi := int32(-1)<<(width-1), int32(1)<<width-1
	switch r.dtype {
	case Bool, Uint8, Uint16:
		lo = 0
	case Int8, Int16:
		hi = int32(1)<<(width-1) - 1
	}
	data := make([]byte, len(src)*width/8)
	for i, v := range src {
		if r.dtype == Bool && v != 0 {
			v = 1
		}
		if v < lo || v > hi {
			return nil, r.fail("int32_data[%d] is %d, which %v can not hold", i, v, r.dtype)
		}
		if width == 8 {
			data[i] = byte(v)
		} else {
			data[2*i], data[2*i+1] = byte(v), byte(v>>8)
		}
	}
	return FromBytes(r.dtype, data, r.shape...)
}

func (r *protoReader) strings() (*Tensor, error) {
	src := r.p.StringData
	if err := r.count("string_data", len(src), r.size, 0); err != nil {
		return nil, err
	}
	dst := make([]string, len(src))
	for i, s := range src {
		dst[i] = string(s)
	}
	return FromSlice(dst, r.shape...)
}

// ToProto returns a TensorProto for t, without a name: strings as string_data,
// everything else as raw_data, which aliases t's storage when t is contiguous.
func ToProto(t *Tensor) *onnxpb.TensorProto {
	p := &onnxpb.TensorProto{DataType: new(int32(t.dtype)), Dims: make([]int64, len(t.shape))}
	for i, d := range t.shape {
		p.Dims[i] = int64(d)
	}
	t = t.Contiguous()
	if t.dtype == String {
		p.StringData = make([][]byte, t.size)
		for i, s := range Elements[string](t) {
			p.StringData[i] = []byte(s)
		}
		return p
	}
	data, err := t.Bytes()
	if err != nil {
		panic(err) // Contiguous removed every reason
	}
	if data == nil {
		data = []byte{}
	}
	p.RawData = data
	return p
}
