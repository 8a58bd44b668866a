//go:build !purego

package simd

// quantCall is the number of elements of a column given to one call.
const quantCall = maxCall / 4

func quantDot(y, x, sums []float32, q *QuantPanel) {
	if !avx2 || len(q.Words) == 0 {
		quantDotGo(y, x, sums, q)
		return
	}
	quantSpans(q, func(from, blocks, rows, zstep int) {
		w, s, z := &q.Words[from*rows*GemmNR], &q.Scales[from*GemmNR], &q.Zeros[from*zstep]
		v := &x[from*rows*q.perWord()]
		switch q.Bits {
		case 2:
			quantDot2AVX2(&y[0], v, &sums[from], w, s, z, zstep, blocks, rows)
		case 4:
			quantDot4AVX2(&y[0], v, &sums[from], w, s, z, zstep, blocks, rows)
		default:
			quantDot8AVX2(&y[0], v, &sums[from], w, s, z, zstep, blocks, rows)
		}
	})
}

func quantRows(dst []float32, q *QuantPanel) {
	if !avx2 || len(q.Words) == 0 {
		quantRowsGo(dst, q)
		return
	}
	quantSpans(q, func(from, blocks, rows, zstep int) {
		w, s, z := &q.Words[from*rows*GemmNR], &q.Scales[from*GemmNR], &q.Zeros[from*zstep]
		d := &dst[from*rows*GemmNR*q.perWord()]
		switch q.Bits {
		case 2:
			quantRows2AVX2(d, w, s, z, zstep, blocks, rows)
		case 4:
			quantRows4AVX2(d, w, s, z, zstep, blocks, rows)
		default:
			quantRows8AVX2(d, w, s, z, zstep, blocks, rows)
		}
	})
}

// quantSpans cuts a panel into calls.
func quantSpans(q *QuantPanel, call func(from, blocks, rows, zstep int)) {
	rows, zstep := q.wordRows(), q.zeroStep()
	step := max(1, quantCall/(rows*q.perWord()))
	for from := 0; from < q.Blocks(); from += step {
		call(from, min(step, q.Blocks()-from), rows, zstep)
	}
}
