package simd

func quantDotGo(y, x, sums []float32, q *QuantPanel) {
	per, rows, zstep := q.perWord(), q.wordRows(), q.zeroStep()
	for b := range q.Blocks() {
		var s [GemmNR]float32
		for i := b * rows; i < (b+1)*rows; i++ {
			words := (*[GemmNR]uint32)(q.Words[i*GemmNR:])
			for p, v := range x[i*per : (i+1)*per-1] {
				mask := (uint32(1)<<q.Bits - 1) << (p * q.Bits)
				for j, w := range words {
					s[j] += float32(w&mask) * v
				}
			}
			v := x[(i+1)*per-1]
			for j, w := range words {
				s[j] += float32(w>>(32-q.Bits)) * v
			}
		}
		scales, zeros := q.Scales[b*GemmNR:][:GemmNR], q.Zeros[b*zstep:][:GemmNR]
		for j := range s {
			y[j] += scales[j] * (s[j] - zeros[j]*sums[b])
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
