package tensor

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestShapeNumElements(t *testing.T) {
	tests := []struct {
		shape Shape
		want  int
		err   bool
		large bool
	}{
		{nil, 1, false, false},
		{Shape{}, 1, false, false},
		{Shape{2, 3, 4}, 24, false, false},
		{Shape{2, 0, 4}, 0, false, false},
		{Shape{-1}, 0, true, false},
		{Shape{0, -1}, 0, true, false},
		{Shape{math.MaxInt}, 0, true, true},
		{Shape{math.MaxInt/16 + 1}, 0, true, true},
		{Shape{math.MaxInt / 16}, math.MaxInt / 16, false, false},
		{Shape{math.MaxInt, math.MaxInt}, 0, true, true},
		{Shape{0, math.MaxInt, math.MaxInt}, 0, true, true},
	}
	for _, tt := range tests {
		got, err := tt.shape.NumElements()
		if got != tt.want || (err != nil) != tt.err || errors.Is(err, ErrTooLarge) != tt.large {
			t.Errorf("%v: got %d, %v", []int(tt.shape), got, err)
		}
		if tt.err {
			for _, d := range []DType{Int8, String, Int2, Complex128} {
				if _, err := New(d, tt.shape...); err == nil {
					t.Errorf("New(%v, %v): no error", d, []int(tt.shape))
				}
			}
			if _, err := FromBytes(Int8, nil, tt.shape...); err == nil {
				t.Errorf("FromBytes of %v: no error", []int(tt.shape))
			}
		}
	}
}

func TestDTypeBytes(t *testing.T) {
	for _, tt := range []struct {
		d    DType
		n    int
		want int
	}{
		{Float32, 3, 12}, {Complex128, 2, 32}, {Bool, 5, 5}, {Int4, 0, 0}, {Int4, 1, 1}, {Int4, 2, 1}, {Uint4, 3, 2},
		{Int2, 1, 1}, {Int2, 4, 1}, {Uint2, 5, 2}, {Float4E2M1, 7, 4}, {String, 9, 0},
	} {
		if got := tt.d.Bytes(tt.n); got != tt.want {
			t.Errorf("%v.Bytes(%d) = %d, want %d", tt.d, tt.n, got, tt.want)
		}
	}
	// The numbers of TensorProto.DataType in onnx.proto.
	for d, n := range map[DType]int{Float32: 1, String: 8, Bool: 9, BFloat16: 16, Float8E4M3FN: 17, Uint4: 21, Float4E2M1: 23, Float8E8M0: 24, Uint2: 25, Int2: 26} {
		if int(d) != n {
			t.Errorf("%v is %d, want %d", d, int(d), n)
		}
	}
	if len(DTypes()) != 26 {
		t.Errorf("%d types, want 26", len(DTypes()))
	}
}

func TestParseDType(t *testing.T) {
	for _, d := range DTypes() {
		for _, s := range []string{d.String(), d.ONNX(), "tensor(" + d.ONNX() + ")"} {
			if got, err := ParseDType(s); got != d || err != nil {
				t.Errorf("ParseDType(%q) = %v, %v, want %v", s, got, err, d)
			}
		}
	}
	for _, s := range []string{"", "undefined", "float128", "tensor()", "tensor(", "Float32"} {
		if got, err := ParseDType(s); err == nil {
			t.Errorf("ParseDType(%q) = %v, want an error", s, got)
		}
	}
}

