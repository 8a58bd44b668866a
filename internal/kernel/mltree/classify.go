package mltree

import "gort/internal/kernel/ml"

// Classifier turns the scores of a row into a class and the scores to write, as
// TreeEnsembleClassifier does: the votes for a class and its base value are
// summed, and the first largest wins.
//
// The specification leaves open what two classes mean of which only one gets
// votes. Here, as in ONNX Runtime, that sum is the score of the positive class: a
// probability when no weight is negative, else a margin.
type Classifier[T Float] struct {
	base      []T // as many as classes, or one, or none
	transform ml.Transform
	classes   int
	only      int  // the one of two classes with votes, -1 otherwise
	positive  bool // no weight is negative
}

// NewClassifier returns the classifier for an ensemble whose targets are the classes.
func NewClassifier[T Float](src *Source, base []T, t ml.Transform) *Classifier[T] {
	c := &Classifier[T]{base: base, transform: t, classes: src.Targets, only: -1, positive: true}
	var voted [2]bool
	for _, votes := range src.Leaves {
		for _, v := range votes {
			voted[min(v.Target, 1)] = true
			c.positive = c.positive && v.Weight >= 0
		}
	}
	if c.classes == 2 && voted[0] != voted[1] && len(base) < 2 {
		c.only = truth(voted[1])
	}
	return c
}

// Finish returns the class of a row, counted from 0, and writes its scores, one a
// class. A single class has 1 for yes and 0 for no.
func (c *Classifier[T]) Finish(scores []T, voted []bool, out []T) int {
	switch {
	case c.classes == 1:
		out[0] = scores[0]
		if len(c.base) > 0 {
			out[0] += c.base[0]
		}
		class := truth(out[0] > 0)
		ml.Apply(c.transform, out)
		return class
	case c.only == 0:
		s := scores[0]
		if len(c.base) > 0 {
			s += c.base[0]
		}
		ml.Pair(c.transform, c.positive, s, out)
		return c.side(s)
	case c.only == 1:
		out[0], out[1] = 0, scores[1]
		ml.Apply(c.transform, out)
		return c.side(scores[1])
	}
	best := -1
	for i := range scores {
		if i < len(c.base) {
			scores[i] += c.base[i]
			voted[i] = true
		}
		if voted[i] && (best < 0 || scores[i] > scores[best]) {
			best = i
		}
	}
	copy(out, scores)
	ml.Apply(c.transform, out)
	return max(best, 0)
}

// side decides between two classes by the score of the positive one.
func (c *Classifier[T]) side(s T) int {
	if c.positive {
		return truth(s > 0.5)
	}
	return truth(s > 0)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
