package elementwise

import (
	"math"
	"sync"

	"gort/internal/simd"
)

// Params are the attributes of an activation: alpha, and beta, gamma or bias as
// the second.
type Params struct{ Alpha, Beta float64 }

// activations are the activations with attributes (ONNX operators, formulas in
// their documentation), computed in float64 and rounded once.
var activations = map[string]func(p Params) func(float64) float64{
	"LeakyRelu": func(p Params) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p.Alpha * x
			}
			return x
		}
	},
	"ThresholdedRelu": func(p Params) func(float64) float64 {
		return func(x float64) float64 {
			if x > p.Alpha || x != x {
				return x
			}
			return 0
		}
	},
	"Elu": func(p Params) func(float64) float64 {
		return func(x float64) float64 {
			if x < 0 {
				return p.Alpha * math.Expm1(x)
			}
			return x
		}
	},
	"Selu": func(p Params) func(float64) float64 {
		return func(x float64) float64 {
			if x <= 0 {
				return p.Beta * (p.Alpha * math.Expm1(x))
			}
			return p.Beta * x
		}
	},
	"Celu": func(p Params) func(float64) float64 {
		return func(x float64) float64 {
			return math.Max(0, x) + math.Min(0, p.Alpha*math.Expm1(x/p.Alpha))
		}
	},
	"HardSigmoid": func(p Params) func(float64) float64 {
		return func(x float64) float64 { return math.Max(0, math.Min(1, p.Alpha*x+p.Beta)) }
	},
	"Swish": func(p Params) func(float64) float64 {
		return func(x float64) float64 { return x / (1 + math.Exp(-p.Alpha*x)) }
	},
	"Gelu": func(Params) func(float64) float64 {
		return func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }
	},
	"GeluTanh": func(Params) func(float64) float64 {
		return func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(geluScale*(x+geluCube*x*x*x)))
		}
	},
}

// The constants of Gelu's approximation by tanh (D. Hendrycks, K. Gimpel:
// Gaussian Error Linear Units, 2016).
const (
	geluScale = 0.7978845608028654 // sqrt(2/pi)
	geluCube  = 0.044715
)

// activations32 are those that have a vector form.
var activations32 = map[string]func(p Params) Loop1[float32, float32]{
	"LeakyRelu": func(p Params) Loop1[float32, float32] {
		if p.Alpha < 0 || p.Alpha > 1 {
			return nil
		}
		// Then the result is the larger one of x and alpha*x.
		return blocked(func(dst, x, tmp []float32) {
			simd.MulScalar(tmp, x, float32(p.Alpha))
			simd.Max(dst, x, tmp)
		})
	},
	"HardSigmoid": func(p Params) Loop1[float32, float32] {
		return func(dst, a []float32) {
			simd.ScaleShift(dst, a, float32(p.Alpha), float32(p.Beta))
			simd.Clamp(dst, dst, 0, 1)
		}
	},
	"Swish": func(p Params) Loop1[float32, float32] {
		return blocked(func(dst, x, tmp []float32) {
			swish32(tmp, x, float32(p.Alpha))
			copy(dst, tmp)
		})
	},
	"Gelu": func(Params) Loop1[float32, float32] {
		return blocked(func(dst, x, tmp []float32) {
			simd.MulScalar(tmp, x, math.Sqrt2/2)
			simd.Erf(tmp, tmp)
			simd.ScaleShift(tmp, tmp, 0.5, 0.5)
			simd.Mul(dst, x, tmp)
		})
	},
	"GeluTanh": func(Params) Loop1[float32, float32] {
		return blocked(func(dst, x, tmp []float32) {
			simd.Mul(tmp, x, x)
			simd.ScaleShift(tmp, tmp, geluScale*geluCube, geluScale)
			simd.Mul(tmp, tmp, x)
			simd.Tanh(tmp, tmp)
			simd.ScaleShift(tmp, tmp, 0.5, 0.5)
			simd.Mul(dst, x, tmp)
		})
	},
}

