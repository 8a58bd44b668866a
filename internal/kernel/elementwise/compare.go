package elementwise

import "cmp"

// Compare returns the loop of a comparison: Equal, Less, LessOrEqual, Greater or
// GreaterOrEqual. It returns nil for other names.
func Compare[T cmp.Ordered](op string) Loop2[T, T, bool] {
	switch op {
	case "Equal":
		return equal[T]
	case "Less":
		return less[T]
	case "LessOrEqual":
		return lessOrEqual[T]
	case "Greater":
		return swap(less[T])
	case "GreaterOrEqual":
		return swap(lessOrEqual[T])
	}
	return nil
}

func swap[A, R any](f func(dst []R, a, b []A, ma, mb int)) Loop2[A, A, R] {
	return func(dst []R, a, b []A, ma, mb int) { f(dst, b, a, mb, ma) }
}

func equal[T comparable](dst []bool, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] == b[i&mb]
	}
}

func less[T cmp.Ordered](dst []bool, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] < b[i&mb]
	}
}

func lessOrEqual[T cmp.Ordered](dst []bool, a, b []T, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] <= b[i&mb]
	}
}
