package op

var (
	softmaxBody = viaFloat(`Softmax <axis = @axis> (Cast <to = 1> (input))`, body(18, `
		e = Exp (Sub (input, ReduceMax <keepdims = 1> (input, [@axis])))
		output = Div (e, ReduceSum <keepdims = 1> (e, [@axis]))`))
	logSoftmaxBody = viaFloat(`LogSoftmax <axis = @axis> (Cast <to = 1> (input))`, body(18, `
		x = Sub (input, ReduceMax <keepdims = 1> (input, [@axis]))
		output = Sub (x, Log (ReduceSum <keepdims = 1> (Exp (x), [@axis])))`))
)