// Activation returns the loop of an activation with attributes by the operator's
// name, and GeluTanh for Gelu's approximation; nil for names it does not know.
func Activation[T Float](op string, p Params) Loop1[T, T] {
	if f := activations32[op]; f != nil {
		if g, ok := any(f(p)).(Loop1[T, T]); ok && g != nil {
			return g
		}
	}
	if f := activations[op]; f != nil {
		return Each[T](f(p))
	}
	return nil
}

// block is working memory of a loop that takes several passes; it and its
// operands stay in the first-level cache.
type block [1024]float32

var blocks = sync.Pool{New: func() any { return new(block) }}

// blocked makes a loop of passes over blocks that need one block of memory.
func blocked(f func(dst, x, tmp []float32)) Loop1[float32, float32] {
	return func(dst, a []float32) {
		tmp := blocks.Get().(*block)
		for len(dst) > 0 {
			n := min(len(dst), len(tmp))
			f(dst[:n], a[:n], tmp[:n])
			dst, a = dst[n:], a[n:]
		}
		blocks.Put(tmp)
	}
}

// swish32 computes dst = x * sigmoid(alpha*x); dst must not be x.
func swish32(dst, x []float32, alpha float32) {
	if alpha == 1 {
		simd.Sigmoid(dst, x)
	} else {
		simd.MulScalar(dst, x, alpha)
		simd.Sigmoid(dst, dst)
	}
	simd.Mul(dst, dst, x)
}

var hardSwish32 = blocked(func(dst, x, tmp []float32) {
	simd.ScaleShift(tmp, x, 1.0/6, 0.5)
	simd.Clamp(tmp, tmp, 0, 1)
	simd.Mul(dst, x, tmp)
})

// mish32 is Mish as in functions. Beyond 20 the factor of x is 1 in float32.
var mish32 = blocked(func(dst, x, tmp []float32) {
	simd.MinScalar(tmp, x, 20)
	simd.Exp(tmp, tmp)
	for i, e := range tmp {
		n := e * (e + 2)
		tmp[i] = n / (n + 2)
	}
	simd.Mul(dst, x, tmp)
})

// Shrink returns the loop x+bias where x < -lambd, x-bias where x > lambd, else
// 0. It is computed in float64; integers truncate.
func Shrink[T Number](lambd, bias float64) Loop1[T, T] {
	return Each[T](func(x float64) float64 {
		switch {
		case x < -lambd:
			return x + bias
		case x > lambd:
			return x - bias
		}
		return 0
	})
}

// PRelu is the loop x where x is not negative, else slope*x.
func PRelu[T Number](dst, x, slope []T, mx, ms int) {
	for i := range dst {
		v := x[i&mx]
		if v < 0 {
			v *= slope[i&ms]
		}
		dst[i] = v
	}
}

// SwiGLU returns the loop Swish(a) * b.
func SwiGLU[T Float](alpha float64) Loop2[T, T, T] {
	swish := Activation[T]("Swish", Params{Alpha: alpha})
	return func(dst, a, b []T, ma, mb int) {
		if d, ok := any(dst).([]float32); ok && ma&mb != 0 {
			swiGLU32(d, any(a).([]float32), any(b).([]float32), float32(alpha))
			return
		}
		var one [1]T
		for i := range dst {
			swish(one[:], a[i&ma:][:1])
			dst[i] = one[0] * b[i&mb]
		}
	}
}

func swiGLU32(dst, a, b []float32, alpha float32) {
	tmp := blocks.Get().(*block)
	for len(dst) > 0 {
		n := min(len(dst), len(tmp))
		swish32(tmp[:n], a[:n], alpha)
		simd.Mul(dst[:n], tmp[:n], b[:n])
		dst, a, b = dst[n:], a[n:], b[n:]
	}
	blocks.Put(tmp)
}
