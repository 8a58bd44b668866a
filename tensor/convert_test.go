package tensor

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

func isNumber(d DType) bool { return d.Class() != ClassString && d.Class() != ClassComplex }

// Every pair of number types against rational arithmetic.
func TestConvertAllPairs(t *testing.T) {
	lines := map[DType][]*big.Rat{}
	for _, d := range DTypes() {
		if d.Class() == ClassFloat && d.Bits() < 32 && d != Float8E8M0 {
			lines[d] = numberLine(d)
		}
	}
	for _, from := range DTypes() {
		if !isNumber(from) {
			continue
		}
		src := samples(from)
		values := make([]exact, src.Size())
		for i := range values {
			values[i] = elementAt(src, i)
		}
		stride := max(1, src.Size()/200) | 1 // of the wide types a part, another one for each pair
		for _, to := range DTypes() {
			if !isNumber(to) {
				continue
			}
			dst, err := Convert(src, to, ConvertOptions{})
			if err != nil {
				t.Fatalf("%v to %v: %v", from, to, err)
			}
			if dst.DType() != to || !dst.Shape().Equal(src.Shape()) {
				t.Fatalf("%v to %v gives %v", from, to, dst)
			}
			if from == to {
				continue // TestConvertSameType
			}
			for i := int(to) % stride; i < len(values); i += stride {
				x, got := values[i], elementAt(dst, i)
				bad := false
				var want any
				switch to.Class() {
				case ClassFloat:
					w := wantFloat(to, x, lines[to])
					g := got.special
					if got.rat != nil {
						g, _ = got.rat.Float64()
						g = math.Copysign(g, map[bool]float64{true: -1, false: 1}[got.neg])
					}
					bad, want = !sameBits(g, w), w
				case ClassBool:
					w := x.rat == nil || x.rat.Sign() != 0
					bad, want = (got.rat.Sign() != 0) != w, w
				default:
					w := wantInt(to, x, from.Class() == ClassFloat)
					bad, want = got.rat.Cmp(new(big.Rat).SetInt(w)) != 0, w
				}
				if bad {
					t.Fatalf("%v to %v: element %d, %v, gives %v, want %v", from, to, i, show(x), show(got), want)
				}
			}
		}
	}
}

func show(x exact) string {
	if x.rat == nil {
		return fmt.Sprint(x.special)
	}
	f, _ := x.rat.Float64()
	return fmt.Sprintf("%s (%v)", x.rat.RatString(), f)
}

func TestConvertSameType(t *testing.T) {
	for _, d := range DTypes() {
		src := Must(New(d, 2, 5))
		if d == String {
			copy(Elements[string](src), []string{"a", "", "c"})
		} else {
			for i := range src.Storage() {
				src.Storage()[i] = byte(i * 37)
			}
			if d.Bits() == 2 { // 10 elements leave half of the last byte
				src.Storage()[2] &= 0x0f
			}
		}
		dst := Must(Convert(src, d, ConvertOptions{}))
		if d == String {
			if got := Elements[string](dst); got[0] != "a" || got[2] != "c" || len(got) != 10 {
				t.Errorf("string: got %q", got)
			}
			continue
		}
		if string(dst.Storage()) != string(src.Storage()) {
			t.Errorf("%v: got %x, want %x", d, dst.Storage(), src.Storage())
		}
		if &dst.Storage()[0] == &src.Storage()[0] {
			t.Errorf("%v: the result aliases the source", d)
		}
	}
}

