package simd

// Accelerated reports whether the vector kernels are in use.
func Accelerated() bool { return vector() }

// DisableForTest makes all functions run their pure-Go versions until restore
// is called. It is meant for tests that run nothing else meanwhile.
func DisableForTest() (restore func()) { return disable() }

// maxCall is the number of elements given to one call into assembly: even the
// slowest function on operands in main memory takes some tens of microseconds.
// The sums are rounded at its multiples, in the pure-Go versions too.
const maxCall = 1 << 14
