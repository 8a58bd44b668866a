package tensor

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCompareEqual(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	seq := func(items ...Value) Value { return &Sequence{Items: items} }
	strMap := func(keys []string, values ...float32) Value {
		return &Map{Keys: Must(FromSlice(keys)), Values: Must(FromSlice(values))}
	}
	some := Scalar(int32(3))
	tests := []struct {
		name       string
		got, want  Value
		rtol, atol float64
	}{
		{"exact", Must(FromSlice([]float32{1, 2})), Must(FromSlice([]float32{1, 2})), 0, 0},
		{"nan", Must(FromSlice([]float64{nan, 1})), Must(FromSlice([]float64{nan, 1})), 0, 0},
		{"nan payloads", Must(FromSlice([]F16{0x7e00})), Must(FromSlice([]F16{0xfe01})), 0, 0},
		{"infinities", Must(FromSlice([]float64{inf, -inf})), Must(FromSlice([]float64{inf, -inf})), 0, 0},
		{"zeros", Scalar(0.0), Scalar(math.Copysign(0, -1)), 0, 0},
		{"atol at the limit", Scalar(1.5), Scalar(1.0), 0, 0.5},
		{"rtol at the limit", Scalar(12.0), Scalar(10.0), 0.2, 0},
		{"rtol of want, not got", Scalar(-12.0), Scalar(-10.0), 0.2, 0},
		{"both", Scalar(12.5), Scalar(10.0), 0.2, 0.5},
		{"int within", Scalar(int64(101)), Scalar(int64(100)), 0, 1},
		{"uint within, below", Scalar(uint8(99)), Scalar(uint8(100)), 0, 1},
		{"string", Must(FromSlice([]string{"a", ""})), Must(FromSlice([]string{"a", ""})), 0, 0},
		{"bool bytes", Must(FromBytes(Bool, []byte{2, 0}, 2)), Must(FromSlice([]bool{true, false})), 0, 0},
		{"complex", Scalar(complex64(3 + 4i)), Scalar(complex64(3)), 0, 4},
		{"complex nan", Scalar(complex(nan, 0)), Scalar(complex(0, nan)), 0, 0},
		{"packed", Must(Pack(Int4, []int8{-8, 7, 1}, 3)), Must(Pack(Int4, []int8{-8, 7, 1}, 3)), 0, 0},
		{"empty", Must(New(Float32, 0, 3)), Must(New(Float32, 0, 3)), 0, 0},
		{"view", Must(Must(FromSlice([]int8{1, 2, 3, 4}, 2, 2)).Transpose()), Must(FromSlice([]int8{1, 3, 2, 4}, 2, 2)), 0, 0},
		{"sequence", seq(some, Scalar("x")), seq(Scalar(int32(3)), Scalar("x")), 0, 0},
		{"empty sequences", seq(), seq(), 0, 0},
		{"optional", &Optional{Value: some}, &Optional{Value: some}, 0, 0},
		{"optional and its content", some, &Optional{Value: some}, 0, 0},
		{"nothing", &Optional{}, &Optional{}, 0, 0},
		{"nothing and nil", nil, &Optional{}, 0, 0},
		{"map in another order", strMap([]string{"a", "b"}, 1, 2), strMap([]string{"b", "a"}, 2, 1), 0, 0},
		{"map of sequence and map of tensor",
			&Map{Keys: Must(FromSlice([]int64{7, -1})), Values: seq(Scalar(float32(1)), Scalar(float32(2)))},
			&Map{Keys: Must(FromSlice([]int64{-1, 7})), Values: Must(FromSlice([]float32{2, 1}))}, 0, 0},
	}
	for _, tt := range tests {
		if err := Compare(tt.got, tt.want, tt.rtol, tt.atol); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestCompareMismatch(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f64 := func(v ...float64) *Tensor { return Must(FromSlice(v)) }
	seq := func(items ...Value) Value { return &Sequence{Items: items} }
	tests := []struct {
		name       string
		got, want  Value
		rtol, atol float64
		mismatch   MismatchError
	}{
		{"element", Must(FromSlice([]float32{1, 2, 3, 5, 5, 8}, 2, 3)), Must(FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)), 0, 0.5,
			MismatchError{Index: []int{1, 0}, Got: "5", Want: "4", Count: 2, Total: 6, MaxAbs: 2, MaxRel: 2.0 / 6}},
		{"beyond atol", f64(math.Nextafter(1.5, 2)), f64(1), 0, 0.5, MismatchError{Index: []int{0}, Got: "1.5000000000000002", Want: "1", Count: 1, Total: 1, MaxAbs: 0.5000000000000002, MaxRel: 0.5000000000000002}},
		{"nan got", f64(nan), f64(1), 9, 9, MismatchError{Index: []int{0}, Got: "nan", Want: "1", Count: 1, Total: 1}},
		{"nan want", f64(1), f64(nan), 9, 9, MismatchError{Index: []int{0}, Got: "1", Want: "nan", Count: 1, Total: 1}},
		{"infinity by sign", f64(inf, -inf), f64(inf, inf), 9, 9, MismatchError{Index: []int{1}, Got: "-inf", Want: "inf", Count: 1, Total: 2}},
		{"finite for infinite", f64(1e308), f64(inf), 9, 9, MismatchError{Index: []int{0}, Got: "1e+308", Want: "inf", Count: 1, Total: 1}},
		{"infinite for finite", f64(inf), f64(1), 9, 9, MismatchError{Index: []int{0}, Got: "inf", Want: "1", Count: 1, Total: 1}},
		{"relative to want", f64(12), f64(10), 0.19, 0, MismatchError{Index: []int{0}, Got: "12", Want: "10", Count: 1, Total: 1, MaxAbs: 2, MaxRel: 0.2}},
		{"huge ints", Scalar(int64(1<<62 + 1)), Scalar(int64(1 << 62)), 0, 0.5,
			MismatchError{Index: []int{}, Got: "4611686018427387905", Want: "4611686018427387904", Count: 1, Total: 1, MaxAbs: 1, MaxRel: 0x1p-62}},
		{"int64 extremes", Scalar(int64(math.MaxInt64)), Scalar(int64(math.MinInt64)), 0, 1,
			MismatchError{Index: []int{}, Got: "9223372036854775807", Want: "-9223372036854775808", Count: 1, Total: 1, MaxAbs: 0x1p64, MaxRel: 2}},
		{"huge uints", Scalar(uint64(math.MaxUint64)), Scalar(uint64(math.MaxUint64 - 1)), 0, 0.5,
			MismatchError{Index: []int{}, Got: "18446744073709551615", Want: "18446744073709551614", Count: 1, Total: 1, MaxAbs: 1, MaxRel: 0x1p-64}},
		{"strings", Must(FromSlice([]string{"a", "b"})), Must(FromSlice([]string{"a", "c"})), 9, 9,
			MismatchError{Index: []int{1}, Got: `"b"`, Want: `"c"`, Count: 1, Total: 2}},
		{"bools", Scalar(true), Scalar(false), 9, 9, MismatchError{Index: []int{}, Got: "true", Want: "false", Count: 1, Total: 1}},
		{"complex", Scalar(complex(3, 4)), Scalar(complex(0, 0)), 0, 4.9, MismatchError{Index: []int{}, Got: "3+4i", Want: "0+0i", Count: 1, Total: 1, MaxAbs: 5}},
		{"int4", Must(Pack(Int4, []int8{1, -8, 1}, 3)), Must(Pack(Int4, []int8{1, 7, 1}, 3)), 0, 0,
			MismatchError{Index: []int{1}, Got: "-8", Want: "7", Count: 1, Total: 3, MaxAbs: 15, MaxRel: 15.0 / 7}},
		{"type", Scalar(int32(1)), Scalar(int64(1)), 0, 0, MismatchError{Reason: "element type", Got: "int32", Want: "int64"}},
		{"shape", Must(New(Int8, 2, 3)), Must(New(Int8, 3, 2)), 0, 0, MismatchError{Reason: "shape", Got: "2x3", Want: "3x2"}},
		{"rank", Must(New(Int8)), Must(New(Int8, 1)), 0, 0, MismatchError{Reason: "shape", Got: "scalar", Want: "1"}},
		{"kind", Scalar(int8(1)), seq(), 0, 0, MismatchError{Reason: "kind", Got: "int8 scalar", Want: "seq(unknown) of 0 []"}},
		{"nothing", &Optional{}, Scalar(int8(1)), 0, 0, MismatchError{Reason: "presence", Got: "nothing", Want: "int8 scalar"}},
		{"length", seq(Scalar(int8(1))), seq(), 0, 0, MismatchError{Reason: "length", Got: "1", Want: "0"}},
		{"item", seq(Scalar(int8(1)), seq(Scalar(int8(2)))), seq(Scalar(int8(1)), seq(Scalar(int8(3)))), 0, 0,
			MismatchError{Path: "[1][0]", Index: []int{}, Got: "2", Want: "3", Count: 1, Total: 1, MaxAbs: 1, MaxRel: 1.0 / 3}},
		{"map value", &Map{Keys: Scalar("k"), Values: f64(1)}, &Map{Keys: Scalar("k"), Values: f64(2)}, 0, 0,
			MismatchError{Path: `["k"]`, Index: []int{}, Got: "1", Want: "2", Count: 1, Total: 1, MaxAbs: 1, MaxRel: 0.5}},
		{"map key", &Map{Keys: Scalar("k"), Values: f64(1)}, &Map{Keys: Scalar("l"), Values: f64(1)}, 0, 0,
			MismatchError{Path: `["l"]`, Reason: "key", Got: "nothing", Want: `"l"`}},
	}
	for _, tt := range tests {
		err := Compare(tt.got, tt.want, tt.rtol, tt.atol)
		var e *MismatchError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a *MismatchError", tt.name, err)
			continue
		}
		m := tt.mismatch
		if e.Path != m.Path || e.Reason != m.Reason || !slices.Equal(e.Index, m.Index) || e.Got != m.Got || e.Want != m.Want ||
			e.Count != m.Count || e.Total != m.Total || e.MaxAbs != m.MaxAbs || e.MaxRel != m.MaxRel {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, *e, m)
		}
		if !strings.Contains(err.Error(), e.Want) {
			t.Errorf("%s: message %q lacks %q", tt.name, err, e.Want)
		}
	}
}

// A map that lies about its values must be an error, not a panic.
func TestCompareMalformedMap(t *testing.T) {
	good := &Map{Keys: Must(FromSlice([]int64{1, 2})), Values: Must(FromSlice([]float32{1, 2}))}
	for name, bad := range map[string]*Map{
		"no keys":        {},
		"too few values": {Keys: good.Keys, Values: Scalar(float32(1))},
		"no values":      {Keys: good.Keys},
		"repeated keys":  {Keys: Must(FromSlice([]int64{1, 1})), Values: good.Values},
	} {
		if err := Compare(bad, good, 0, 0); err == nil {
			t.Errorf("%s as got: no error", name)
		}
	}
}
