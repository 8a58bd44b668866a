package simd

// fma32 returns x*y + z with a single rounding: the compiler makes this
// expression one FMADDS instruction. TestFMA notices if it no longer does.
func fma32(x, y, z float32) float32 { return x*y + z }
