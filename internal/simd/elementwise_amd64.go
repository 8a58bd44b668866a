//go:build !purego

package simd

var binaryAVX2 = [binaryOps]func(dst, a, b *float32, n int){
	opAdd: addAVX2,
	opSub: subAVX2,
	opMul: mulAVX2,
	opDiv: divAVX2,
	opMax: maxAVX2,
	opMin: minAVX2,
}

var unaryAVX2 = [unaryOps]func(dst, a *float32, n int, s, t float32){
	opAddScalar:  addScalarAVX2,
	opScalarSub:  scalarSubAVX2,
	opMulScalar:  mulScalarAVX2,
	opDivScalar:  divScalarAVX2,
	opScalarDiv:  scalarDivAVX2,
	opMaxScalar:  maxScalarAVX2,
	opMinScalar:  minScalarAVX2,
	opClamp:      clampAVX2,
	opScaleShift: scaleShiftAVX2,
	opExp:        expAVX2,
	opTanh:       tanhAVX2,
	opSigmoid:    sigmoidAVX2,
	opErf:        erfAVX2,
}

func binary(op binaryOp, dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	if !avx2 {
		binaryGo[op](dst, a, b)
		return
	}
	for f := binaryAVX2[op]; len(dst) > 0; {
		n := min(len(dst), maxCall)
		f(&dst[0], &a[0], &b[0], n)
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}

func unary(op unaryOp, dst, a []float32, s, t float32) {
	a = a[:len(dst)]
	if !avx2 {
		unaryGo[op](dst, a, s, t)
		return
	}
	for f := unaryAVX2[op]; len(dst) > 0; {
		n := min(len(dst), maxCall)
		f(&dst[0], &a[0], n, s, t)
		dst, a = dst[n:], a[n:]
	}
}
