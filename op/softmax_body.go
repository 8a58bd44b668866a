package op

var (
	softmaxBody = scalarOr(`output = Exp (Sub (input, input))`,
		viaFloat(`Softmax <axis = @axis> (Cast <to = 1> (input))`, body(18, `
			e = Exp (Sub (input, ReduceMax <keepdims = 1> (input, [@axis])))
			output = Div (e, ReduceSum <keepdims = 1> (e, [@axis]))`)))
	logSoftmaxBody = scalarOr(`output = Sub (input, input)`,
		viaFloat(`LogSoftmax <axis = @axis> (Cast <to = 1> (input))`, body(18, `
			x = Sub (input, ReduceMax <keepdims = 1> (input, [@axis]))
			output = Sub (x, Log (ReduceSum <keepdims = 1> (Exp (x), [@axis])))`)))
)

// scalarOr is a body for inputs that have no axis, or another body.
func scalarOr(scalar string, wide func(*Context) (Body, error)) func(*Context) (Body, error) {
	return func(c *Context) (Body, error) {
		if c.Shape(0).HasRank(0) {
			return Body{18, scalar}, nil
		}
		return wide(c)
	}
}
