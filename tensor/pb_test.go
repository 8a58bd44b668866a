package tensor

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
)

func TestProtoTypedFields(t *testing.T) {
	dims := []int64{2}
	for _, c := range []struct {
		d    DType
		p    *onnxpb.TensorProto
		want []byte
	}{
		{Float32, &onnxpb.TensorProto{FloatData: []float32{1, -2}}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}},
		{Float64, &onnxpb.TensorProto{DoubleData: []float64{1, -2}}, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0}},
		{Complex64, &onnxpb.TensorProto{FloatData: []float32{1, 0, 0, 1}}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}},
		{Int64, &onnxpb.TensorProto{Int64Data: []int64{1, -1}}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}},
		{Uint64, &onnxpb.TensorProto{Uint64Data: []uint64{1, math.MaxUint64}}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}},
		{Uint32, &onnxpb.TensorProto{Uint64Data: []uint64{1, math.MaxUint32}}, []byte{1, 0, 0, 0, 255, 255, 255, 255}},
		{Int32, &onnxpb.TensorProto{Int32Data: []int32{1, -1}}, []byte{1, 0, 0, 0, 255, 255, 255, 255}},
		{Int16, &onnxpb.TensorProto{Int32Data: []int32{-32768, 32767}}, []byte{0, 0x80, 0xff, 0x7f}},
		{Uint16, &onnxpb.TensorProto{Int32Data: []int32{1, 65535}}, []byte{1, 0, 255, 255}},
		{Int8, &onnxpb.TensorProto{Int32Data: []int32{-128, 127}}, []byte{0x80, 0x7f}},
		{Uint8, &onnxpb.TensorProto{Int32Data: []int32{0, 255}}, []byte{0, 255}},
		{Bool, &onnxpb.TensorProto{Int32Data: []int32{0, 5}}, []byte{0, 1}},
		{Float16, &onnxpb.TensorProto{Int32Data: []int32{0x3c00, 0xbc00}}, []byte{0, 0x3c, 0, 0xbc}},
		{Float16, &onnxpb.TensorProto{Int32Data: []int32{0x3c00, int32(0xbc00) - 1<<16}}, []byte{0, 0x3c, 0, 0xbc}},
		{BFloat16, &onnxpb.TensorProto{Int32Data: []int32{0x3f80, 0xbf80}}, []byte{0x80, 0x3f, 0x80, 0xbf}},
		{Float8E4M3FN, &onnxpb.TensorProto{Int32Data: []int32{0x38, 0xb8}}, []byte{0x38, 0xb8}},
		{Float8E8M0, &onnxpb.TensorProto{Int32Data: []int32{127, 255}}, []byte{127, 255}},
		{Int4, &onnxpb.TensorProto{Int32Data: []int32{0xf1}}, []byte{0xf1}},
		{Float4E2M1, &onnxpb.TensorProto{Int32Data: []int32{0x21}}, []byte{0x21}},
		{Uint2, &onnxpb.TensorProto{Int32Data: []int32{0x0b}}, []byte{0x0b}},
	} {
		c.p.Dims, c.p.DataType, c.p.Name = dims, new(int32(c.d)), new("t")
		got, err := FromProto(c.p)
		if err != nil {
			t.Errorf("%v: %v", c.d, err)
			continue
		}
		if data, err := got.Bytes(); err != nil || !bytes.Equal(data, c.want) || got.DType() != c.d || !got.Shape().Equal(Shape{2}) {
			t.Errorf("%v: %v with bytes %x (%v), want %x", c.d, got, data, err, c.want)
		}
		raw, err := FromProto(ToProto(got))
		if err != nil {
			t.Errorf("%v: %v", c.d, err)
			continue
		}
		if data, err := raw.Bytes(); err != nil || !bytes.Equal(data, c.want) {
			t.Errorf("%v through raw_data: %x, %v", c.d, data, err)
		}
	}
}

func TestProtoAliases(t *testing.T) {
	p := &onnxpb.TensorProto{DataType: new(int32(Float32)), Dims: []int64{2}, RawData: make([]byte, 8)}
	x := Must(FromProto(p))
	if unsafe.SliceData(x.Storage()) != unsafe.SliceData(p.RawData) {
		t.Error("raw_data was copied")
	}
	p = &onnxpb.TensorProto{DataType: new(int32(Float32)), Dims: []int64{2}, FloatData: make([]float32, 2)}
	p.FloatData[1] = 7
	x = Must(FromProto(p))
	p.FloatData[1] = 8
	if Elements[float32](x)[1] != 8 {
		t.Error("float_data was copied")
	}
	if back := ToProto(x); unsafe.SliceData(back.RawData) != unsafe.SliceData(x.Storage()) {
		t.Error("writing copied")
	}
}

