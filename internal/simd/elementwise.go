package simd

// Add computes dst[i] = a[i] + b[i].
func Add(dst, a, b []float32) { binary(opAdd, dst, a, b) }

// Sub computes dst[i] = a[i] - b[i].
func Sub(dst, a, b []float32) { binary(opSub, dst, a, b) }

// Mul computes dst[i] = a[i] * b[i].
func Mul(dst, a, b []float32) { binary(opMul, dst, a, b) }

// Div computes dst[i] = a[i] / b[i].
func Div(dst, a, b []float32) { binary(opDiv, dst, a, b) }

// Max computes the larger one, NaN if either is:
//
//	if a[i] > b[i] || a[i] != a[i] { dst[i] = a[i] } else { dst[i] = b[i] }
func Max(dst, a, b []float32) { binary(opMax, dst, a, b) }

// Min computes the smaller one, NaN if either is:
//
//	if a[i] < b[i] || a[i] != a[i] { dst[i] = a[i] } else { dst[i] = b[i] }
func Min(dst, a, b []float32) { binary(opMin, dst, a, b) }

// AddScalar computes dst[i] = a[i] + s.
func AddScalar(dst, a []float32, s float32) { unary(opAddScalar, dst, a, s, 0) }

// SubScalar computes dst[i] = a[i] - s.
func SubScalar(dst, a []float32, s float32) { unary(opAddScalar, dst, a, -s, 0) }

// ScalarSub computes dst[i] = s - a[i].
func ScalarSub(dst, a []float32, s float32) { unary(opScalarSub, dst, a, s, 0) }

// MulScalar computes dst[i] = a[i] * s.
func MulScalar(dst, a []float32, s float32) { unary(opMulScalar, dst, a, s, 0) }

// DivScalar computes dst[i] = a[i] / s.
func DivScalar(dst, a []float32, s float32) { unary(opDivScalar, dst, a, s, 0) }

// ScalarDiv computes dst[i] = s / a[i].
func ScalarDiv(dst, a []float32, s float32) { unary(opScalarDiv, dst, a, s, 0) }

// MaxScalar computes the larger one, NaN if either is:
//
//	if s > a[i] || s != s { dst[i] = s } else { dst[i] = a[i] }
func MaxScalar(dst, a []float32, s float32) {
	if s != s {
		fill(dst, s)
		return
	}
	unary(opMaxScalar, dst, a, s, 0)
}

// MinScalar computes the smaller one, NaN if either is:
//
//	if s < a[i] || s != s { dst[i] = s } else { dst[i] = a[i] }
func MinScalar(dst, a []float32, s float32) {
	if s != s {
		fill(dst, s)
		return
	}
	unary(opMinScalar, dst, a, s, 0)
}

// Relu computes dst[i] = max(a[i], 0); NaN stays NaN and -0 stays -0.
func Relu(dst, a []float32) { unary(opMaxScalar, dst, a, 0, 0) }

// Clamp holds the values within bounds that are not NaN; NaN stays NaN, and
// if lo > hi the result is hi:
//
//	x := a[i]
//	if lo > x { x = lo }
//	if hi < x { x = hi }
//	dst[i] = x
func Clamp(dst, a []float32, lo, hi float32) { unary(opClamp, dst, a, lo, hi) }

// ScaleShift computes dst[i] = a[i]*s + t, rounded once.
func ScaleShift(dst, a []float32, s, t float32) { unary(opScaleShift, dst, a, s, t) }

// binaryOp and unaryOp index the tables of loops.
type (
	binaryOp int
	unaryOp  int
)

const (
	opAdd binaryOp = iota
	opSub
	opMul
	opDiv
	opMax
	opMin
	binaryOps
)

const (
	opAddScalar unaryOp = iota
	opScalarSub
	opMulScalar
	opDivScalar
	opScalarDiv
	opMaxScalar
	opMinScalar
	opClamp
	opScaleShift
	opExp
	opTanh
	opSigmoid
	opErf
	unaryOps
)

func fill(dst []float32, s float32) {
	for i := range dst {
		dst[i] = s
	}
}
