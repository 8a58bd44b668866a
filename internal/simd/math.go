package simd

// The functions below are polynomial approximations in float32. The bounds, in
// units in the last place (ULP) of the exact result, are checked by the tests
// over every binary exponent; both versions of a function give the same bits.

// Exp computes dst[i] = e**a[i] to 1 ULP, including results in the denormal
// range. It overflows to +Inf where float32 does; exp(-Inf) is 0.
func Exp(dst, a []float32) { unary(opExp, dst, a, 0, 0) }

// Tanh computes dst[i] = tanh(a[i]) to 2 ULP.
func Tanh(dst, a []float32) { unary(opTanh, dst, a, 0, 0) }

// Sigmoid computes dst[i] = 1 / (1 + e**-a[i]) to 3 ULP, including results in
// the denormal range.
func Sigmoid(dst, a []float32) { unary(opSigmoid, dst, a, 0, 0) }

// Erf computes the error function of a[i] to 2 ULP.
func Erf(dst, a []float32) { unary(opErf, dst, a, 0, 0) }
