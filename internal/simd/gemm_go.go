package simd

func gemmKernelGo(rows, k int, a []float32, ars, acs int, b []float32, ldb int, c []float32, ldc int, alpha float32, accumulate bool) {
	for i := range rows {
		var sum [GemmNR]float32
		for p := range k {
			x := a[i*ars+p*acs]
			row := (*[GemmNR]float32)(b[p*ldb:])
			for j := range sum {
				sum[j] += x * row[j]
			}
		}
		out := (*[GemmNR]float32)(c[i*ldc:])
		if accumulate {
			for j := range out {
				out[j] += alpha * sum[j]
			}
		} else {
			for j := range out {
				out[j] = alpha * sum[j]
			}
		}
	}
}

func int16KernelGo(rows, pairs int, a, b []int16, c []int32, ldc int, accumulate bool) {
	for i := range rows {
		var sum [GemmNR]int32
		for p := range pairs {
			a0, a1 := int32(a[(p*GemmMR+i)*2]), int32(a[(p*GemmMR+i)*2+1])
			row := (*[2 * GemmNR]int16)(b[p*2*GemmNR:])
			for j := range sum {
				sum[j] += a0*int32(row[2*j]) + a1*int32(row[2*j+1])
			}
		}
		out := (*[GemmNR]int32)(c[i*ldc:])
		if accumulate {
			for j := range out {
				out[j] += sum[j]
			}
		} else {
			copy(out[:], sum[:])
		}
	}
}
