package blockquant

import (
	"math"
	"math/rand"
	"testing"

	"gort/internal/parallel"
)

// Every axis to pick from and to quantize along, with and without zero points and
// repeated scales, element by element.
func TestGatherRows(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	pool := parallel.New(2)
	defer pool.Close()
	for _, bits := range []int{2, 4, 8} {
		values := make([]float32, 1<<bits)
		for i := range values {
			values[i] = float32(r.Intn(64)) - 32
		}
		dims := []int{3, 5, 8} // whole bytes a line
		for pick := range dims {
			for axis := range dims {
				for kind := range 3 {
					g := &Gather{Data: Codes{bits, make([]uint8, 120*bits/8), values}, Dims: dims, Pick: pick, Axis: axis, Block: 2, Middle: 3}
					r.Read(g.Data.Packed)
					count := append([]int(nil), dims...)
					count[axis] = (dims[axis] + 1) / 2
					if kind == 2 { // one scale for all along another axis
						count[(axis+1)%3] = 1
					}
					g.ScaleStrides = make([]int, 3)
					scales := 1
					for i := 2; i >= 0; i-- {
						if count[i] > 1 || i == axis {
							g.ScaleStrides[i] = scales
						}
						scales *= count[i]
					}
					for range scales {
						g.Scales = append(g.Scales, r.Float32())
					}
					if kind == 1 {
						g.ScaleLine = count[2]
						g.ZeroLine = (count[2]*bits + 7) / 8 * 8 / bits
						g.Zeros = &Codes{bits, make([]uint8, scales/count[2]*g.ZeroLine*bits/8), values}
						r.Read(g.Zeros.Packed)
					}
					indices := []int64{1, int64(-dims[pick]), int64(dims[pick] - 1), 1}
					got := make([]float32, 120/dims[pick]*len(indices))
					if err := GatherRows(t.Context(), pool, g, indices, got); err != nil {
						t.Fatal(err)
					}
					shape := append([]int(nil), dims...)
					shape[pick] = len(indices)
					for i, v := range got {
						at := [3]int{i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]}
						at[pick] = (int(indices[at[pick]]) + dims[pick]) % dims[pick]
						code := func(packed []uint8, i int) float32 { return values[int(packed[i*bits/8])>>(i*bits%8)%(1<<bits)] }
						element := code(g.Data.Packed, (at[0]*5+at[1])*8+at[2])
						at[axis] /= 2
						var scale [3]int
						for d := range at {
							scale[d] = at[d] % count[d]
						}
						place := (scale[0]*count[1]+scale[1])*count[2] + scale[2]
						zero := float32(3)
						if kind == 1 {
							zero = code(g.Zeros.Packed, (scale[0]*count[1]+scale[1])*g.ZeroLine+scale[2])
						}
						if want := (element - zero) * g.Scales[place]; v != want {
							t.Fatalf("%d bits, pick %d, axis %d, kind %d: element %d is %v, want %v", bits, pick, axis, kind, i, v, want)
						}
					}
				}
			}
		}
	}
}

func TestGatherRowsRange(t *testing.T) {
	g := &Gather{Data: Codes{8, make([]uint8, 6), make([]float32, 256)}, Dims: []int{3, 2}, Axis: 1, Block: 16, Scales: make([]float32, 3), ScaleStrides: []int{1, 1}}
	for _, i := range []int32{3, -4, math.MaxInt32} {
		if err := GatherRows(t.Context(), nil, g, []int32{0, i}, make([]float32, 4)); err == nil {
			t.Errorf("index %d of 3 is taken", i)
		}
	}
	g.Dims[0] = 0
	if err := GatherRows(t.Context(), nil, g, []int32{0}, make([]float32, 2)); err == nil {
		t.Error("index 0 of none is taken")
	}
	if err := GatherRows(t.Context(), nil, g, []int32{}, nil); err != nil {
		t.Error("no indices of none:", err)
	}
}
