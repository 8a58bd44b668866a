package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGemmKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for rows := 1; rows <= GemmMR; rows++ {
		for _, k := range []int{0, 1, 2, 3, 4, 5, 7, 8, 33, 256, 1000} {
			for mode := range 6 {
				// Packed, row-major and column-major A; packed and wide B.
				ars, acs := 1, GemmMR
				switch mode % 3 {
				case 1:
					ars, acs = k+2, 1
				case 2:
					ars, acs = 1, rows+3
				}
				ldb, ldc := GemmNR, GemmNR
				if mode >= 3 {
					ldb, ldc = GemmNR+5, GemmNR+7
				}
				a, checkA := guarded(max(0, (rows-1)*ars+(k-1)*acs+1))
				b, checkB := guarded(max(0, (k-1)*ldb+GemmNR))
				draw := func(s []float32) {
					for i := range s {
						s[i] = rng.Float32()*2 - 1
					}
				}
				draw(a)
				draw(b)
				old := make([]float32, (rows-1)*ldc+GemmNR)
				draw(old)
				for _, accumulate := range []bool{false, true} {
					for _, alpha := range []float32{1, -0.75} {
						bothWays(func(how string) {
							c, checkC := guarded(len(old))
							if accumulate {
								copy(c, old)
							} // else C holds NaN, not to be read
							for i := range c { // gaps between the rows are guards
								if i%ldc >= GemmNR {
									c[i] = math.Float32frombits(guardBits)
								}
							}
							GemmKernel6x16(rows, k, a, ars, acs, b, ldb, c, ldc, alpha, accumulate)
							checkA(t)
							checkB(t)
							checkC(t)
							for i := range rows {
								for j := range ldc {
									if i*ldc+j >= len(c) {
										break
									}
									got := c[i*ldc+j]
									if j >= GemmNR {
										if math.Float32bits(got) != guardBits {
											t.Fatalf("%s rows %d k %d: wrote to column %d", how, rows, k, j)
										}
										continue
									}
									var want, size float64
									for p := range k {
										x := float64(a[i*ars+p*acs]) * float64(b[p*ldb+j])
										want += x
										size += math.Abs(x)
									}
									want *= float64(alpha)
									if accumulate {
										want += float64(old[i*ldc+j])
										size++
									}
									if !(math.Abs(float64(got)-want) <= size*float64(k+3)*0x1p-24) {
										t.Fatalf("%s rows %d k %d ars %d acs %d ldb %d accumulate %v: C[%d,%d] = %g, want %g",
											how, rows, k, ars, acs, ldb, accumulate, i, j, got, want)
									}
								}
							}
						})
					}
				}
			}
		}
	}
}

// The rows of a tile do not depend on how many there are.
func TestGemmKernelRowsAreIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const k = 77
	a, b := make([]float32, k*GemmMR), make([]float32, k*GemmNR)
	for i := range a {
		a[i] = rng.Float32()
	}
	for i := range b {
		b[i] = rng.Float32()
	}
	bothWays(func(mode string) {
		all := make([]float32, GemmMR*GemmNR)
		GemmKernel6x16(GemmMR, k, a, 1, GemmMR, b, GemmNR, all, GemmNR, 1, false)
		for rows := 1; rows < GemmMR; rows++ {
			some := make([]float32, rows*GemmNR)
			GemmKernel6x16(rows, k, a, 1, GemmMR, b, GemmNR, some, GemmNR, 1, false)
			requireSame(t, mode, some, all[:len(some)])
		}
	})
}

func TestInt16Kernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	extremes := []int16{-255, 255, -128, 127, 0, 1}
	for rows := 1; rows <= GemmMR; rows++ {
		for _, pairs := range []int{0, 1, 2, 3, 17, 256} {
			a, b := make([]int16, pairs*2*GemmMR), make([]int16, pairs*2*GemmNR)
			for _, s := range [][]int16{a, b} {
				for i := range s {
					s[i] = extremes[rng.IntN(len(extremes))]
				}
			}
			const ldc = GemmNR + 3
			old := make([]int32, (rows-1)*ldc+GemmNR)
			for i := range old {
				old[i] = int32(rng.Uint32())
			}
			for _, accumulate := range []bool{false, true} {
				var results [][]int32
				bothWays(func(string) {
					c := slices.Clone(old)
					Int16Kernel6x16(rows, pairs, a, b, c, ldc, accumulate)
					results = append(results, c)
				})
				for i := range old {
					want := old[i]
					if row, j := i/ldc, i%ldc; j < GemmNR {
						if !accumulate {
							want = 0
						}
						for p := range pairs {
							for h := range 2 {
								want += int32(a[(p*GemmMR+row)*2+h]) * int32(b[(p*GemmNR+j)*2+h])
							}
						}
					}
					if results[0][i] != want || results[1][i] != want {
						t.Fatalf("rows %d pairs %d accumulate %v: element %d is %d and %d, want %d", rows, pairs, accumulate, i, results[0][i], results[1][i], want)
					}
				}
			}
		}
	}
}

func TestTranspose8x8(t *testing.T) {
	for _, ldd := range []int{8, 11} {
		for _, lds := range []int{8, 13} {
			bothWays(func(mode string) {
				src, checkSrc := guarded(7*lds + 8)
				for i := range src {
					src[i] = float32(i)
				}
				dst, checkDst := guarded(7*ldd + 8)
				Transpose8x8(dst, ldd, src, lds)
				checkSrc(t)
				checkDst(t)
				for i, x := range dst {
					if i%ldd >= 8 {
						if math.Float32bits(x) != guardBits {
							t.Fatalf("%s: wrote between the rows, at %d", mode, i)
						}
					} else if want := float32(i%ldd*lds + i/ldd); x != want {
						t.Fatalf("%s: dst[%d] = %g, want %g", mode, i, x, want)
					}
				}
			})
		}
	}
}
