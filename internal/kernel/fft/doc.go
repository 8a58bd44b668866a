// Package fft computes discrete Fourier transforms of any length, and the
// windows and filter banks that go with them. Sums are in double precision.
package fft
