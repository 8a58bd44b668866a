package gemm

import "gort/internal/simd"

// packGroup is the number of panels of B packed side by side: whole cache
// lines are read in longer runs, yet few places are written at a time.
const packGroup = 4

// packB writes the kc x n block of op(B) at b as panels of 16 columns.
func packB(dst, b []float32, brs, bcs, kc, n int) {
	const nr = simd.GemmNR
	j := 0
	if bcs == 1 {
		for ; j+nr <= n; j += packGroup * nr {
			panels := min(packGroup, (n-j)/nr)
			simd.PackB16(dst[j*kc:], nr*kc, b[j:], brs, kc, panels)
		}
		j = n / nr * nr
	}
	for ; j < n; j += nr {
		packColumns(dst[j*kc:(j+nr)*kc], b[j*bcs:], brs, bcs, kc, min(nr, n-j))
	}
}

// packColumns fills one panel, full or not, element by element; full ones whose
// columns are contiguous (brs == 1) in blocks.
func packColumns(panel, src []float32, brs, bcs, kc, cols int) {
	const nr = simd.GemmNR
	p := 0
	if brs == 1 && cols == nr {
		for ; p+8 <= kc; p += 8 {
			simd.Transpose8x8(panel[p*nr:], nr, src[p:], bcs)
			simd.Transpose8x8(panel[p*nr+8:], nr, src[8*bcs+p:], bcs)
		}
	}
	if cols < nr {
		clear(panel[p*nr : kc*nr])
	}
	for j := range cols {
		for q := p; q < kc; q++ {
			panel[q*nr+j] = src[j*bcs+q*brs]
		}
	}
}

// packA writes the m x kc block of op(A) at a as panels of 6 rows, each column
// by column. The rows missing in the last panel are left as they are: the
// kernel does not read them.
func packA(dst, a []float32, ars, acs, m, kc int) {
	const mr = simd.GemmMR
	for i := 0; i < m; i += mr {
		panel := dst[i*kc : (i+mr)*kc]
		src := a[i*ars:]
		rows := min(mr, m-i)
		if rows < mr || acs != 1 {
			for p := range kc {
				for r := range rows {
					panel[p*mr+r] = src[r*ars+p*acs]
				}
			}
			continue
		}
		simd.PackA6(panel, src, ars, kc)
	}
}
