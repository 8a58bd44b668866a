package ml

// Second says how a lone score becomes the scores of two classes.
type Second uint8

// Ways to make two scores of one. Complement takes the score for a probability,
// the others for a margin: Positive and Negative tell which class won.
const (
	Lone Second = iota
	Complement
	Positive
	Negative
)

// Binary writes the transformed scores of two classes, made of the one score of
// the positive class.
func Binary[T Float](t Transform, how Second, score T, out []T) {
	switch {
	case how == Lone || len(out) < 2:
		out[0] = score
		Apply(t, out[:1])
	case t == Probit:
		out[0], out[1] = probit(1-score), probit(score)
	case how == Complement:
		out[0], out[1] = 1-score, score
	case t == Logistic:
		out[0], out[1] = logistic(-score), logistic(score)
	case how == Positive:
		out[0], out[1] = -score, score
	default:
		out[0], out[1] = score, -score
	}
}
