// Package moe has the numerics of mixtures of experts (com.microsoft MoE and QMoE): a
// [Router] picks experts for each row and weights them, and [Experts] computes the
// weighted sum of what they make of the row.
package moe

import (
	"math"
	"slices"
)

// Router picks the experts of rows by their logits.
type Router struct {
	Experts, K int
	// AmongPicked has the weights of the K picked experts be the softmax over their
	// logits. Without it they are those of the softmax over all logits, which
	// Normalize then divides by their sum.
	AmongPicked, Normalize bool
	// Least is what a weight has to exceed for its expert to be asked at all.
	Least float32
}

// Pick writes the K experts with the largest logits, the largest first and of equals
// the last first, and their weights. given, unless nil, are weights for all experts,
// which stand instead of those of a softmax; Normalize divides the picked ones by
// their sum.
func (r *Router) Pick(logits, given []float32, experts []int, weights []float32) {
	for i := range experts {
		best := -1
		for e, v := range logits {
			if (best < 0 || v >= logits[best]) && !slices.Contains(experts[:i], e) {
				best = e
			}
		}
		experts[i] = best
	}
	normalize := r.Normalize
	if given != nil {
		for i, e := range experts {
			weights[i] = given[e]
		}
	} else {
		top, sum := logits[experts[0]], float32(0)
		for i, e := range experts {
			weights[i] = exp(logits[e] - top)
			sum += weights[i]
		}
		if !r.AmongPicked {
			sum = 0
			for _, v := range logits {
				sum += exp(v - top)
			}
		}
		for i := range weights {
			weights[i] /= sum
		}
		normalize = normalize && !r.AmongPicked
	}
	if !normalize {
		return
	}
	sum := float32(0)
	for _, w := range weights {
		sum += w
	}
	for i := range weights {
		if sum == 0 {
			weights[i] = 0
		} else {
			weights[i] /= sum
		}
	}
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }
