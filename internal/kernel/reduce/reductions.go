package reduce

import (
	"math"
	"unsafe"

	"gort/internal/simd"
)

type (
	// Float is the floating-point types that are computed with.
	Float interface{ float32 | float64 }
	// Integer is the integers that are computed with.
	Integer interface {
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	}
	// Number is both.
	Number interface{ Float | Integer }
)

func same[T any](acc T, _ int) T { return acc }

// Sum adds.
func Sum[T Number]() *Reduction[T, T] {
	plus := func(a, b T) T { return a + b }
	r := &Reduction[T, T]{Merge: plus, Done: same[T], Plain: true}
	if f, ok := any(r).(*Reduction[float32, float32]); ok {
		f.Row = func(acc float32, x []float32) float32 { return acc + simd.Sum(x) }
		f.Col = func(acc, x []float32) { simd.Add(acc, acc, x) }
		return r
	}
	r.Row = func(acc T, x []T) T {
		for _, v := range x {
			acc += v
		}
		return acc
	}
	r.Col = func(acc, x []T) {
		for i, v := range x {
			acc[i] += v
		}
	}
	return r
}

// Mean is the sum divided by the number of elements; NaN of none.
func Mean[T Float]() *Reduction[T, T] {
	r := Sum[T]()
	r.Plain, r.Done = false, func(acc T, n int) T { return acc / T(n) }
	return r
}

// IntMean is the mean of integers, truncated; 0 of none.
func IntMean[T Integer, A int64 | uint64]() *Reduction[T, A] {
	return &Reduction[T, A]{
		Row: func(acc A, x []T) A {
			for _, v := range x {
				acc += A(v)
			}
			return acc
		},
		Col: func(acc []A, x []T) {
			for i, v := range x {
				acc[i] += A(v)
			}
		},
		Merge: func(a, b A) A { return a + b },
		Done: func(acc A, n int) T {
			if n == 0 {
				return 0
			}
			return T(acc / A(n))
		},
	}
}

// Prod multiplies.
func Prod[T Number]() *Reduction[T, T] {
	return &Reduction[T, T]{
		Init: 1,
		Row: func(acc T, x []T) T {
			for _, v := range x {
				acc *= v
			}
			return acc
		},
		Col: func(acc, x []T) {
			for i, v := range x {
				acc[i] *= v
			}
		},
		Merge: func(a, b T) T { return a * b },
		Done:  same[T], Plain: true,
	}
}

// Max is the largest element, NaN if there is one; the least of the type of none.
func Max[T Number]() *Reduction[T, T] {
	lo, _ := limits[T]()
	larger := func(a, v T) T {
		if v > a || v != v {
			return v
		}
		return a
	}
	r := &Reduction[T, T]{Init: lo, Merge: larger, Done: same[T], Plain: true}
	if f, ok := any(r).(*Reduction[float32, float32]); ok {
		f.Row = func(acc float32, x []float32) float32 { return f.Merge(acc, simd.MaxReduce(x)) }
		f.Col = func(acc, x []float32) { simd.Max(acc, acc, x) }
		return r
	}
	r.Row = func(acc T, x []T) T {
		for _, v := range x {
			if v > acc || v != v {
				acc = v
			}
			if acc != acc {
				break
			}
		}
		return acc
	}
	r.Col = func(acc, x []T) {
		for i, v := range x {
			if v > acc[i] || v != v {
				acc[i] = v
			}
		}
	}
	return r
}

// Min is the smallest element, NaN if there is one; the largest of the type of none.
func Min[T Number]() *Reduction[T, T] {
	_, hi := limits[T]()
	smaller := func(a, v T) T {
		if v < a || v != v {
			return v
		}
		return a
	}
	r := &Reduction[T, T]{Init: hi, Merge: smaller, Done: same[T], Plain: true}
	r.Row = func(acc T, x []T) T {
		for _, v := range x {
			if v < acc || v != v {
				acc = v
			}
			if acc != acc {
				break
			}
		}
		return acc
	}
	r.Col = func(acc, x []T) {
		for i, v := range x {
			if v < acc[i] || v != v {
				acc[i] = v
			}
		}
	}
	if f, ok := any(r).(*Reduction[float32, float32]); ok {
		f.Col = func(acc, x []float32) { simd.Min(acc, acc, x) }
	}
	return r
}

// All is the smallest of booleans, each a byte that is true when it is not 0.
func All() *Reduction[uint8, uint8] {
	return truth(1, func(a, v uint8) uint8 { return a & v })
}

// Any is the largest of booleans, each a byte that is true when it is not 0.
func Any() *Reduction[uint8, uint8] {
	return truth(0, func(a, v uint8) uint8 { return a | v })
}

func truth(init uint8, f func(a, v uint8) uint8) *Reduction[uint8, uint8] {
	bit := func(v uint8) uint8 {
		if v != 0 {
			return 1
		}
		return 0
	}
	return &Reduction[uint8, uint8]{
		Init: init,
		Row: func(acc uint8, x []uint8) uint8 {
			for _, v := range x {
				acc = f(acc, bit(v))
			}
			return acc
		},
		Col: func(acc, x []uint8) {
			for i, v := range x {
				acc[i] = f(acc[i], bit(v))
			}
		},
		Merge: f,
		Done:  same[uint8], Plain: true,
	}
}

