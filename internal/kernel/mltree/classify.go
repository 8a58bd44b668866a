package mltree

import "gort/internal/kernel/ml"

// Classifier turns the scores of a row into a class and the scores to write, as
// TreeEnsembleClassifier does. The specification leaves open what two classes with
// votes for only one of them mean; here, as in ONNX Runtime, the votes are those of
// the positive class: a probability when no weight is negative, else a margin.
type Classifier[T Float] struct {
	Base      []T // added to the scores; of as many classes, or one, or none
	Transform ml.Transform
	classes   int
	oneVoted  bool // two classes, and votes for only one of them
	positive  bool // no weight is negative
}

// NewClassifier returns the classifier for an ensemble whose targets are the classes.
func NewClassifier[T Float](src *Source, base []T, t ml.Transform) *Classifier[T] {
	c := &Classifier[T]{Base: base, Transform: t, classes: src.Targets, positive: true}
	voted := map[int]bool{}
	for _, votes := range src.Leaves {
		for _, v := range votes {
			voted[v.Target] = true
			c.positive = c.positive && v.Weight >= 0
		}
	}
	c.oneVoted = c.classes == 2 && len(voted) == 1
	return c
}

// Finish returns the class of a row (counted, so that a single class has 1 for
// yes and 0 for no) and writes its scores, one a class.
func (c *Classifier[T]) Finish(scores []T, voted []bool, out []T) int {
	if c.classes > 2 {
		return c.many(scores, voted, out)
	}
	if c.classes == 1 {
		s := scores[0]
		if len(c.Base) > 0 {
			s += c.Base[0]
		}
		out[0] = s
		ml.Apply(c.Transform, out[:1])
		return truth(s > 0)
	}
	s0, s1, both := scores[0], scores[1], voted[1]
	how := ml.Lone
	switch len(c.Base) {
	case 2:
		if both {
			s1 += c.Base[1] + s0
			s0 = -s1
		} else {
			s0 += c.Base[0]
			s1 += c.Base[1]
			both = true
		}
	case 1:
		s0 += c.Base[0]
	default:
		how = ml.Negative
	}
	weight := s0
	if voted[1] {
		weight = s1
	}
	class := truth(weight > 0)
	if c.oneVoted {
		switch {
		case c.positive:
			class, how = truth(weight > 0.5), ml.Complement
		case weight > 0:
			how = ml.Positive
		default:
			how = ml.Negative
		}
	}
	if both {
		out[0], out[1] = s0, s1
		ml.Apply(c.Transform, out)
	} else {
		ml.Binary(c.Transform, how, s0, out)
	}
	return class
}

// many picks the first best of the classes that have a score.
func (c *Classifier[T]) many(scores []T, voted []bool, out []T) int {
	best := -1
	for i := range scores {
		if i < len(c.Base) {
			scores[i] += c.Base[i]
			voted[i] = true
		}
		if voted[i] && (best < 0 || scores[i] > scores[best]) {
			best = i
		}
	}
	copy(out, scores)
	ml.Apply(c.Transform, out)
	return max(best, 0)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
