// Package elementwise computes operators whose result at one place depends on
// the operands at that place only: arithmetic, comparison, logic, functions of
// one number, activations and selection, with NumPy's broadcasting.
//
// An operator is a loop over a stretch of elements. A loop of two or more
// operands is told for each by a mask whether it advances or repeats:
//
//	for i := range dst { dst[i] = f(a[i&ma], b[i&mb]) }
//
// where a mask is -1 for an operand that advances and 0 for one that repeats its
// first element. Unary, Binary and Ternary cut a result into such stretches: the
// shapes are first reduced to the dimensions in which the operands really differ,
// so that equal shapes, scalars, rows and channels all run as long plain loops.
// Where an architecture has vector instructions, loops over float32 go through
// package simd.
package elementwise
