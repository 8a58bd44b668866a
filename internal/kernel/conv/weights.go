package conv

import "gort/internal/simd"

// kBlock is how many terms of a sum are multiplied before the partial sums are
// stored; see package gemm, whose constant this is.
const kBlock = 256

// Weights are filters in the order in which the product reads them: for each
// group, each block of kBlock terms, panels of 6 filters, term by term.
type Weights struct {
	groups, out, k int
	data           []float32
}

// PackWeights packs groups*out filters of k terms each.
func PackWeights(groups, out, k int, w []float32) *Weights {
	const mr = simd.GemmMR
	rows := roundUp(out, mr)
	pw := &Weights{groups, out, k, make([]float32, groups*rows*k)}
	for g := range groups {
		for k0 := 0; k0 < k; k0 += kBlock {
			kc := min(kBlock, k-k0)
			for m := range out {
				src := w[(g*out+m)*k+k0:][:kc]
				dst := pw.panel(g, k0, kc, m/mr*mr)[m%mr:]
				for q, v := range src {
					dst[q*mr] = v
				}
			}
		}
	}
	return pw
}

// panel returns the terms [k0, k0+kc) of the filters from m on, a multiple of 6.
func (pw *Weights) panel(g, k0, kc, m int) []float32 {
	rows := roundUp(pw.out, simd.GemmMR)
	return pw.data[g*rows*pw.k+k0*rows+m*kc:]
}

// Bytes returns the memory the packed filters take.
func (pw *Weights) Bytes() int { return 4 * len(pw.data) }
