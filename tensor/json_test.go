package tensor

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestToJSON(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		v    Value
		want string
	}{
		{Must(FromSlice([]float32{1, 0.1, float32(nan), 3e38}, 2, 2)), `{"dtype":"float32","shape":[2,2],"data":[[1,0.1],["NaN",3e+38]]}`},
		{Must(FromSlice([]float64{0.1, inf, -inf})), `{"dtype":"float64","shape":[3],"data":[0.1,"Infinity","-Infinity"]}`},
		{Must(Must(FromSlice([]int8{1, 2, 3, 4}, 2, 2)).Transpose()), `{"dtype":"int8","shape":[2,2],"data":[[1,3],[2,4]]}`},
		{Scalar(int64(math.MinInt64)), `{"dtype":"int64","shape":[],"data":-9223372036854775808}`},
		{Scalar(uint64(math.MaxUint64)), `{"dtype":"uint64","shape":[],"data":18446744073709551615}`},
		{Must(FromSlice([]string{"a\"b"})), `{"dtype":"string","shape":[1],"data":["a\"b"]}`},
		{Must(FromSlice([]bool{true, false})), `{"dtype":"bool","shape":[2],"data":[true,false]}`},
		{Must(FromSlice([]complex64{1 + 2i})), `{"dtype":"complex64","shape":[1],"data":[[1,2]]}`},
		{Must(FromSlice([]complex128{complex(nan, 0.5)})), `{"dtype":"complex128","shape":[1],"data":[["NaN",0.5]]}`},
		{Must(FromSlice([]F16{0x3c00, 0xfc00})), `{"dtype":"float16","shape":[2],"data":[1,"-Infinity"]}`},
		{Must(Pack(Int4, []int8{-8, 7, 1}, 3)), `{"dtype":"int4","shape":[3],"data":[-8,7,1]}`},
		{Must(New(Float32, 1<<26, 0)), `{"dtype":"float32","shape":[67108864,0],"data":[]}`},
		{&Sequence{Items: []Value{Scalar(int8(1))}}, `[{"dtype":"int8","shape":[],"data":1}]`},
		{&Sequence{}, `[]`},
		{&Optional{}, `null`},
		{nil, `null`},
		{&Map{Keys: Scalar("k"), Values: Scalar(int8(1))}, `{"keys":{"dtype":"string","shape":[],"data":"k"},"values":{"dtype":"int8","shape":[],"data":1}}`},
		{&Map{}, `{"keys":null,"values":null}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(ToJSON(tt.v))
		if err != nil {
			t.Errorf("%v: %v", tt.v, err)
			continue
		}
		if string(got) != tt.want {
			t.Errorf("%v:\n got %s\nwant %s", tt.v, got, tt.want)
		}
	}
}

func TestFromJSON(t *testing.T) {
	tests := []struct {
		in    string
		want  DType
		dtype DType
		shape Shape
		elems string
	}{
		{"3", Undefined, Int64, Shape{}, "[3]"},
		{"[1, 2.5]", Undefined, Float32, Shape{2}, "[1 2.5]"},
		{"[1, 2e0]", Undefined, Float32, Shape{2}, "[1 2]"},
		{"[1, -2]", Undefined, Int64, Shape{2}, "[1 -2]"},
		{`[1, "NaN"]`, Undefined, Float32, Shape{2}, "[1 nan]"},
		{`["a", "NaN"]`, Undefined, String, Shape{2}, `["a" "NaN"]`},
		{"[[true], [false]]", Undefined, Bool, Shape{2, 1}, "[true false]"},
		{"[]", Undefined, Float32, Shape{0}, "[]"},
		{"[[], []]", Int8, Int8, Shape{2, 0}, "[]"},
		{"[[1, 2, 3], [4, 5, 6]]", Float32, Float32, Shape{2, 3}, "[1 2 3 4 5 6]"},
		{`["Infinity", "-Infinity", "NaN", 1]`, Float64, Float64, Shape{4}, "[inf -inf nan 1]"},
		{"[0.1, 65504]", Float16, Float16, Shape{2}, "[0.1 65500]"},
		{"[-8, 7]", Int4, Int4, Shape{2}, "[-8 7]"},
		{"[0, 3, 1]", Uint2, Uint2, Shape{3}, "[0 3 1]"},
		{"[6, -0.5]", Float4E2M1, Float4E2M1, Shape{2}, "[6 -0.5]"},
		{"[2.0, 1e3]", Int32, Int32, Shape{2}, "[2 1000]"},
		{"18446744073709551615", Uint64, Uint64, Shape{}, "[18446744073709551615]"},
		{"-9223372036854775808", Int64, Int64, Shape{}, "[-9223372036854775808]"},
		{"[0, 1, true]", Bool, Bool, Shape{3}, "[false true true]"},
		{"[[1, 2], [3, -4]]", Complex64, Complex64, Shape{2}, "[1+2i 3-4i]"},
		{"[1, 2]", Complex128, Complex128, Shape{}, "[1+2i]"},
		{"[]", Complex128, Complex128, Shape{0}, "[]"},
		{` {"dtype": "int8", "shape": [2, 1], "data": [[1], [2]]} `, Undefined, Int8, Shape{2, 1}, "[1 2]"},
		{`{"data": [1, 2, 3, 4], "shape": [2, 2]}`, Undefined, Int64, Shape{2, 2}, "[1 2 3 4]"},
		{`{"dtype": "int8", "data": [1]}`, Float32, Float32, Shape{1}, "[1]"},
		{`{"dtype": "double", "shape": [67108864, 0], "data": []}`, Undefined, Float64, Shape{1 << 26, 0}, "[]"},
	}
	for _, tt := range tests {
		got, err := FromJSON([]byte(tt.in), tt.want)
		if err != nil {
			t.Errorf("%s as %v: %v", tt.in, tt.want, err)
			continue
		}
		if got.DType() != tt.dtype || !got.Shape().Equal(tt.shape) || elements(got) != tt.elems {
			t.Errorf("%s as %v: got %v %s, want %v %v %s", tt.in, tt.want, got, elements(got), tt.dtype, tt.shape, tt.elems)
		}
	}
}

func TestFromJSONErrors(t *testing.T) {
	deep := strings.Repeat("[", 100000)
	tests := []struct {
		in   string
		want DType
		says string
	}{
		{"", Undefined, "JSON"}, {"[1, 2", Undefined, "JSON"}, {"[1,]", Undefined, "JSON"}, {"nonsense", Undefined, "JSON"}, {"[1] 2", Undefined, "follows"},
		{deep, Undefined, "64 deep"}, {deep + strings.Repeat("]", 100000), Undefined, "64 deep"},
		{"[[1], 2]", Undefined, "unevenly"}, {"[1, [2]]", Undefined, "unevenly"}, {"[[1], [2, 3]]", Undefined, "a list of 2"}, {"[[], 1]", Undefined, "unevenly"},
		{"[[], [[]]]", Undefined, "a list of 1"}, {"[[[]], []]", Undefined, "a list of 0"}, {"[null]", Undefined, "null"}, {"[{}]", Undefined, "object"},
		{"[true, 1]", Undefined, "true"}, {`["a", 1]`, Undefined, "a"}, {`["a"]`, Float32, "a"}, {"[1]", String, "1"}, {"[2]", Bool, "2"}, {"[true]", Int8, "true"},
		{"[128]", Int8, "128"}, {"[-1]", Uint8, "-1"}, {"[-1]", Uint64, "-1"}, {"[1.5]", Int32, "1.5"}, {"[9223372036854775808]", Int64, "9223372036854775808"},
		{"[8]", Int4, "8"}, {"[-9]", Int4, "-9"}, {"[4]", Uint2, "4"}, {"[1e39]", Float32, "1e39"}, {"[1e400]", Float64, "1e400"},
		{"[1]", Complex64, "[re, im]"}, {"1", Complex64, "[re, im]"}, {"[1]", DType(99), "dtype(99)"},
		{"{}", Undefined, "no data"}, {`{"data": [1], "dtype": "float128"}`, Undefined, "float128"}, {`{"data": [1], "shape": [2]}`, Undefined, "shape"},
		{`{"data": [[1, 2]], "shape": [2]}`, Undefined, "shape"}, {`{"data": [1], "shape": "x"}`, Undefined, "JSON"}, {`{"data": [1], "shape": [-1]}`, Undefined, "negative"},
		{`{"data": [], "shape": [2000000000, 2000000000]}`, Undefined, "large"},
	}
	for _, tt := range tests {
		got, err := FromJSON([]byte(tt.in), tt.want)
		var e *FormatError
		if !errors.As(err, &e) || e.Format != "json" {
			t.Errorf("%.40s as %v: got %v, %v, want a *FormatError", tt.in, tt.want, got, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%.40s as %v: error %q lacks %q", tt.in, tt.want, err, tt.says)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for _, d := range DTypes() {
		src := Must(New(d, 3, 5))
		switch {
		case d == String:
			copy(src.strs, []string{"", "a", "NaN", "日本"})
		case isNumber(d):
			src = samples(d)
		}
		data, err := json.Marshal(ToJSON(src))
		if err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		got, err := FromJSON(data, Undefined)
		if err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		if err := Compare(got, src, 0, 0); err != nil {
			t.Errorf("%v: %v", d, err)
		}
	}
}

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{"1", "[]", "[[1,2],[3,4]]", `["a"]`, "[true]", `{"dtype":"int8","shape":[1],"data":[1]}`, `["NaN"]`, "[[", "{"} {
		f.Add([]byte(s), uint8(0))
		f.Add([]byte(s), uint8(Float32))
	}
	f.Fuzz(func(t *testing.T, in []byte, want uint8) {
		got, err := FromJSON(in, DType(want))
		if err != nil {
			var e *FormatError
			if !errors.As(err, &e) {
				t.Fatalf("error %v (%T) is not a *FormatError", err, err)
			}
			return
		}
		out, err := json.Marshal(ToJSON(got))
		if err != nil {
			t.Fatal(err)
		}
		again, err := FromJSON(out, Undefined)
		if err != nil {
			t.Fatalf("%s comes out as %s: %v", in, out, err)
		}
		if err := Compare(again, got, 0, 0); err != nil {
			t.Fatalf("%s comes out as %s: %v", in, out, err)
		}
	})
}
