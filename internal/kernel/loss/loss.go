// Package loss computes losses of predicted classes.
package loss

import "fmt"

// Float is the types of scores.
type Float interface{ float32 | float64 }

// Reduction is what becomes of the samples' losses.
type Reduction uint8

// Reductions.
const (
	Mean Reduction = iota // weighted by the samples' weights
	Sum
	None
)

// Options are a loss's attributes.
type Options struct {
	Reduction Reduction
	Ignore    bool // labels equal to Index give no loss and no weight
	Index     int64
}

// NegativeLogLikelihood computes, for log-probabilities logp of shape
// [n, classes, inner] and labels of shape [n, inner], the losses
//
//	loss[i][k] = -logp[i][label][k] * weight[label]
//
// and reduces them into dst. A nil weight is 1 for all classes.
func NegativeLogLikelihood[T Float, I int32 | int64](dst, logp []T, labels []I, weight []T, n, classes, inner int, o Options) error {
	loss, total := 0.0, 0.0
	for i, label := range labels {
		var l, w float64
		switch c := int64(label); {
		case o.Ignore && c == o.Index:
		case c < 0 || c >= int64(classes):
			return fmt.Errorf("input 1 (labels): element %d is %d, allowed are 0 to %d", i, c, classes-1)
		default:
			w = 1
			if weight != nil {
				w = float64(weight[c])
			}
			l = -float64(logp[(i/inner*classes+int(c))*inner+i%inner]) * w
		}
		if o.Reduction == None {
			dst[i] = T(l)
			continue
		}
		loss += l
		total += w
	}
	switch o.Reduction {
	case Sum:
		dst[0] = T(loss)
	case Mean:
		dst[0] = T(loss / total)
	}
	return nil
}
