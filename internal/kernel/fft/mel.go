package fft

import (
	"fmt"
	"math"
)

// Mel fills the matrix of ONNX MelWeightMatrix, dftLength/2+1 rows of bins
// columns: column i is a triangle over the spectrogram's bins between the mel
// frequencies i and i+2 of bins+2 equally spaced ones, mel(f) = 2595*log10(1+f/700).
func Mel(bins, dftLength, sampleRate int, lower, upper float64, w []float64) error {
	clear(w)
	if bins < 1 || dftLength < 1 || sampleRate < 1 {
		return fmt.Errorf("num_mel_bins, dft_length and sample_rate are %d, %d and %d, must be positive", bins, dftLength, sampleRate)
	}
	rows := dftLength/2 + 1
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	low := mel(lower)
	step := (mel(upper) - low) / float64(bins+2)
	edges := make([]int, bins+2)
	for i := range edges {
		f := 700 * (math.Pow(10, (float64(i)*step+low)/2595) - 1)
		e := math.Floor(float64(dftLength+1) * f / float64(sampleRate))
		if !(e >= 0 && e < float64(rows)) {
			return fmt.Errorf("lower_edge_hertz %g and upper_edge_hertz %g reach beyond the %d frequencies of a transform of %d at %d Hz", lower, upper, rows, dftLength, sampleRate)
		}
		edges[i] = int(e)
	}
	for i := range bins {
		left, center, right := edges[i], edges[i+1], edges[i+2]
		if left == center {
			w[center*bins+i] = 1
		}
		for j := left; j <= center && left < center; j++ {
			w[j*bins+i] = float64(j-left) / float64(center-left)
		}
		for j := center; j < right; j++ {
			w[j*bins+i] = float64(right-j) / float64(right-center)
		}
	}
	return nil
}
