package op

import "gort/tensor"

const reduceSum = `ReduceSum <keepdims = @keepdims, noop_with_empty_axes = @noop_with_empty_axes>`

var (
	reduceL1Body        = body(18, `reduced = `+reduceSum+` (Abs (data), axes)`)
	reduceSumSquareBody = body(18, `reduced = `+reduceSum+` (Mul (data, data), axes)`)
	reduceL2Body        = inFloat(`reduced = CastLike (Sqrt (` + reduceSum + ` (Mul (x, x), axes)), data)`)
	reduceLogSumBody    = inFloat(`reduced = CastLike (Log (` + reduceSum + ` (x, axes)), data)`)
	// The largest element is taken out before exp and comes back after log.
	reduceLogSumExpBody = inFloat(`
		top = ReduceMax <keepdims = 1, noop_with_empty_axes = @noop_with_empty_axes> (x, axes)
		finite = Where (IsInf (top), 0:top, top)
		sum = ReduceSum <keepdims = 1, noop_with_empty_axes = @noop_with_empty_axes> (Exp (Sub (x, finite)), axes)
		kept = Add (Log (sum), finite)
		reduced = CastLike (ReduceMax <keepdims = @keepdims, noop_with_empty_axes = @noop_with_empty_axes> (kept, axes), data)`)
)

// inFloat is a body that computes with x, which is data as a type that holds
// fractions and the sums of squares: double of integers, float of 16-bit floats.
func inFloat(text string) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		x := "x = Identity (data)\n"
		switch d := c.DType(0); {
		case d == tensor.Float16 || d == tensor.BFloat16:
			x = "x = Cast <to = 1> (data)\n"
		case d.Class() != tensor.ClassFloat:
			x = "x = Cast <to = 11> (data)\n"
		}
		return Body{20, x + text}, nil
	}
}
