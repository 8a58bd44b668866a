package ml

import (
	"fmt"
	"math"
)

// Numeric lists the element types of features.
type Numeric interface {
	float32 | float64 | int32 | int64
}

// Extract writes for each row of features those at the given indices.
func Extract[T any](x []T, features int, indices []int64, y []T) error {
	for i, ix := range indices {
		if ix < 0 || ix >= int64(features) {
			return fmt.Errorf("index %d is %d, allowed are 0 to %d", i, ix, features-1)
		}
	}
	n := len(indices)
	if n == 0 {
		return nil
	}
	for r := 0; r < len(y)/n; r++ {
		row, out := x[r*features:(r+1)*features], y[r*n:(r+1)*n]
		for i, ix := range indices {
			out[i] = row[ix]
		}
	}
	return nil
}

// Binarize writes 1 for what is above the threshold and 0 for the rest.
func Binarize[T Numeric](x []T, threshold float32, y []T) {
	for i, v := range x {
		y[i] = 0
		if float64(v) > float64(threshold) {
			y[i] = 1
		}
	}
}

// Vectorize copies rows of an input into columns of the output: size of them,
// with zeros for those the input lacks.
func Vectorize[T Numeric](x []T, rows, size int, y []float32, ldy int) {
	if rows == 0 {
		return
	}
	have := len(x) / rows
	for r := range rows {
		out := y[r*ldy : r*ldy+size]
		clear(out)
		for i, v := range x[r*have : r*have+min(have, size)] {
			out[i] = float32(v)
		}
	}
}

// Impute replaces one value, or NaN, by values: one for each feature or one for all.
func Impute[T Numeric](x []T, replaced T, values []T, y []T) {
	for i, v := range x {
		if v == replaced || v != v && replaced != replaced {
			v = values[i%len(values)]
		}
		y[i] = v
	}
}

// Norm is what a row is divided by.
type Norm uint8

// Norms.
const (
	NormMax Norm = iota
	NormL1
	NormL2
)

// ParseNorm reads the attribute norm.
func ParseNorm(s string) (Norm, error) {
	for i, n := range []string{"MAX", "L1", "L2"} {
		if n == s {
			return Norm(i), nil
		}
	}
	return NormMax, fmt.Errorf("is %q, allowed are MAX, L1, L2", s)
}

// Normalize divides each row of features by its largest element, the sum of its
// magnitudes or its Euclidean length; rows for which that is 0 stay.
func Normalize[T Numeric](n Norm, x []T, features int, y []float32) {
	if features == 0 {
		return
	}
	for ; len(x) >= features; x, y = x[features:], y[features:] {
		row := x[:features]
		d := 0.0
		switch n {
		case NormMax:
			d = math.Inf(-1)
			for _, v := range row {
				if float64(v) > d { // a NaN is no largest element
					d = float64(v)
				}
			}
		case NormL1:
			for _, v := range row {
				d += math.Abs(float64(v))
			}
		case NormL2:
			for _, v := range row {
				d += float64(v) * float64(v)
			}
			d = math.Sqrt(d)
		}
		if d == 0 {
			d = 1
		}
		for i, v := range row {
			y[i] = float32(float64(v) / d)
		}
	}
}

// Scale computes (x-offset)*scale; offsets and scales are one for each feature or
// one for all.
func Scale[T Numeric](x []T, offset, scale []float32, y []float32) {
	n := len(offset)
	if n == 1 && len(scale) == 1 {
		o, s := float64(offset[0]), float64(scale[0])
		for i, v := range x {
			y[i] = float32((float64(v) - o) * s)
		}
		return
	}
	f := max(n, len(scale))
	for i, v := range x {
		j := i % f
		y[i] = float32((float64(v) - float64(offset[j%n])) * float64(scale[j%len(scale)]))
	}
}

// OneHot writes for each element a row with a 1 at its category. It fails on an
// element without category unless those give rows of zeros.
func OneHot[T any, K comparable](x []T, key func(T) K, categories map[K]int, n int, zeros bool, y []float32) error {
	clear(y)
	for i, v := range x {
		c, ok := categories[key(v)]
		switch {
		case ok:
			y[i*n+c] = 1
		case !zeros:
			return fmt.Errorf("element %d is %v, which is none of the categories", i, v)
		}
	}
	return nil
}
