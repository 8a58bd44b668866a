package difftest

import (
	"math"
	"math/cmplx"
	"testing"

	"gort/tensor"
)

// numbers returns the elements of a tensor as complex numbers: pairs of them, or each.
func numbers(t *tensor.Tensor, pairs bool) []complex128 {
	f, _ := tensor.Float64s(t)
	var out []complex128
	for i := 0; i < len(f); i++ {
		v := complex(f[i], 0)
		if pairs {
			v = complex(f[i], f[i+1])
			i++
		}
		out = append(out, v)
	}
	return out
}

// ComplexMul and ComplexMulConj have no CPU kernel in ONNX Runtime: pairs along the last
// dimension are the parts of complex numbers, which broadcast.
func TestComplexMulFormula(t *testing.T) {
	for name, conj := range map[string]bool{"ComplexMul": false, "ComplexMulConj": true} {
		for seed := range uint64(60) {
			c, in, out := runCall(t, Find(microsoft, name), seed, Types{"T": tensor.Float64})
			var factors [2][]complex128
			for i := range factors {
				wide, err := in[i].BroadcastTo(out.Shape()...)
				if err != nil {
					t.Fatalf("%s: %v for %v and %v", c.Name, out, in[0], in[1])
				}
				factors[i] = numbers(wide.Contiguous(), true)
			}
			for i, got := range numbers(out, true) {
				y := factors[1][i]
				if conj {
					y = cmplx.Conj(y)
				}
				if want := factors[0][i] * y; got != want {
					t.Errorf("%s: element %d is %v, want %v", c.Name, i, got, want)
				}
			}
		}
	}
}

// spectrum is element k of the transform of a signal over all of its dimensions:
// the sum of x[n] exp(∓2πi Σ k n / N).
func spectrum(x []complex128, shape, k []int, sign float64) (sum complex128) {
	for i, v := range x {
		angle, rest := 0.0, i
		for d := len(shape) - 1; d >= 0; d-- {
			angle += float64(rest%shape[d]*k[d]) / float64(shape[d])
			rest /= shape[d]
		}
		sum += v * cmplx.Rect(1, sign*2*math.Pi*angle)
	}
	return sum
}

// places calls f with each index into a shape, in order.
func places(shape []int, f func(k []int)) {
	n := tensor.Shape(shape).Size()
	k := make([]int, len(shape))
	for i := range n {
		for d := len(shape) - 1; d >= 0; d-- {
			k[d] = i % shape[d]
			i /= shape[d]
		}
		f(k)
	}
}

// Rfft has no CPU kernel in ONNX Runtime: it gives the half of the spectrum of a real
// signal from which the other half follows.
func TestRfftFormula(t *testing.T) {
	for seed := range uint64(60) {
		c, in, out := runCall(t, Find(microsoft, "Rfft"), seed, Types{"T": tensor.Float64})
		n := int(c.attr("signal_ndim", 1))
		signal := in[0].Shape()[in[0].Rank()-n:]
		half := append([]int{}, signal...)
		half[n-1] = signal[n-1]/2 + 1
		got, x, at := numbers(out, true), numbers(in[0], false), 0
		for ; len(x) > 0; x = x[signal.Size():] {
			places(half, func(k []int) {
				if want := spectrum(x[:signal.Size()], signal, k, -1); cmplx.Abs(got[at]-want) > 1e-9 {
					t.Errorf("%s: element %d, %v, is %v, want %v", c.Name, at, k, got[at], want)
				}
				at++
			})
		}
		if at != len(got) {
			t.Errorf("%s: %v for %v, want %d numbers", c.Name, out, in[0], at)
		}
	}
}

// Irfft neither: it makes the spectrum whole, as if the signal were real, and gives the
// real part of the mean of its waves.
func TestIrfftFormula(t *testing.T) {
	for seed := range uint64(60) {
		c, in, out := runCall(t, Find(microsoft, "Irfft"), seed, Types{"T": tensor.Float64})
		n := int(c.attr("signal_ndim", 1))
		signal := out.Shape()[out.Rank()-n:]
		half := append([]int{}, signal...)
		half[n-1] = signal[n-1]/2 + 1
		size := tensor.Shape(half).Size()
		got, x, at := numbers(out, false), numbers(in[0], true), 0
		for ; len(x) > 0; x = x[size:] {
			// Along the other dimensions the waves add up first; the last one completes
			// what is left of it to a spectrum whose signal is real.
			places(signal, func(k []int) {
				sum := 0.0
				places(half[n-1:], func(last []int) {
					var part []complex128
					for i := last[0]; i < size; i += half[n-1] {
						part = append(part, x[i])
					}
					v := spectrum(part, signal[:n-1], k, 1) * cmplx.Rect(1, 2*math.Pi*float64(k[n-1]*last[0])/float64(signal[n-1]))
					if last[0] > 0 && last[0] < half[n-1]-1 {
						v *= 2 // the mirrored number adds the conjugate
					}
					sum += real(v)
				})
				// Numbers 0 and N/2 of a real signal's spectrum are real.
				if want := sum / float64(signal.Size()); math.Abs(real(got[at])-want) > 1e-9 {
					t.Errorf("%s: element %d, %v, is %v, want %v", c.Name, at, k, got[at], want)
				}
				at++
			})
		}
		if at != len(got) {
			t.Errorf("%s: %v for %v, want %d numbers", c.Name, out, in[0], at)
		}
	}
}