func TestProtoEmptyAndScalar(t *testing.T) {
	for _, d := range DTypes() {
		e, err := FromProto(&onnxpb.TensorProto{DataType: new(int32(d)), Dims: []int64{3, 0, 2}})
		if err != nil || e.Size() != 0 || !e.Shape().Equal(Shape{3, 0, 2}) {
			t.Errorf("%v: an empty tensor without data gives %v, %v", d, e, err)
			continue
		}
		back, err := FromProto(ToProto(e))
		if err != nil || back.String() != e.String() {
			t.Errorf("%v: %v became %v, %v", d, e, back, err)
		}
		if s, err := FromProto(&onnxpb.TensorProto{DataType: new(int32(d))}); err == nil {
			t.Errorf("%v: a scalar without data gives %v", d, s)
		}
		s := Must(New(d))
		if back, err := FromProto(ToProto(s)); err != nil || back.Rank() != 0 || back.Size() != 1 {
			t.Errorf("%v: a scalar became %v, %v", d, back, err)
		}
	}
}

func TestProtoRefused(t *testing.T) {
	name := new("weights")
	for _, c := range []struct {
		p    *onnxpb.TensorProto
		want string
	}{
		{&onnxpb.TensorProto{}, "element type 0"},
		{&onnxpb.TensorProto{DataType: new(int32(27))}, "element type 27"},
		{&onnxpb.TensorProto{DataType: new(int32(-1))}, "element type -1"},
		{&onnxpb.TensorProto{DataType: new(int32(257))}, "element type 257"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{-1}}, "dimension 0 has size -1"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{math.MaxInt64, math.MaxInt64}}, "more elements"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{1 << 40}, RawData: []byte{1}}, "raw_data has 1 bytes, the shape needs 4398046511104"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{1 << 40}}, "float_data has 0 entries (0 bytes), the shape needs 1099511627776 (4398046511104 bytes)"},
		{&onnxpb.TensorProto{DataType: new(int32(8)), Dims: []int64{1 << 40}}, "string_data has 0 entries, the shape needs 1099511627776"},
		{&onnxpb.TensorProto{DataType: new(int32(8)), Dims: []int64{1}, RawData: []byte("s")}, "strings can not be in raw_data"},
		{&onnxpb.TensorProto{DataType: new(int32(Int4)), Dims: []int64{3}, Int32Data: []int32{1, 2, 3}}, "int32_data has 3 entries (3 bytes), the shape needs 2 (2 bytes)"},
		{&onnxpb.TensorProto{DataType: new(int32(Uint8)), Dims: []int64{1}, Int32Data: []int32{256}}, "256, which uint8 can not hold"},
		{&onnxpb.TensorProto{DataType: new(int32(Uint8)), Dims: []int64{1}, Int32Data: []int32{-1}}, "-1, which uint8 can not hold"},
		{&onnxpb.TensorProto{DataType: new(int32(Int8)), Dims: []int64{1}, Int32Data: []int32{128}}, "128, which int8 can not hold"},
		{&onnxpb.TensorProto{DataType: new(int32(Uint32)), Dims: []int64{1}, Uint64Data: []uint64{1 << 32}}, "which uint32 can not hold"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{1}, RawData: make([]byte, 4), Segment: &onnxpb.TensorProto_Segment{}}, "segment"},
		{&onnxpb.TensorProto{DataType: new(int32(1)), Dims: []int64{1}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum()}, "another file"},
	} {
		c.p.Name = name
		got, err := FromProto(c.p)
		var pe *ProtoError
		if !errors.As(err, &pe) || pe.Name != "weights" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, %v; want a *ProtoError saying %q", got, err, c.want)
		}
	}
}