// L1 adds magnitudes.
func L1[T Number]() *Reduction[T, T] {
	r := Sum[T]()
	r.Row = func(acc T, x []T) T {
		for _, v := range x {
			if v < 0 {
				v = -v
			}
			acc += v
		}
		return acc
	}
	r.Col = func(acc, x []T) {
		for i, v := range x {
			if v < 0 {
				v = -v
			}
			acc[i] += v
		}
	}
	return r
}

// SumSquare adds squares.
func SumSquare[T Number]() *Reduction[T, T] {
	r := Sum[T]()
	r.Row = func(acc T, x []T) T {
		for _, v := range x {
			acc += v * v
		}
		return acc
	}
	r.Col = func(acc, x []T) {
		for i, v := range x {
			acc[i] += v * v
		}
	}
	if f, ok := any(r).(*Reduction[float32, float32]); ok {
		f.Row = func(acc float32, x []float32) float32 { return acc + simd.Dot(x, x) }
	}
	return r
}

// L2 is the square root of the sum of squares.
func L2[T Float]() *Reduction[T, T] {
	r := SumSquare[T]()
	r.Plain, r.Done = false, func(acc T, _ int) T { return T(math.Sqrt(float64(acc))) }
	return r
}

// LogSum is the logarithm of the sum.
func LogSum[T Float]() *Reduction[T, T] {
	r := Sum[T]()
	r.Plain, r.Done = false, func(acc T, _ int) T { return T(math.Log(float64(acc))) }
	return r
}

// IntL2 and IntLogSum are L2 and LogSum of integers, computed in float64 and truncated.
func IntL2[T Integer]() *Reduction[T, float64] {
	return wide[T](func(v float64) float64 { return v * v }, math.Sqrt)
}

// IntLogSum is LogSum of integers.
func IntLogSum[T Integer]() *Reduction[T, float64] {
	return wide[T](func(v float64) float64 { return v }, math.Log)
}

func wide[T Integer](term, done func(float64) float64) *Reduction[T, float64] {
	return &Reduction[T, float64]{
		Row: func(acc float64, x []T) float64 {
			for _, v := range x {
				acc += term(float64(v))
			}
			return acc
		},
		Col: func(acc []float64, x []T) {
			for i, v := range x {
				acc[i] += term(float64(v))
			}
		},
		Merge: func(a, b float64) float64 { return a + b },
		Done:  func(acc float64, _ int) T { return clamp[T](done(acc)) },
	}
}

// LogSumExpState is the largest element so far and the sum of the exponentials of
// the differences to it.
type LogSumExpState struct{ most, sum float64 }

// LogSumExp is log(sum(exp(x))), computed from the differences to the largest
// element so that nothing overflows; -Inf of none.
func LogSumExp[T Number]() *Reduction[T, LogSumExpState] {
	fold := func(s LogSumExpState, m, sum float64) LogSumExpState {
		switch {
		case m != m:
			return LogSumExpState{m, 1}
		case sum == 0 || math.IsInf(m, -1):
			return s
		case m == s.most:
			s.sum += sum
		case m > s.most:
			s = LogSumExpState{m, s.sum*math.Exp(s.most-m) + sum}
		default: // also where s.most is NaN, which stays
			s.sum += sum * math.Exp(m-s.most)
		}
		return s
	}
	return &Reduction[T, LogSumExpState]{
		Init: LogSumExpState{most: math.Inf(-1)},
		Row: func(s LogSumExpState, x []T) LogSumExpState {
			m := math.Inf(-1)
			for _, v := range x {
				if f := float64(v); f > m || f != f {
					m = f
				}
			}
			if math.IsInf(m, 0) || m != m {
				return fold(s, m, 1)
			}
			sum := 0.0
			for _, v := range x {
				sum += math.Exp(float64(v) - m)
			}
			return fold(s, m, sum)
		},
		Col: func(acc []LogSumExpState, x []T) {
			for i, v := range x {
				acc[i] = fold(acc[i], float64(v), 1)
			}
		},
		Merge: func(a, b LogSumExpState) LogSumExpState { return fold(a, b.most, b.sum) },
		Done: func(s LogSumExpState, _ int) T {
			r := s.most
			if s.sum != 1 && !math.IsInf(r, 0) {
				r += math.Log(s.sum)
			}
			return clamp[T](r)
		},
	}
}

// clamp converts to T, integers truncating and held within their range; NaN
// becomes 0 there.
func clamp[T Number](x float64) T {
	lo, hi := limits[T]()
	switch any(lo).(type) {
	case float32, float64:
		return T(x)
	}
	switch {
	case x != x:
		return 0
	case x <= float64(lo):
		return lo
	case x >= float64(hi):
		return hi
	}
	return T(x)
}

// limits are the least and largest number of a type; infinities of floats.
func limits[T Number]() (lo, hi T) {
	var z T
	switch any(z).(type) {
	case float32, float64:
		return T(math.Inf(-1)), T(math.Inf(1))
	}
	bits := 8 * int(unsafe.Sizeof(z))
	if z--; z < 0 {
		least := int64(-1) << (bits - 1)
		return T(least), T(^least)
	}
	return 0, z
}
