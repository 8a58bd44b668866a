package simd

func transpose8x8Go(dst []float32, ldd int, src []float32, lds int) {
	for i := range 8 {
		row := (*[8]float32)(src[i*lds:])
		for j, x := range row {
			dst[j*ldd+i] = x
		}
	}
}
