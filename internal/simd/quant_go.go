package simd

func quantDotGo(y, x, sums []float32, q *QuantPanel) {
	per, rows, zstep := q.perWord(), q.wordRows(), q.zeroStep()
	mask := uint32(1)<<q.Bits - 1
	for b := range q.Blocks() {
		words, xs := q.Words[b*rows*GemmNR:][:rows*GemmNR], x[b*rows*per:][:rows*per]
		scales, zeros := q.Scales[b*GemmNR:][:GemmNR], q.Zeros[b*zstep:][:GemmNR]
		for j := range GemmNR {
			var s [4]float32
			for i := range rows {
				w := words[i*GemmNR+j]
				for p := range per - 1 {
					s[p&3] = fma32(float32(w&(mask<<(p*q.Bits))), xs[i*per+p], s[p&3])
				}
				s[3] = fma32(float32(w>>(32-q.Bits)), xs[i*per+per-1], s[3])
			}
			y[j] = fma32(scales[j], fma32(-zeros[j], sums[b], (s[0]+s[1])+(s[2]+s[3])), y[j])
		}
	}
}

func quantRowsGo(dst []float32, q *QuantPanel) {
	per, rows, zstep := q.perWord(), q.wordRows(), q.zeroStep()
	mask := uint32(1)<<q.Bits - 1
	for b := range q.Blocks() {
		scales, zeros := q.Scales[b*GemmNR:][:GemmNR], q.Zeros[b*zstep:][:GemmNR]
		for i := b * rows; i < (b+1)*rows; i++ {
			words := q.Words[i*GemmNR:][:GemmNR]
			for p := range per {
				row := dst[(i*per+p)*GemmNR:][:GemmNR]
				for j, w := range words {
					row[j] = (float32(w>>(p*q.Bits)&mask) - zeros[j]) * scales[j]
				}
			}
		}
	}
}
