package simd

// binaryGo and unaryGo hold the pure-Go loops. The inputs are as long as dst.
var binaryGo = [binaryOps]func(dst, a, b []float32){
	opAdd: func(dst, a, b []float32) {
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	},
	opSub: func(dst, a, b []float32) {
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	},
	opMul: func(dst, a, b []float32) {
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	},
	opDiv: func(dst, a, b []float32) {
		for i := range dst {
			dst[i] = a[i] / b[i]
		}
	},
	opMax: func(dst, a, b []float32) {
		for i, x := range a {
			if y := b[i]; x > y || x != x {
				dst[i] = x
			} else {
				dst[i] = y
			}
		}
	},
	opMin: func(dst, a, b []float32) {
		for i, x := range a {
			if y := b[i]; x < y || x != x {
				dst[i] = x
			} else {
				dst[i] = y
			}
		}
	},
}

var unaryGo = [unaryOps]func(dst, a []float32, s, t float32){
	opAddScalar: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			dst[i] = x + s
		}
	},
	opScalarSub: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			dst[i] = s - x
		}
	},
	opMulScalar: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			dst[i] = x * s
		}
	},
	opDivScalar: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			dst[i] = x / s
		}
	},
	opScalarDiv: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			dst[i] = s / x
		}
	},
	opMaxScalar: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			if s > x {
				x = s
			}
			dst[i] = x
		}
	},
	opMinScalar: func(dst, a []float32, s, _ float32) {
		for i, x := range a {
			if s < x {
				x = s
			}
			dst[i] = x
		}
	},
	opClamp: func(dst, a []float32, lo, hi float32) {
		for i, x := range a {
			if lo > x {
				x = lo
			}
			if hi < x {
				x = hi
			}
			dst[i] = x
		}
	},
	opScaleShift: func(dst, a []float32, s, t float32) {
		for i, x := range a {
			dst[i] = fma32(x, s, t)
		}
	},
	opExp:     each(exp32),
	opTanh:    each(tanh32),
	opSigmoid: each(sigmoid32),
	opErf:     each(erf32),
}

// each makes a loop of a function of one number.
func each(f func(float32) float32) func(dst, a []float32, _, _ float32) {
	return func(dst, a []float32, _, _ float32) {
		for i, x := range a {
			dst[i] = f(x)
		}
	}
}
