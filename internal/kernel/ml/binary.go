package ml

// Pair writes the scores of two classes, made of the one score of the positive
// class. A probability p becomes 1-p and p, a margin m becomes -m and m; Logistic
// makes both probabilities. Softmax and SoftmaxZero change nothing. Probit writes
// the transformed score first and 0 second, as ONNX Runtime does.
func Pair[T Float](t Transform, probability bool, score T, out []T) {
	switch {
	case t == Probit:
		out[0], out[1] = probit(score), 0
	case t == Logistic:
		out[0], out[1] = logistic(-score), logistic(score)
	case probability:
		out[0], out[1] = 1-score, score
	default:
		out[0], out[1] = -score, score
	}
}
