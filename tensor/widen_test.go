package tensor

import (
	"fmt"
	"math"
	"testing"
)

func TestInt64s(t *testing.T) {
	for _, tt := range []struct {
		src  *Tensor
		want []int64
	}{
		{Must(FromSlice([]int64{1, -2})), []int64{1, -2}},
		{Must(FromSlice([]uint8{255})), []int64{255}},
		{Must(Must(FromSlice([]int32{1, 2, 3, 4}, 2, 2)).Transpose()), []int64{1, 3, 2, 4}},
		{Must(Pack(Int4, []int8{-8, 7, -1}, 3)), []int64{-8, 7, -1}},
		{Must(Pack(Uint4, []int8{8, 15, 1}, 3)), []int64{8, 15, 1}},
		{Must(New(Int16, 0)), []int64{}},
		{Must(FromSlice([]uint64{math.MaxInt64})), []int64{math.MaxInt64}},
	} {
		got, err := Int64s(tt.src)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("Int64s(%v) = %v, %v, want %v", tt.src, got, err, tt.want)
		}
	}
	for _, bad := range []*Tensor{Scalar(float32(1)), Scalar("1"), Scalar(true), Scalar(complex64(1)), Scalar(uint64(1 << 63)), Must(New(Float4E2M1, 1))} {
		if got, err := Int64s(bad); err == nil {
			t.Errorf("Int64s(%v) = %v, want an error", bad, got)
		}
	}
	src := Must(FromSlice([]int64{5}))
	must(Int64s(src))[0] = 9
	if Elements[int64](src)[0] != 5 {
		t.Error("Int64s gives out the tensor's own storage")
	}
}

func TestFloat64s(t *testing.T) {
	for _, tt := range []struct {
		src  *Tensor
		want []float64
	}{
		{Must(FromSlice([]float32{1.5, -2})), []float64{1.5, -2}},
		{Must(FromSlice([]F16{0x3c00})), []float64{1}},
		{Must(FromSlice([]int64{1<<53 + 1})), []float64{1 << 53}},
		{Must(FromSlice([]uint64{1<<64 - 1})), []float64{1 << 64}},
		{Must(Pack(Float4E2M1, []int8{7, 9}, 2)), []float64{6, -0.5}},
	} {
		got, err := Float64s(tt.src)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("Float64s(%v) = %v, %v, want %v", tt.src, got, err, tt.want)
		}
	}
	for _, bad := range []*Tensor{Scalar("1"), Scalar(true), Scalar(complex128(1))} {
		if got, err := Float64s(bad); err == nil {
			t.Errorf("Float64s(%v) = %v, want an error", bad, got)
		}
	}
}
