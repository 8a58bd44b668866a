package gemm

import (
	"fmt"

	"gort/internal/simd"
)

// PackedB is op(B) in the order in which the kernel reads it: for each block of
// kBlock rows, panels of 16 columns, each panel row by row, the last one padded
// with zeros. It is read-only and may be shared.
type PackedB struct {
	k, n int
	data []float32
}

// PackB packs op(B), k x n, for [Float32PackedB]. It panics if b is too short.
func PackB(transB bool, k, n int, b []float32, ldb int) *PackedB {
	rows, cols := stored(transB, k, n)
	if err := checkOperand("B", rows, cols, ldb, len(b)); err != nil {
		panic(err)
	}
	brs, bcs := strides(transB, ldb)
	width := roundUp(n, simd.GemmNR)
	pb := &PackedB{k: k, n: n, data: make([]float32, k*width)}
	for p := 0; p < k; p += kBlock {
		kc := min(kBlock, k-p)
		packB(pb.data[p*width:(p+kc)*width], b[p*brs:], brs, bcs, kc, n)
	}
	return pb
}

// Bytes returns the memory the packed matrix takes.
func (pb *PackedB) Bytes() int { return 4 * len(pb.data) }

// panels returns the packed rows [p, p+kc) from column j on, both at block and
// panel boundaries.
func (pb *PackedB) panels(p, kc, j int) []float32 {
	width := roundUp(pb.n, simd.GemmNR)
	return pb.data[p*width+j*kc : (p+kc)*width]
}

func (pb *PackedB) check(k, n int) error {
	if pb.k != k || pb.n != n {
		return fmt.Errorf("gemm: B was packed as %d x %d, used as %d x %d", pb.k, pb.n, k, n)
	}
	return nil
}
