//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// avx2 stands for the whole of AVX2, FMA and F16C: no CPU has one without the
// others in practice, and one flag keeps the choice in one place.
var avx2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

func vector() bool { return avx2 }

func disable() (restore func()) {
	was := avx2
	avx2 = false
	return func() { avx2 = was }
}
