//go:build !amd64 || purego

package simd

func dot(a, b []float32) float32                     { return dotGo(a, b) }
func sum(a []float32) float32                        { return sumGo(a) }
func axpy(dst, a []float32, s float32)               { axpyGo(dst, a, s) }
func axpy4(dst, b []float32, ldb int, s *[4]float32) { axpy4Go(dst, b, ldb, s) }
func maxReduce(a []float32) float32                  { return maxReduceGo(a) }
