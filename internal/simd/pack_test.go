package simd

import (
	"math"
	"testing"
)

func TestPackB16(t *testing.T) {
	for _, panels := range []int{1, 2, 3, 5} {
		for k := range 20 {
			bothWays(func(mode string) {
				lds, panel := panels*GemmNR+3, k*GemmNR+2
				src, checkSrc := guarded(max(0, k-1)*lds + panels*GemmNR)
				for i := range src {
					src[i] = float32(i)
				}
				dst, checkDst := guarded((panels-1)*panel + k*GemmNR)
				PackB16(dst, panel, src, lds, k, panels)
				checkSrc(t)
				checkDst(t)
				for i, x := range dst {
					q, p, j := i/panel, i%panel/GemmNR, i%panel%GemmNR
					if p >= k {
						if math.Float32bits(x) != guardBits {
							t.Fatalf("%s: wrote between the panels, at %d", mode, i)
						}
					} else if want := float32(p*lds + q*GemmNR + j); x != want {
						t.Fatalf("%s panels %d k %d: dst[%d] = %g, want %g", mode, panels, k, i, x, want)
					}
				}
			})
		}
	}
}

func TestPackA6(t *testing.T) {
	for k := range 70 {
		for _, pad := range []int{0, 5} {
			bothWays(func(mode string) {
				lds := k + pad
				src, checkSrc := guarded(5*lds + k)
				for i := range src {
					src[i] = float32(i)
				}
				dst, checkDst := guarded(k * GemmMR)
				PackA6(dst, src, lds, k)
				checkSrc(t)
				checkDst(t)
				for i, x := range dst {
					if want := float32(i%GemmMR*lds + i/GemmMR); x != want {
						t.Fatalf("%s k %d: dst[%d] = %g, want %g", mode, k, i, x, want)
					}
				}
			})
		}
	}
}