func TestPBValues(t *testing.T) {
	f32, i64, str := TensorOf(Float32), TensorOf(Int64), TensorOf(String)
	vec := Must(FromSlice([]float32{1, 2, 3}))
	turned, err := Must(FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)).Transpose()
	if err != nil {
		t.Fatal(err)
	}
	keys := Must(FromSlice([]string{"a", "b"}))
	for _, c := range []struct {
		v    Value
		want Type
	}{
		{vec, f32},
		{turned, f32},
		{Must(FromSlice([]string{"x", "", "ÿ"})), str},
		{&Sequence{Elem: f32, Items: []Value{vec, turned}}, SequenceOf(f32)},
		{&Sequence{Elem: f32}, SequenceOf(f32)},
		{&Sequence{Elem: SequenceOf(i64), Items: []Value{&Sequence{Elem: i64}, &Sequence{Elem: i64, Items: []Value{Scalar(int64(4))}}}}, SequenceOf(SequenceOf(i64))},
		{&Optional{Elem: f32, Value: vec}, OptionalOf(f32)},
		{&Optional{Elem: f32}, OptionalOf(f32)},
		{&Optional{Elem: SequenceOf(f32), Value: &Sequence{Elem: f32, Items: []Value{vec}}}, OptionalOf(SequenceOf(f32))},
		{&Map{Keys: keys, Values: Must(FromSlice([]float32{5, 6}))}, MapOf(String, f32)},
		{&Map{Keys: keys, Values: Must(FromSlice([]string{"u", "v"}))}, MapOf(String, str)},
		{&Map{Keys: Must(FromSlice([]int8{-3, 4})), Values: &Sequence{Elem: f32, Items: []Value{vec, turned}}}, MapOf(Int8, f32)},
		{&Map{Keys: Must(FromSlice([]uint64{1, math.MaxUint64})), Values: Must(FromSlice([]int64{5, 6}))}, MapOf(Uint64, i64)},
		{&Sequence{Elem: MapOf(Int64, f32), Items: []Value{&Map{Keys: Must(FromSlice([]int64{7})), Values: Must(FromSlice([]float32{5}))}}}, SequenceOf(MapOf(Int64, f32))},
	} {
		data, err := WritePB(c.v)
		if err != nil {
			t.Errorf("%v: %v", c.v, err)
			continue
		}
		got, err := ReadPB(data, c.want)
		if err != nil {
			t.Errorf("%v: %v", c.v, err)
			continue
		}
		again, err := WritePB(got)
		if err != nil || !bytes.Equal(again, data) || got.String() != c.v.String() || !got.Type().Equal(c.want) {
			t.Errorf("%v became %v (%v)", c.v, got, err)
		}
	}
}

func TestReadPBRefuses(t *testing.T) {
	vec, err := WritePB(Must(FromSlice([]float32{1})))
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := func(m proto.Message) []byte {
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	one := ToProto(Scalar(float32(1)))
	seq := func(kind onnxpb.SequenceProto_DataType, items ...*onnxpb.TensorProto) *onnxpb.SequenceProto {
		return &onnxpb.SequenceProto{ElemType: new(int32(kind)), TensorValues: items}
	}
	for _, c := range []struct {
		name string
		data []byte
		want Type
	}{
		{"another element type", vec, TensorOf(Int64)},
		{"truncated", vec[:len(vec)-1], TensorOf(Float32)},
		{"no bytes", nil, TensorOf(Float32)},
		{"no type", vec, Type{}},
		{"sparse", vec, Type{Kind: KindSparse}},
		{"mixed sequence", bytesOf(seq(onnxpb.SequenceProto_TENSOR, one, ToProto(Scalar(int64(1))))), SequenceOf(Type{})},
		{"sequence without element type", bytesOf(seq(onnxpb.SequenceProto_UNDEFINED, one)), SequenceOf(TensorOf(Float32))},
		{"sequence of sparse tensors", bytesOf(seq(onnxpb.SequenceProto_SPARSE_TENSOR)), SequenceOf(TensorOf(Float32))},
		{"map without key type", bytesOf(&onnxpb.MapProto{}), MapOf(Int64, TensorOf(Float32))},
		{"map with float keys", bytesOf(&onnxpb.MapProto{KeyType: new(int32(Float32))}), MapOf(Undefined, TensorOf(Float32))},
		{"map with keys out of range", bytesOf(&onnxpb.MapProto{KeyType: new(int32(Int8)), Keys: []int64{200}, Values: seq(onnxpb.SequenceProto_TENSOR, one)}), MapOf(Int8, TensorOf(Float32))},
		{"map with fewer values", bytesOf(&onnxpb.MapProto{KeyType: new(int32(Int64)), Keys: []int64{1, 2}, Values: seq(onnxpb.SequenceProto_TENSOR, one)}), MapOf(Int64, TensorOf(Float32))},
	} {
		if v, err := ReadPB(c.data, c.want); err == nil {
			t.Errorf("%s: read as %v", c.name, v)
		}
	}
}
