package tensor

import (
	"fmt"
	"testing"
)

func BenchmarkConvert(b *testing.B) {
	const n = 1 << 16
	pairs := []struct{ from, to DType }{
		{Float32, Float16}, {Float16, Float32}, {Float32, BFloat16}, {BFloat16, Float32}, {Float32, Float64}, {Float64, Float32}, {Float64, Float16},
		{Float32, Int32}, {Int32, Float32}, {Float32, Int64}, {Int64, Float32}, {Int64, Int32}, {Int32, Int64}, {Float32, Uint8}, {Uint8, Float32},
		{Float32, Bool}, {Bool, Float32}, {Bool, Int64}, {Float32, Float8E4M3FN}, {Float8E4M3FN, Float32}, {Float16, BFloat16},
		{Int4, Float32}, {Float32, Int4}, {Float4E2M1, Float32},
	}
	for _, p := range pairs {
		b.Run(fmt.Sprintf("%v/%v", p.from, p.to), func(b *testing.B) {
			values := make([]float32, n)
			for i := range values {
				values[i] = float32(i%251)/3 - 40
			}
			src := Must(Convert(Must(FromSlice(values)), p.from, ConvertOptions{}))
			dst := Must(New(p.to, n))
			b.SetBytes(int64(src.NumBytes() + dst.NumBytes()))
			for b.Loop() {
				if err := ConvertInto(dst, src, ConvertOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
		})
	}
}
