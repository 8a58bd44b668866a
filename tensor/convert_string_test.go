package tensor

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"testing"
)

func TestConvertToString(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		src  *Tensor
		want []string
	}{
		// Expectations for floats: C's printf("%.8g").
		{Must(FromSlice([]float64{100, 123456789, 0.1, 1e-5, 1e15, math.Pi, 16777216, 0.0001, 99999999.5, 1, 0})),
			[]string{"100", "1.2345679e+08", "0.1", "1e-05", "1e+15", "3.1415927", "16777216", "0.0001", "1e+08", "1", "0"}},
		{Must(FromSlice([]float64{math.NaN(), inf, -inf, math.Copysign(0, -1)})), []string{"NaN", "INF", "-INF", "-0"}},
		{Must(FromSlice([]float32{0.47892547, 0.1})), []string{"0.47892547", "0.1"}},
		{Must(FromSlice([]F16{0x3c00, 0x3555, 0x7c00})), []string{"1", "0.33325195", "INF"}},
		{Must(FromSlice([]F8E8M0{127, 255})), []string{"1", "NaN"}},
		{Must(FromSlice([]int8{-128, 127})), []string{"-128", "127"}},
		{Must(FromSlice([]int64{math.MinInt64, math.MaxInt64})), []string{"-9223372036854775808", "9223372036854775807"}},
		{Must(FromSlice([]uint64{math.MaxUint64})), []string{"18446744073709551615"}},
		{Must(FromSlice([]bool{true, false})), []string{"1", "0"}},
		{Must(Pack(Int4, []int8{-8, 7, 3}, 3)), []string{"-8", "7", "3"}},
		{Must(Pack(Uint2, []int8{3, 0, 1}, 3)), []string{"3", "0", "1"}},
		{Must(Pack(Float4E2M1, []int8{7, 15, 1}, 3)), []string{"6", "-6", "0.5"}},
	}
	for _, tt := range tests {
		got, err := Convert(tt.src, String, ConvertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if g := Elements[string](got); fmt.Sprintf("%q", g) != fmt.Sprintf("%q", tt.want) {
			t.Errorf("%v: got %q, want %q", tt.src, g, tt.want)
		}
	}
}

func TestConvertFromString(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	floats := []struct {
		in   string
		want float64
	}{
		{"3.14", 3.14}, {"1000", 1000}, {"1e-5", 1e-5}, {"1E8", 1e8}, {" 1.5\n", 1.5}, {"-2", -2}, {"+2", 2}, {".5", 0.5},
		{"+INF", inf}, {"INF", inf}, {"inf", inf}, {"-INF", -inf}, {"-inf", -inf}, {"Infinity", inf},
		{"NaN", nan}, {"nan", nan}, {"-nan", nan}, {"1e400", inf}, {"-1e400", -inf},
	}
	for _, tt := range floats {
		src := Scalar(tt.in)
		if got := Elements[float64](Must(Convert(src, Float64, ConvertOptions{})))[0]; !sameBits(got, tt.want) {
			t.Errorf("%q to float64: got %v, want %v", tt.in, got, tt.want)
		}
		if got := Elements[float32](Must(Convert(src, Float32, ConvertOptions{})))[0]; !sameBits(float64(got), float64(float32(tt.want))) {
			t.Errorf("%q to float32: got %v, want %v", tt.in, got, float32(tt.want))
		}
		if got := Elements[F16](Must(Convert(src, Float16, ConvertOptions{})))[0]; !sameBits(float64(got.Float32()), float64(F16FromFloat64(tt.want).Float32())) {
			t.Errorf("%q to float16: got %v, want %v", tt.in, got.Float32(), tt.want)
		}
	}
	// Halfway between two float32 plus a little that float64 can not hold.
	if got := Elements[float32](Must(Convert(Scalar("1.00000005960464477539062500000001"), Float32, ConvertOptions{})))[0]; got != 1.00000011920928955078125 {
		t.Errorf("string to float32 rounds twice: got %.20g", got)
	}
	ints := []struct {
		in   string
		to   DType
		want int64
	}{
		{"100", Int32, 100}, {"100.5", Int32, 100}, {"-7.9", Int8, -7}, {"1e3", Int16, 1000}, {"300", Int8, 44}, {"-1", Uint8, 255},
		{"9223372036854775807", Int64, math.MaxInt64}, {"18446744073709551615", Uint64, -1}, {"15", Int4, -1}, {"3", Uint2, 3},
		{"true", Bool, 1}, {"False", Bool, 0}, {"0", Bool, 0}, {"0.5", Bool, 1}, {"NaN", Bool, 1},
	}
	for _, tt := range ints {
		got, err := Convert(Scalar(tt.in), tt.to, ConvertOptions{})
		if err != nil {
			t.Errorf("%q to %v: %v", tt.in, tt.to, err)
			continue
		}
		if g := Elements[int64](Must(Convert(got, Int64, ConvertOptions{})))[0]; g != tt.want {
			t.Errorf("%q to %v: got %d, want %d", tt.in, tt.to, g, tt.want)
		}
	}
	for _, bad := range []string{"", "Hello World!", "1_000", "0x10", "0x1p3", "1.5abc", "--1", "1 2"} {
		for _, to := range []DType{Float32, Float64, Float16, Int32, Uint64, Bool, Int4, Float8E5M2} {
			if _, err := Convert(Scalar(bad), to, ConvertOptions{}); !errors.Is(err, strconv.ErrSyntax) {
				t.Errorf("%q to %v: got error %v, want a syntax error", bad, to, err)
			}
		}
	}
}
