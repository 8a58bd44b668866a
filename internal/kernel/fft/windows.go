package fft

import "math"

// Cosines are the coefficients of a window that is a sum of cosines,
//
//	w[i] = c[0] - c[1]*cos(2*pi*i/n) + c[2]*cos(4*pi*i/n)
type Cosines [3]float64

// The windows of ONNX. Hamming's coefficients are 25/46 and 21/46.
var (
	Hann     = Cosines{0.5, 0.5, 0}
	Hamming  = Cosines{25.0 / 46, 21.0 / 46, 0}
	Blackman = Cosines{0.42, 0.5, 0.08}
)

// Fill computes a window. The period n is the window's length, or one less when
// it is symmetric. A single element is 1.
func (c Cosines) Fill(w []float64, periodic bool) {
	n := float64(len(w))
	if !periodic {
		n--
	}
	for i := range w {
		if n == 0 {
			w[i] = 1
			continue
		}
		a := 2 * math.Pi * float64(i) / n
		w[i] = c[0] - c[1]*math.Cos(a) + c[2]*math.Cos(2*a)
	}
}