// ONNX's backend tests of Cast from float to the integers of 4 and 2 bits, and the
// two examples in the operator's text.
func TestConvertPackedVectors(t *testing.T) {
	ramp := func(lo, hi int) *Tensor {
		var v []float32
		for i := lo; i < hi; i++ {
			v = append(v, float32(i))
		}
		return Must(FromSlice(v))
	}
	tests := []struct {
		src  *Tensor
		to   DType
		want string
	}{
		{ramp(-9, 16), Int4, "87a9cbed0f21436587a9cbed0f"},
		{ramp(-9, 16), Uint4, "87a9cbed0f21436587a9cbed0f"},
		{ramp(-3, 4), Int2, "3939"},
		{ramp(-3, 4), Uint2, "3939"},
		{Must(FromSlice([]int16{200})), Int8, "c8"}, // -56
		{Must(FromSlice([]int16{200})), Int4, "08"}, // -8
		{Must(FromSlice([]float32{0.5, 1.5, 2.5, -0.5, -1.5})), Int4, "20020e"},
	}
	for _, tt := range tests {
		got, err := Convert(tt.src, tt.to, ConvertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprintf("%x", got.Storage()); s != tt.want {
			t.Errorf("%v to %v: got %s, want %s", tt.src, tt.to, s, tt.want)
		}
	}
}

func TestConvertOptions(t *testing.T) {
	src := Must(FromSlice([]float32{1e6, -1e6, 3}))
	no := ConvertOptions{NoSaturate: true}
	for _, tt := range []struct {
		to   DType
		opts ConvertOptions
		want string
	}{
		{Float8E4M3FN, ConvertOptions{}, "7efe44"},
		{Float8E4M3FN, no, "7fff44"},
		{Float8E4M3FNUZ, no, "80804c"},
		{Float8E5M2, no, "7cfc42"},
		{Float8E5M2FNUZ, no, "808046"},
		{Float8E8M0, ConvertOptions{}, "930081"},
		{Float8E8M0, ConvertOptions{Round: RoundDown}, "920080"},
		{Float8E8M0, ConvertOptions{NoSaturate: true, Round: RoundNearest}, "93ff81"},
	} {
		if got := fmt.Sprintf("%x", Must(Convert(src, tt.to, tt.opts)).Storage()); got != tt.want {
			t.Errorf("%v with %+v: got %s, want %s", tt.to, tt.opts, got, tt.want)
		}
	}
}

func TestConvertViews(t *testing.T) {
	base := Must(FromSlice([]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4))
	reversed := Must(base.Slice(1, 3, 2, -3)) // columns 3 and 0
	column := Must(base.Slice(1, 2, 1, 1))
	tests := []struct {
		name string
		src  *Tensor
		want []int64
	}{
		{"transpose", Must(base.Transpose()), []int64{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
		{"negative stride", reversed, []int64{3, 0, 7, 4, 11, 8}},
		{"zero stride", Must(column.BroadcastTo(3, 3)), []int64{2, 2, 2, 6, 6, 6, 10, 10, 10}},
		{"offset", Must(base.Slice(0, 1, 2, 1)), []int64{4, 5, 6, 7, 8, 9, 10, 11}},
		{"scalar", Must(base.View(Shape{}, nil, 7)), []int64{7}},
		{"empty", Must(base.Slice(0, 3, 0, 1)), nil},
	}
	for _, tt := range tests {
		for _, d := range []DType{Int64, Uint8, Float16, Int4, Float64} {
			got, err := Convert(tt.src, d, ConvertOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range tt.want {
				if d == Int4 {
					w = w << 60 >> 60
				}
				if x := elementAt(got, i); x.rat.Cmp(big.NewRat(w, 1)) != 0 {
					t.Errorf("%s to %v: element %d is %v, want %v", tt.name, d, i, show(x), w)
				}
			}
		}
		// The same windows as destination: the rest of the storage must stay.
		if tt.name == "zero stride" {
			continue
		}
		dst := Must(Convert(base, Int32, ConvertOptions{}))
		for i := range Elements[int32](dst) {
			Elements[int32](dst)[i] = -1
		}
		window := Must(dst.View(tt.src.Shape(), tt.src.Strides(), tt.src.Offset()))
		if err := ConvertInto(window, tt.src, ConvertOptions{}); err != nil {
			t.Fatal(err)
		}
		member := map[int32]bool{}
		for _, w := range tt.want {
			member[int32(w)] = true
		}
		for i, v := range Elements[int32](dst) {
			if want := int32(i); member[want] && v != want || !member[want] && v != -1 {
				t.Errorf("into %s: storage element %d is %d", tt.name, i, v)
			}
		}
	}
}

// A packed window that starts and ends inside a byte must leave its neighbours.
func TestConvertIntoPackedWindow(t *testing.T) {
	for _, d := range []DType{Int4, Uint4, Int2, Uint2, Float4E2M1} {
		for off := range 5 {
			for n := range 6 {
				ones := make([]int8, 16)
				for i := range ones {
					ones[i] = 1
				}
				base := Must(Pack(d, ones, 16))
				window := Must(base.View(Shape{n}, nil, off))
				if err := ConvertInto(window, Must(New(Float32, n)), ConvertOptions{}); err != nil {
					t.Fatal(err)
				}
				for i, v := range must(Unpack(base)) {
					want := int8(1)
					if i >= off && i < off+n {
						want = 0
					}
					if v != want {
						t.Fatalf("%v window [%d,%d): element %d is %d, want %d", d, off, off+n, i, v, want)
					}
				}
				if got := must(Unpack(window)); len(got) != n {
					t.Fatalf("%v: window of %d unpacks to %d", d, n, len(got))
				}
			}
		}
	}
}

func TestConvertBoolBytes(t *testing.T) {
	src := Must(FromBytes(Bool, []byte{0, 1, 2, 255}, 4))
	got := Elements[int32](Must(Convert(src, Int32, ConvertOptions{})))
	if fmt.Sprint(got) != "[0 1 1 1]" {
		t.Errorf("got %v, want [0 1 1 1]", got)
	}
}

func TestConvertComplex(t *testing.T) {
	c := Must(FromSlice([]complex64{1 + 2i, -3}))
	if got := Elements[complex128](Must(Convert(c, Complex128, ConvertOptions{}))); got[0] != 1+2i || got[1] != -3 {
		t.Errorf("complex64 to complex128: got %v", got)
	}
	for _, d := range DTypes() {
		if d.Class() == ClassComplex {
			continue
		}
		if _, err := Convert(c, d, ConvertOptions{}); err == nil {
			t.Errorf("complex64 to %v: no error", d)
		}
		if _, err := Convert(Must(New(d, 1)), Complex64, ConvertOptions{}); err == nil {
			t.Errorf("%v to complex64: no error", d)
		}
	}
}

func TestConvertErrors(t *testing.T) {
	src := Must(New(Float32, 2, 3))
	if err := ConvertInto(Must(New(Int8, 3, 2)), src, ConvertOptions{}); err == nil {
		t.Error("shapes 2x3 and 3x2: no error")
	}
	if _, err := Convert(src, Undefined, ConvertOptions{}); err == nil {
		t.Error("to undefined: no error")
	}
	if _, err := Convert(src, DType(200), ConvertOptions{}); err == nil {
		t.Error("to type 200: no error")
	}
}

func TestConvertEmpty(t *testing.T) {
	for _, from := range DTypes() {
		for _, to := range DTypes() {
			if (from.Class() == ClassComplex) != (to.Class() == ClassComplex) {
				continue
			}
			got, err := Convert(Must(New(from, 3, 0)), to, ConvertOptions{})
			if err != nil || got.Size() != 0 || !got.Shape().Equal(Shape{3, 0}) {
				t.Errorf("%v to %v: %v, %v", from, to, got, err)
			}
		}
	}
}

func TestConvertIntoAllocatesNothing(t *testing.T) {
	for _, from := range DTypes() {
		for _, to := range DTypes() {
			if from == String || to == String || (from.Class() == ClassComplex) != (to.Class() == ClassComplex) {
				continue
			}
			src, dst := Must(New(from, 1000)), Must(New(to, 1000))
			if n := testing.AllocsPerRun(5, func() { _ = ConvertInto(dst, src, ConvertOptions{}) }); n > 0 {
				t.Errorf("%v to %v allocates %v times", from, to, n)
			}
		}
	}
}
