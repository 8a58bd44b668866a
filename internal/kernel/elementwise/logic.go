package elementwise

// Logic returns the loop of And, Or, Xor or Equal on booleans, each a byte that
// is true when it is not 0. It returns nil for other names.
func Logic(op string) Loop2[uint8, uint8, bool] {
	switch op {
	case "And":
		return func(dst []bool, a, b []uint8, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] != 0 && b[i&mb] != 0
			}
		}
	case "Or":
		return func(dst []bool, a, b []uint8, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma]|b[i&mb] != 0
			}
		}
	case "Xor":
		return func(dst []bool, a, b []uint8, ma, mb int) {
			for i := range dst {
				dst[i] = (a[i&ma] != 0) != (b[i&mb] != 0)
			}
		}
	case "Equal":
		return func(dst []bool, a, b []uint8, ma, mb int) {
			for i := range dst {
				dst[i] = (a[i&ma] != 0) == (b[i&mb] != 0)
			}
		}
	}
	return nil
}

// Not is the loop of logical negation.
func Not(dst []bool, a []uint8) {
	for i, x := range a {
		dst[i] = x == 0
	}
}

// Bitwise returns the loop of BitwiseAnd, BitwiseOr, BitwiseXor, ShiftLeft or
// ShiftRight; shifts by the width of the type and more give 0, and by negative
// counts nothing is shifted. It returns nil for other names.
func Bitwise[T Integer](op string) Loop2[T, T, T] {
	switch op {
	case "BitwiseAnd":
		return func(dst, a, b []T, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] & b[i&mb]
			}
		}
	case "BitwiseOr":
		return func(dst, a, b []T, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] | b[i&mb]
			}
		}
	case "BitwiseXor":
		return func(dst, a, b []T, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] ^ b[i&mb]
			}
		}
	case "ShiftLeft":
		return func(dst, a, b []T, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] << uint64(max(b[i&mb], 0))
			}
		}
	case "ShiftRight":
		return func(dst, a, b []T, ma, mb int) {
			for i := range dst {
				dst[i] = a[i&ma] >> uint64(max(b[i&mb], 0))
			}
		}
	}
	return nil
}

// BitwiseNot is the loop that flips all bits.
func BitwiseNot[T Integer](dst, a []T) {
	for i, x := range a {
		dst[i] = ^x
	}
}

// Where is the loop dst[i] = x[i] where c[i] is not 0, else y[i].
func Where[T any](dst []T, c []uint8, x, y []T, mc, mx, my int) {
	if mc == 0 {
		src, m := y, my
		if c[0] != 0 {
			src, m = x, mx
		}
		if m != 0 {
			copy(dst, src)
			return
		}
		for i := range dst {
			dst[i] = src[0]
		}
		return
	}
	for i := range dst {
		v := y[i&my]
		if c[i] != 0 {
			v = x[i&mx]
		}
		dst[i] = v
	}
}
