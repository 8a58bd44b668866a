package simd

func packB16Go(dst []float32, panel int, src []float32, lds, k, panels int) {
	for p := range k {
		for q := range panels {
			copy(dst[q*panel+p*GemmNR:][:GemmNR], src[p*lds+q*GemmNR:])
		}
	}
}

func packA6Go(dst, src []float32, lds, k int) {
	r0, r1, r2 := src[:k], src[lds:lds+k], src[2*lds:2*lds+k]
	r3, r4, r5 := src[3*lds:3*lds+k], src[4*lds:4*lds+k], src[5*lds:5*lds+k]
	for p := range r0 {
		out := (*[GemmMR]float32)(dst[p*GemmMR:])
		out[0], out[1], out[2] = r0[p], r1[p], r2[p]
		out[3], out[4], out[5] = r3[p], r4[p], r5[p]
	}
}