func TestBroadcast(t *testing.T) {
	tests := []struct {
		in   []Shape
		want Shape // nil: error
	}{
		{[]Shape{{2, 3}, {3}}, Shape{2, 3}},
		{[]Shape{{2, 1}, {1, 3}}, Shape{2, 3}},
		{[]Shape{{}, {4}}, Shape{4}},
		{[]Shape{{}, {}}, Shape{}},
		{[]Shape{{1}, {0}}, Shape{0}},
		{[]Shape{{2}, {0}}, nil},
		{[]Shape{{0}, {2}}, nil},
		{[]Shape{{2, 3}, {2}}, nil},
		{[]Shape{{5, 1, 1}, {4, 1}, {3}}, Shape{5, 4, 3}},
	}
	for _, tt := range tests {
		got, err := Broadcast(tt.in...)
		if (err != nil) != (tt.want == nil) || err == nil && !got.Equal(tt.want) {
			t.Errorf("Broadcast(%v) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

// Every window is accepted exactly when each of its elements lies in the storage.
func TestViewBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	base := Must(FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
	accepted := 0
	for range 20000 {
		shape := make(Shape, rng.IntN(4))
		strides := make([]int, len(shape))
		for i := range shape {
			shape[i], strides[i] = rng.IntN(5), rng.IntN(13)-6
		}
		offset := rng.IntN(16) - 2
		inside, n := true, 0
		for it := NewIterator(shape, strides, offset); it.Next(); n++ {
			inside = inside && it.Index() >= 0 && it.Index() < 12
		}
		v, err := base.View(shape, strides, offset)
		if (err == nil) != inside {
			t.Fatalf("shape %v, strides %v, offset %d: error %v, all inside: %v", shape, strides, offset, err, inside)
		}
		if err != nil {
			continue
		}
		accepted++
		if v.Size() != n {
			t.Fatalf("%v: %d elements, want %d", v, v.Size(), n)
		}
		// Each way to the elements gives the same.
		var want []int32
		for it := NewIterator(shape, strides, offset); it.Next(); {
			want = append(want, int32(it.Index()))
		}
		if got := Elements[int32](v.Clone()); !slices.Equal(got, want) {
			t.Fatalf("shape %v, strides %v, offset %d: clone %v, want %v", shape, strides, offset, got, want)
		}
		if got, err := Data[int32](v); (err == nil) != v.IsContiguous() || err == nil && !slices.Equal(got, want) {
			t.Fatalf("shape %v, strides %v, offset %d: data %v, %v, want %v", shape, strides, offset, got, err, want)
		}
	}
	if accepted < 500 {
		t.Errorf("only %d windows were inside: the test tests little", accepted)
	}
}

// Strides and offsets near the ends of int must not wrap around into the storage.
func TestViewOverflow(t *testing.T) {
	base := Must(New(Int8, 8))
	for _, tt := range []struct {
		shape   Shape
		strides []int
		offset  int
	}{
		{Shape{3}, []int{math.MaxInt}, 0},
		{Shape{3}, []int{math.MinInt}, 0},
		{Shape{2}, []int{math.MinInt}, 7},
		{Shape{5}, []int{math.MaxInt/4 + 1}, 0},
		{Shape{1 << 20, 1 << 20}, []int{1 << 22, 1 << 22}, 0},
		{Shape{3, 3}, []int{math.MaxInt / 2, math.MinInt / 2}, 4},
		{Shape{2}, nil, math.MaxInt},
		{Shape{2}, nil, math.MinInt},
		{Shape{9}, nil, 0},
		{Shape{1}, nil, 8},
	} {
		if _, err := base.View(tt.shape, tt.strides, tt.offset); err == nil {
			t.Errorf("View(%v, %v, %d): no error", tt.shape, tt.strides, tt.offset)
		}
	}
	if _, err := base.View(Shape{2, 2}, []int{1}, 0); err == nil {
		t.Error("one stride for two dimensions: no error")
	}
}

func TestEmptyViews(t *testing.T) {
	for _, base := range []*Tensor{Must(New(Float32, 4)), Must(New(String, 4)), Must(New(Int4, 5)), Must(New(Float32, 0))} {
		for _, offset := range []int{0, 3, 100, -5} {
			v, err := base.View(Shape{0, 3}, nil, offset)
			if err != nil {
				t.Fatal(err)
			}
			if v.Clone().Size() != 0 || v.Contiguous().Size() != 0 {
				t.Errorf("%v at %d: copies have elements", v, offset)
			}
			switch base.DType() {
			case String:
				if got, err := Data[string](v); err != nil || len(got) != 0 {
					t.Errorf("Data of an empty view at %d: %v, %v", offset, got, err)
				}
			case Float32:
				if got, err := Data[float32](v); err != nil || len(got) != 0 {
					t.Errorf("Data of an empty view at %d: %v, %v", offset, got, err)
				}
			}
			if base.DType() != String {
				if got, err := v.Bytes(); err != nil || len(got) != 0 {
					t.Errorf("Bytes of an empty view at %d: %v, %v", offset, got, err)
				}
			}
		}
	}
}

func TestSliceBounds(t *testing.T) {
	v := Must(FromSlice([]int16{0, 1, 2, 3, 4}))
	tests := []struct {
		start, size, step int
		want              string // "" for an error
	}{
		{0, 5, 1, "[0 1 2 3 4]"}, {4, 5, -1, "[4 3 2 1 0]"}, {1, 2, 3, "[1 4]"}, {3, 1, 1, "[3]"}, {2, 0, 1, "[]"}, {9, 0, 1, "[]"},
		{2, 3, 0, "[2 2 2]"}, {2, 1, math.MaxInt, "[2]"}, {2, 1, math.MinInt, "[2]"},
		{0, 6, 1, ""}, {5, 1, 1, ""}, {-1, 1, 1, ""}, {0, 2, -1, ""}, {0, -1, 1, ""},
		{1, 3, math.MaxInt, ""}, {1, 3, math.MinInt, ""}, {1, math.MaxInt, math.MaxInt, ""}, {4, 3, math.MaxInt/2 + 1, ""},
	}
	for _, tt := range tests {
		got, err := v.Slice(0, tt.start, tt.size, tt.step)
		if (err != nil) != (tt.want == "") {
			t.Errorf("Slice(%d, %d, %d): error %v", tt.start, tt.size, tt.step, err)
			continue
		}
		if err == nil && elements(got) != tt.want {
			t.Errorf("Slice(%d, %d, %d) = %s, want %s", tt.start, tt.size, tt.step, elements(got), tt.want)
		}
	}
	if _, err := v.Slice(1, 0, 1, 1); err == nil {
		t.Error("axis 1 of rank 1: no error")
	}
	if got := elements(Must(v.Slice(-1, 3, 2, 1))); got != "[3 4]" {
		t.Errorf("axis -1: %s", got)
	}
	if _, err := Scalar(1.0).Slice(0, 0, 1, 1); err == nil {
		t.Error("slice of a scalar: no error")
	}
}

func TestViewOfView(t *testing.T) {
	v := Must(FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4))
	tr := Must(v.Transpose())         // 4x3
	s := Must(tr.Slice(0, 3, 2, -2))  // columns 3 and 1
	b := Must(s.BroadcastTo(2, 2, 3)) // twice
	p := Must(b.Transpose(2, 0, 1))   // 3x2x2
	if got := elements(b); got != "[3 7 11 1 5 9 3 7 11 1 5 9]" {
		t.Errorf("broadcast of a slice of a transpose: %s", got)
	}
	if got := elements(p); got != "[3 1 3 1 7 5 7 5 11 9 11 9]" {
		t.Errorf("transposed again: %s", got)
	}
	if got := elements(p.Contiguous()); got != elements(p) {
		t.Errorf("contiguous: %s", got)
	}
	Elements[int32](v)[3] = 99
	if got := elements(s); got != "[99 7 11 1 5 9]" {
		t.Errorf("a view does not see its base change: %s", got)
	}
	if _, err := s.Reshape(6); err == nil {
		t.Error("reshape with gaps: no error")
	}
	if _, err := v.Reshape(5); err == nil {
		t.Error("reshape of 12 to 5: no error")
	}
	if _, err := v.Transpose(0, 0); err == nil {
		t.Error("permutation 0, 0: no error")
	}
	if _, err := v.BroadcastTo(4); err == nil {
		t.Error("broadcast to a lower rank: no error")
	}
	if _, err := v.BroadcastTo(3, 5); err == nil {
		t.Error("broadcast 4 to 5: no error")
	}
}

func TestBytesOfPackedViews(t *testing.T) {
	v := Must(Pack(Int4, []int8{1, 2, 3, 4, 5, 6, 7}, 7))
	if got := must(Must(v.View(Shape{3}, nil, 2)).Bytes()); string(got) != "\x43\x65" {
		t.Errorf("window [2,5): %x", got)
	}
	odd := Must(v.View(Shape{3}, nil, 1))
	if _, err := odd.Bytes(); err == nil {
		t.Error("a window from the middle of a byte: no error")
	}
	c := odd.Contiguous()
	if got := must(c.Bytes()); string(got) != "\x32\x04" {
		t.Errorf("made contiguous: %x, want 3204 with the rest of the last byte 0", got)
	}
	if got := must(Must(v.View(Shape{3}, nil, 2)).Clone().Bytes()); string(got) != "\x43\x05" {
		t.Errorf("clone of a window ending inside a byte: %x, want 4305", got)
	}
	if _, err := Must(New(String, 1)).Bytes(); err == nil {
		t.Error("bytes of strings: no error")
	}
	if _, err := Must(Must(New(Int8, 2, 3)).Transpose()).Bytes(); err == nil {
		t.Error("bytes of a transpose: no error")
	}
	// Bytes gives no room to grow into what follows.
	if got := must(Must(Must(New(Int8, 4)).View(Shape{2}, nil, 1)).Bytes()); len(got) != 2 || cap(got) != 2 {
		t.Errorf("length %d and capacity %d, want 2 and 2", len(got), cap(got))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestPackUnpack(t *testing.T) {
	for _, d := range []DType{Int4, Uint4, Int2, Uint2, Float4E2M1} {
		for n := range 11 {
			elems := make([]int8, n)
			for i := range elems {
				elems[i] = int8(i*5 - 7)
			}
			v := Must(Pack(d, elems, n))
			if len(v.Storage()) != d.Bytes(n) {
				t.Fatalf("%d of %v take %d bytes, want %d", n, d, len(v.Storage()), d.Bytes(n))
			}
			want := make([]int8, n)
			for i, e := range elems {
				m := int(e) & (1<<d.Bits() - 1)
				if d.Class() == ClassInt && m >= 1<<(d.Bits()-1) {
					m -= 1 << d.Bits()
				}
				want[i] = int8(m)
			}
			if got := must(Unpack(v)); !slices.Equal(got, want) {
				t.Errorf("%v: got %v, want %v", d, got, want)
			}
			if n > 1 { // backwards, from an odd place
				slices.Reverse(want)
				if got := must(Unpack(Must(v.Slice(0, n-1, n, -1)))); !slices.Equal(got, want) {
					t.Errorf("%v backwards: got %v, want %v", d, got, want)
				}
			}
		}
	}
	if _, err := Pack(Int8, []int8{1}, 1); err == nil {
		t.Error("Pack of int8: no error")
	}
	if _, err := Pack(Int4, []int8{1}, 2); err == nil {
		t.Error("Pack of one element in two: no error")
	}
	if _, err := Unpack(Must(New(Int8, 1))); err == nil {
		t.Error("Unpack of int8: no error")
	}
}

func TestCopy(t *testing.T) {
	for _, d := range DTypes() {
		src := Must(New(d, 3, 4))
		for i := range src.Storage() {
			src.Storage()[i] = byte(i*73 + 5)
		}
		if d == Bool {
			toBool(src.Storage(), src.Storage())
		}
		for i := range src.strs {
			src.strs[i] = fmt.Sprint(i)
		}
		dst := Must(New(d, 4, 3))
		if err := Copy(Must(dst.Transpose()), src); err != nil {
			t.Fatal(err)
		}
		if err := Compare(Must(dst.Transpose()), src, 0, 0); err != nil {
			t.Errorf("%v: %v", d, err)
		}
		if err := Copy(dst, src); err == nil {
			t.Errorf("%v: 3x4 into 4x3: no error", d)
		}
	}
	if err := Copy(Must(New(Int8, 1)), Must(New(Uint8, 1))); err == nil {
		t.Error("uint8 into int8: no error")
	}
}

func TestViewIntoAllocatesNothing(t *testing.T) {
	base := Must(New(Float32, 4, 4))
	v := new(Tensor)
	shape, strides := Shape{2, 2}, []int{4, 1}
	if n := testing.AllocsPerRun(10, func() {
		if err := base.ViewInto(v, shape, strides, 5); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFromSliceErrors(t *testing.T) {
	if _, err := FromSlice([]float32{1, 2}, 3); err == nil {
		t.Error("2 elements for 3: no error")
	}
	if _, err := FromBytes(Float32, make([]byte, 7), 2); err == nil {
		t.Error("7 bytes for 2 float32: no error")
	}
	if _, err := FromBytes(Int4, make([]byte, 1), 3); err == nil {
		t.Error("1 byte for 3 int4: no error")
	}
	if _, err := FromBytes(String, nil, 0); err == nil {
		t.Error("strings from bytes: no error")
	}
	if _, err := Data[int32](Must(New(Uint32, 1))); err == nil {
		t.Error("uint32 as int32: no error")
	}
}

func TestAxis(t *testing.T) {
	for _, tt := range []struct{ axis, rank, want int }{{0, 1, 0}, {-1, 3, 2}, {2, 3, 2}, {-3, 3, 0}, {3, 3, -1}, {-4, 3, -1}, {0, 0, -1}, {math.MinInt, 3, -1}} {
		got, err := Axis(tt.axis, tt.rank)
		if (err != nil) != (tt.want < 0) || err == nil && got != tt.want {
			t.Errorf("Axis(%d, %d) = %d, %v, want %d", tt.axis, tt.rank, got, err, tt.want)
		}
	}
}
