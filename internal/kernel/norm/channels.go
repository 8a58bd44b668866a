package norm

import (
	"context"

	"gort/internal/parallel"
)

// Coefficients computes the factors and offsets that turn a normalisation with
// known statistics into y = a*x + b, in double precision, rounded once:
//
//	a = scale / sqrt(variance + epsilon), b = bias - mean*a
func Coefficients[T Float](a, b, scale, bias, mean, variance []T, epsilon float64) {
	for c := range a {
		f := float64(scale[c]) * inverse(float64(variance[c]), epsilon)
		a[c], b[c] = T(f), T(float64(bias[c])-float64(mean[c])*f)
	}
}

// Channels computes y = a[c]*x + b[c] for tensors of planes (batch times
// channels) of n elements each; the channel of a plane is its number modulo
// len(a). y may be x.
func Channels[T Float](ctx context.Context, pool *parallel.Pool, n int, a, b, x, y []T) error {
	if len(x) == 0 {
		return nil
	}
	if n == 1 { // channels last
		c := len(a)
		return pool.For(ctx, len(x)/c, grain(c), func(lo, hi int) {
			for r := lo; r < hi; r++ {
				in, out := x[r*c:][:c], y[r*c:][:c]
				for i, v := range in {
					out[i] = v*a[i] + b[i]
				}
			}
		})
	}
	return pool.For(ctx, len(x)/n, grain(n), func(lo, hi int) {
		for p := lo; p < hi; p++ {
			affine(y[p*n:][:n], x[p*n:][:n], a[p%len(a)], b[p%len(a)])
		}
	})
}

// BatchMoments computes the mean and population variance of each channel over
// the batch.
func BatchMoments[T Float](ctx context.Context, pool *parallel.Pool, batch, channels, n int, x, mean, variance []T) error {
	return pool.For(ctx, channels, grain(batch*n), func(lo, hi int) {
		for c := lo; c < hi; c++ {
			sum := 0.0
			for b := range batch {
				for _, v := range x[(b*channels+c)*n:][:n] {
					sum += float64(v)
				}
			}
			m := sum / float64(batch*n)
			sum = 0
			for b := range batch {
				for _, v := range x[(b*channels+c)*n:][:n] {
					d := float64(v) - m
					sum += d * d
				}
			}
			mean[c], variance[c] = T(m), T(sum/float64(batch*n))
		}
	})
}

// Groups normalises each group of channels of each image by its own mean and
// variance, then scales and shifts each channel:
//
//	y = scale[c] * (x - mean) / sqrt(variance + epsilon) + bias[c]
//
// scale and bias have an element for each channel, or for each group. One group
// a channel is ONNX InstanceNormalization.
func Groups[T Float](ctx context.Context, pool *parallel.Pool, batch, channels, n, groups int, epsilon float64, scale, bias, x, y []T) error {
	size := channels / groups
	shared := len(scale) == groups && groups != channels
	return pool.For(ctx, batch*groups, grain(size*n), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			in, out := x[i*size*n:][:size*n], y[i*size*n:][:size*n]
			mean, variance := moments(in)
			inv := inverse(variance, epsilon)
			for c := range size {
				at := i%groups*size + c
				if shared {
					at = i % groups
				}
				standardize(out[c*n:][:n], in[c*n:][:n], T(mean), T(float64(scale[at])*inv), bias[at])
			}
		}
	})
}
