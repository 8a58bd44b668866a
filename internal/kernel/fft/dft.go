package fft

import (
	"context"
	"math/cmplx"

	"gort/internal/parallel"
)

// Float lists the element types of the package.
type Float interface{ float32 | float64 }

// Lines describes transforms along one axis of a tensor: outer blocks of In (then
// Out) lines of inner numbers, each of one (real) or two (complex) elements.
type Lines struct {
	Outer, In, Out, Inner   int
	PartsIn, PartsOut       int
	Inverse, OneSided, Real bool // Real: the output is real (an inverse of one side)
}

// DFT transforms the lines of x into y with a plan of the transform's length,
// cutting lines off or filling them up with zeros (ONNX DFT).
func DFT[T Float](ctx context.Context, pool *parallel.Pool, p *Plan, l *Lines, x, y []T) error {
	return pool.For(ctx, l.Outer*l.Inner, max(1, 2048/p.n), func(lo, hi int) {
		line, scratch := make([]complex128, p.n), make([]complex128, p.Scratch())
		for u := lo; u < hi; u++ {
			o, i := u/l.Inner, u%l.Inner
			load(line, x[(o*l.In*l.Inner+i)*l.PartsIn:], min(l.In, p.n), l.Inner*l.PartsIn, l.PartsIn)
			if l.Real {
				complete(line)
			}
			if l.Inverse {
				p.Inverse(line, scratch)
			} else {
				p.Forward(line, scratch)
			}
			store(y[(o*l.Out*l.Inner+i)*l.PartsOut:], line[:l.Out], l.Inner*l.PartsOut, l.PartsOut)
		}
	})
}

// load reads n numbers that lie stride elements apart; the rest of line is zero.
func load[T Float](line []complex128, x []T, n, stride, parts int) {
	for j := range n {
		re, im := float64(x[j*stride]), 0.0
		if parts == 2 {
			im = float64(x[j*stride+1])
		}
		line[j] = complex(re, im)
	}
	clear(line[n:])
}

func store[T Float](y []T, line []complex128, stride, parts int) {
	for j, v := range line {
		y[j*stride] = T(real(v))
		if parts == 2 {
			y[j*stride+1] = T(imag(v))
		}
	}
}

// complete fills the second half of the spectrum of a real signal from the first.
func complete(line []complex128) {
	n := len(line)
	line[0] = complex(real(line[0]), 0)
	if n%2 == 0 {
		line[n/2] = complex(real(line[n/2]), 0)
	}
	for k := n/2 + 1; k < n; k++ {
		line[k] = cmplx.Conj(line[n-k])
	}
}

// Frames describes a short-time Fourier transform: frames of the plan's length,
// Step numbers apart, of signals of Length numbers.
type Frames struct {
	Batch, Length, Parts int
	Count, Step, Bins    int
}

// STFT transforms each frame, weighted by a window unless that is nil (ONNX STFT).
func STFT[T Float](ctx context.Context, pool *parallel.Pool, p *Plan, f *Frames, x, window, y []T) error {
	return pool.For(ctx, f.Batch*f.Count, max(1, 2048/p.n), func(lo, hi int) {
		line, scratch := make([]complex128, p.n), make([]complex128, p.Scratch())
		for u := lo; u < hi; u++ {
			at := (u/f.Count*f.Length + u%f.Count*f.Step) * f.Parts
			load(line, x[at:], p.n, f.Parts, f.Parts)
			for j, w := range window {
				line[j] *= complex(float64(w), 0)
			}
			p.Forward(line, scratch)
			store(y[u*f.Bins*2:], line[:f.Bins], 2, 2)
		}
	})
}
