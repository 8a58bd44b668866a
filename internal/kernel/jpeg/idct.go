package jpeg

// Constants of the transform with 13 fractional bits: rounded cosines of multiples
// of π/16 times √2, and their sums as Loeffler, Ligtenberg and Moschytz arrange them
// ("Practical Fast 1-D DCT Algorithms with 11 Multiplications", 1989).
const (
	c0_298 = 2446
	c0_390 = 3196
	c0_541 = 4433
	c0_765 = 6270
	c0_899 = 7373
	c1_175 = 9633
	c1_501 = 12299
	c1_847 = 15137
	c1_961 = 16069
	c2_053 = 16819
	c2_562 = 20995
	c3_072 = 25172
)

const (
	constantBits = 13
	passBits     = 2 // that the first pass keeps below the point
)

// inverseDCT transforms a block of coefficients, which it destroys, into 8 rows of
// samples. Columns come first and keep 2 fractional bits; then rows, which also
// divide by the 8 that the one-dimensional transforms leave. Both round halves up.
func inverseDCT(block *[blockSize]int32, dst []uint8, stride int) {
	for x := range 8 {
		c := block[x : x+57 : x+57]
		if c[8]|c[16]|c[24]|c[32]|c[40]|c[48]|c[56] == 0 {
			v := c[0] << passBits
			for y := 0; y < 57; y += 8 {
				c[y] = v
			}
			continue
		}
		o := inverse8(c[0], c[8], c[16], c[24], c[32], c[40], c[48], c[56])
		const shift = constantBits - passBits
		for y, v := range o {
			c[8*y] = (v + 1<<(shift-1)) >> shift
		}
	}
	for y := range 8 {
		r := block[8*y : 8*y+8 : 8*y+8]
		o := inverse8(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		const shift = constantBits + passBits + 3
		row := dst[y*stride:][:8]
		for x, v := range o {
			row[x] = clamp((v+1<<(shift-1))>>shift + 128)
		}
	}
}

// inverse8 is the transform in one dimension, scaled by √8 and by 2 to the power of
// constantBits.
func inverse8(x0, x1, x2, x3, x4, x5, x6, x7 int32) [8]int32 {
	// Even coefficients.
	z := (x2 + x6) * c0_541
	e2 := z - x6*c1_847
	e3 := z + x2*c0_765
	e0 := (x0 + x4) << constantBits
	e1 := (x0 - x4) << constantBits
	a0, a3 := e0+e3, e0-e3
	a1, a2 := e1+e2, e1-e2

	// Odd coefficients.
	z5 := (x7 + x3 + x5 + x1) * c1_175
	z1 := (x7 + x1) * -c0_899
	z2 := (x5 + x3) * -c2_562
	z3 := (x7+x3)*-c1_961 + z5
	z4 := (x5+x1)*-c0_390 + z5
	b0 := x7*c0_298 + z1 + z3
	b1 := x5*c2_053 + z2 + z4
	b2 := x3*c3_072 + z2 + z3
	b3 := x1*c1_501 + z1 + z4

	return [8]int32{a0 + b3, a1 + b2, a2 + b1, a3 + b0, a3 - b0, a2 - b1, a1 - b2, a0 - b3}
}

// clamp limits a sample to a byte.
func clamp(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
