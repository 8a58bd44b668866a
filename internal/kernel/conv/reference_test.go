package conv

import (
	"fmt"
	"math/rand/v2"
)

// naive is the definition, term by term in float64.
func naive(g *Geometry, x, w, bias []float64) []float64 {
	plane, taps, pixels := product(g.Input), product(g.Kernel), product(g.Output)
	y := make([]float64, g.Batch*g.Groups*g.Out*pixels)
	for n := range g.Batch {
		for m := range g.Groups * g.Out {
			o := make([]int, len(g.Output))
			for i := range pixels {
				sum := 0.0
				if bias != nil {
					sum = bias[m]
				}
				for c := range g.In {
					k := make([]int, len(g.Kernel))
					for t := range taps {
						at, inside := 0, true
						for d := range k {
							p := o[d]*g.Strides[d] - g.Begin[d] + k[d]*g.Dilations[d]
							inside = inside && p >= 0 && p < g.Input[d]
							at = at*g.Input[d] + p
						}
						if inside {
							sum += x[(n*g.Groups*g.In+m/g.Out*g.In+c)*plane+at] * w[(m*g.In+c)*taps+t]
						}
						step(k, g.Kernel)
					}
				}
				y[(n*g.Groups*g.Out+m)*pixels+i] = sum
				step(o, g.Output)
			}
		}
	}
	return y
}

// randomGeometry makes a small convolution of one to four dimensions.
func randomGeometry(r *rand.Rand) Geometry {
	g := Geometry{Batch: r.IntN(3), Groups: 1 + r.IntN(3), In: 1 + r.IntN(4), Out: 1 + r.IntN(14)}
	if r.IntN(4) == 0 {
		g.In, g.Out = 1, 1+r.IntN(2)
	}
	if r.IntN(5) == 0 {
		g.In, g.Out = 60+r.IntN(200), 1+r.IntN(60)
	}
	if g.Batch == 0 && r.IntN(4) > 0 {
		g.Batch = 1
	}
	rank := 1 + r.IntN(2) + r.IntN(2) + r.IntN(2)
	size := []int{40, 14, 6, 4}[rank-1]
	for range rank {
		k, s, d := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2)
		if r.IntN(3) == 0 {
			k, s, d = 1, 1, 1
		}
		in := 1 + r.IntN(size)
		begin, end := r.IntN(k*d+1), r.IntN(k*d+1)
		room := in + begin + end - (k-1)*d - 1
		if room < 0 {
			in -= room
			room = 0
		}
		g.Input, g.Kernel = append(g.Input, in), append(g.Kernel, k)
		g.Strides, g.Dilations = append(g.Strides, s), append(g.Dilations, d)
		g.Begin, g.Output = append(g.Begin, begin), append(g.Output, room/s+1)
	}
	return g
}

func randoms(r *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(float32(r.NormFloat64()))
	}
	return s
}

func narrow(s []float64) []float32 {
	if s == nil {
		return nil
	}
	out := make([]float32, len(s))
	for i, v := range s {
		out[i] = float32(v)
	}
	return out
}

func describe(seed uint64, g *Geometry) string { return fmt.Sprintf("seed %d: %+v", seed, *g) }
