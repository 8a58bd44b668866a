package elementwise

import (
	"math"

	"gort/internal/simd"
)

// functions are the functions of one real number that are computed in float64
// and rounded once.
var functions = map[string]func(float64) float64{
	"Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh,
	"Atan": math.Atan, "Atanh": math.Atanh, "Cos": math.Cos, "Cosh": math.Cosh,
	"Erf": math.Erf, "Exp": math.Exp, "Log": math.Log, "Sin": math.Sin,
	"Sinh": math.Sinh, "Tan": math.Tan, "Tanh": math.Tanh,
	"Sigmoid":  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Softplus": func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
	"Softsign": func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"HardSwish": func(x float64) float64 {
		return x * math.Max(0, math.Min(1, x/6+0.5))
	},
	"Mish": func(x float64) float64 {
		if x > 40 {
			return x
		}
		// With e = exp(x), tanh(log(1+e)) is e(e+2) / (e(e+2) + 2).
		e := math.Exp(x)
		n := e * (e + 2)
		return x * (n / (n + 2))
	},
}

// functions32 are the functions that have a vector form.
var functions32 = map[string]Loop1[float32, float32]{
	"Exp": simd.Exp, "Tanh": simd.Tanh, "Sigmoid": simd.Sigmoid, "Erf": simd.Erf,
	"Reciprocal": func(dst, a []float32) { simd.ScalarDiv(dst, a, 1) },
	"Neg":        func(dst, a []float32) { simd.MulScalar(dst, a, -1) },
	"Relu":       simd.Relu,
	"Log":        logLoop32,
	"Softplus":   softplus32,
	"HardSwish":  hardSwish32,
	"Mish":       mish32,
}

// Function returns the loop of a function of one real number by the operator's
// name, nil for names it does not know: trigonometric and hyperbolic functions
// and their inverses, Erf, Exp, Log, Sqrt, Reciprocal, Floor, Ceil, Round (half
// to even), Sigmoid, Softplus, Softsign, Mish, HardSwish.
func Function[T Float](op string) Loop1[T, T] {
	if f, ok := any(functions32[op]).(Loop1[T, T]); ok && f != nil {
		return f
	}
	switch op {
	case "Sqrt":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = T(math.Sqrt(float64(x)))
			}
		}
	case "Floor":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = T(math.Floor(float64(x)))
			}
		}
	case "Ceil":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = T(math.Ceil(float64(x)))
			}
		}
	case "Round":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = T(math.RoundToEven(float64(x)))
			}
		}
	case "Reciprocal":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = 1 / x
			}
		}
	}
	if f := functions[op]; f != nil {
		return Each[T](f)
	}
	return nil
}

// Each makes a loop of a function that is computed in float64 and rounded once;
// integers truncate.
func Each[T Number](f func(float64) float64) Loop1[T, T] {
	return func(dst, a []T) {
		for i, x := range a {
			dst[i] = truncate[T](f(float64(x)))
		}
	}
}

// Numeric returns the loop of Abs, Neg, Erf, Sign (NaN of NaN) or Relu on any number,
// nil for other names.
func Numeric[T Number](op string) Loop1[T, T] {
	if f, ok := any(functions32[op]).(Loop1[T, T]); ok && f != nil {
		return f
	}
	switch op {
	case "Abs":
		return func(dst, a []T) {
			if isFloat[T]() {
				for i, x := range a {
					dst[i] = T(math.Abs(float64(x)))
				}
				return
			}
			for i, x := range a {
				if x < 0 {
					x = -x
				}
				dst[i] = x
			}
		}
	case "Neg":
		return func(dst, a []T) {
			for i, x := range a {
				dst[i] = -x
			}
		}
	case "Sign":
		return func(dst, a []T) {
			for i, x := range a {
				switch {
				case x > 0:
					x = 1
				case x < 0:
					x = 0
					x--
				case x == 0:
					x = 0 // also of -0
				}
				dst[i] = x
			}
		}
	case "Relu":
		return func(dst, a []T) {
			for i, x := range a {
				if x < 0 {
					x = 0
				}
				dst[i] = x
			}
		}
	case "Erf":
		return Each[T](math.Erf)
	}
	return nil
}

// Clip returns the loop that holds numbers within [lo, hi]: hi when lo > hi. NaN
// stays NaN.
func Clip[T Number](dst, a []T, lo, hi T) {
	if d, ok := any(dst).([]float32); ok && lo == lo && hi == hi {
		simd.Clamp(d, any(a).([]float32), float32(lo), float32(hi))
		return
	}
	for i, x := range a {
		if lo > x {
			x = lo
		}
		if hi < x {
			x = hi
		}
		dst[i] = x
	}
}
