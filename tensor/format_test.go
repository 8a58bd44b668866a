package tensor

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func formatted(v Value, maxElems int) string {
	var b strings.Builder
	if err := Format(&b, v, maxElems); err != nil {
		panic(err)
	}
	return b.String()
}

func ramp(shape ...int) *Tensor {
	t := Must(New(Int32, shape...))
	for i := range Elements[int32](t) {
		Elements[int32](t)[i] = int32(i)
	}
	return t
}

func TestFormat(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name string
		v    Value
		max  int
		want string
	}{
		{"scalar", Scalar(1.5), 10, "float64 scalar\n1.5\n"},
		{"vector", Must(FromSlice([]float32{1, -0.5, nan, inf, 1e-7})), 10, "float32 5\n[    1  -0.5   nan   inf 1e-07]\n"},
		{"matrix", ramp(2, 3), 10, "int32 2x3\n[[0 1 2]\n [3 4 5]]\n"},
		{"three dimensions", ramp(2, 2, 2), 10, "int32 2x2x2\n[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"},
		{"transpose", Must(ramp(2, 3).Transpose()), 10, "int32 3x2\n[[0 3]\n [1 4]\n [2 5]]\n"},
		{"empty", ramp(0, 3), 10, "int32 0x3\n[]\n"},
		{"abridged", ramp(10), 9, "int32 10\n[0 1 2 ... 7 8 9]\n"},
		{"not abridged", ramp(10), 10, "int32 10\n[0 1 2 3 4 5 6 7 8 9]\n"},
		{"no limit", ramp(10), -1, "int32 10\n[0 1 2 3 4 5 6 7 8 9]\n"},
		{"abridged rows", ramp(8, 2), 1, "int32 8x2\n[[ 0  1]\n [ 2  3]\n [ 4  5]\n ...\n [10 11]\n [12 13]\n [14 15]]\n"},
		{"short dimensions whole", ramp(2, 6), 1, "int32 2x6\n[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]]\n"},
		{"strings", Must(FromSlice([]string{"a", "日本\n"})), 10, "string 2\n[   \"a\" \"日本\\n\"]\n"},
		{"bools", Must(FromSlice([]bool{true, false})), 10, "bool 2\n[ true false]\n"},
		{"complex", Must(FromSlice([]complex64{1 + 2i, complex(nan, -1)})), 10, "complex64 2\n[  1+2i nan-1i]\n"},
		{"uint64", Scalar(uint64(math.MaxUint64)), 10, "uint64 scalar\n18446744073709551615\n"},
		// 0.1 in each type, whose nearest number has many more digits.
		{"float16", Must(FromSlice([]F16{F16From(0.1), 0x7bff, 1})), 10, "float16 3\n[  0.1 65500 6e-08]\n"},
		{"bfloat16", Must(FromSlice([]BF16{BF16From(0.1)})), 10, "bfloat16 1\n[0.1]\n"},
		{"float8", Must(FromSlice([]F8E4M3FN{F8E4M3FNFrom(0.1, true), 0x7f, 0x7e})), 10, "float8e4m3fn 3\n[0.1 nan 450]\n"},
		{"float8e8m0", Must(FromSlice([]F8E8M0{127, 126})), 10, "float8e8m0 2\n[  1 0.5]\n"},
		{"int4", Must(Pack(Int4, []int8{-8, 7, 1}, 3)), 10, "int4 3\n[-8  7  1]\n"},
		{"uint2", Must(Pack(Uint2, []int8{3, 0, 1}, 3)), 10, "uint2 3\n[3 0 1]\n"},
		{"float4", Must(Pack(Float4E2M1, []int8{7, 9}, 2)), 10, "float4e2m1 2\n[   6 -0.5]\n"},
		{"nil", nil, 10, "nothing\n"},
		{"none", &Optional{Elem: TensorOf(Float32)}, 10, "optional(tensor(float)) none\n"},
		{"some", &Optional{Elem: TensorOf(Float32), Value: Scalar(float32(2))}, 10, "optional float32 scalar\n2\n"},
		{"sequence", &Sequence{Elem: TensorOf(Int32), Items: []Value{ramp(2), ramp(1, 1)}}, 10,
			"seq(tensor(int32)) of 2\n  [0] int32 2\n  [0 1]\n  [1] int32 1x1\n  [[0]]\n"},
		{"map", &Map{Keys: Must(FromSlice([]string{"cat", "dog"})), Values: Must(FromSlice([]float32{0.25, 0.75}))}, 10,
			"map(string,tensor(float)) of 2\n  \"cat\": 0.25\n  \"dog\": 0.75\n"},
		{"map of vectors", &Map{Keys: Scalar(int64(-1)), Values: &Sequence{Elem: TensorOf(Int32), Items: []Value{ramp(2)}}}, 10,
			"map(int64,tensor(int32)) of 1\n  -1: int32 2\n  [0 1]\n"},
		{"malformed map", &Map{}, 10, "map without keys\n"},
	}
	for _, tt := range tests {
		if got := formatted(tt.v, tt.max); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestFormatBreaksLongLines(t *testing.T) {
	out := formatted(ramp(1, 200), -1)
	lines := strings.Split(out, "\n")
	if len(lines) < 8 {
		t.Errorf("200 elements on %d lines", len(lines))
	}
	for _, l := range lines {
		if len(l) > lineWidth+4 {
			t.Errorf("a line of %d: %q", len(l), l)
		}
	}
	if got := len(strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(out))); got != 202 {
		t.Errorf("%d words, want 200 elements and the two of the title", got)
	}
	abridged := formatted(ramp(1000, 1000), 100)
	if len(abridged) > 1000 {
		t.Errorf("a million elements abridged to %d bytes", len(abridged))
	}
}

func TestFormatError(t *testing.T) {
	broken := errors.New("broken")
	if err := Format(failingWriter{broken}, ramp(3), 10); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// What is printed of a narrow float reads back as the same number.
func TestPrintedFloatsReadBack(t *testing.T) {
	for _, d := range DTypes() {
		if d.Class() != ClassFloat || d.Bits() > 16 {
			continue
		}
		all := samples(d)
		print := newPrinter(all)
		for i := 0; i < all.Size(); i += 1 + all.Size()/3000 {
			text := Must(FromSlice([]string{print(i)}))
			back, err := Convert(text, d, ConvertOptions{NoSaturate: true, Round: RoundNearest})
			if err != nil {
				t.Fatalf("%v: element %d prints as %s: %v", d, i, print(i), err)
			}
			one := Must(all.View(Shape{1}, nil, i))
			if err := Compare(back, one, 0, 0); err != nil {
				t.Fatalf("%v: element %d prints as %s, which reads as %s", d, i, print(i), elements(back))
			}
		}
	}
}
