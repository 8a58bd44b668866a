package op

// logLikelihoodBody picks each target's log probability, weighs it by its class,
// and counts what is ignored neither above nor below the line of the mean.
func logLikelihoodBody(c *Context) (Body, error) {
	text := "class = Identity (target)\n"
	ignore := c.Has("ignore_index")
	if ignore {
		text = `
			ignored = Equal (Cast <to = 7> (target), @ignore_index)
			class = Where (ignored, 0:target, target)
		`
	}
	text += "each = Neg (Squeeze (GatherElements <axis = 1> (input, Unsqueeze (class, [1])), [1]))\n"
	weighted := c.HasInput(2)
	switch {
	case weighted:
		text += "weights = Gather (weight, class)\n"
	case ignore:
		text += "weights = Expand (1:input, Shape (target))\n"
	}
	loss := "each"
	if weighted {
		text, loss = text+"weighed = Mul (each, weights)\n", "weighed"
	}
	counted := "weights"
	if ignore {
		text += "kept = Where (ignored, 0:input, " + loss + ")\ncounted = Where (ignored, 0:input, weights)\n"
		loss, counted = "kept", "counted"
	}
	switch reduction := c.String("reduction"); {
	case reduction == "none":
		text += "loss = Identity (" + loss + ")"
	case reduction == "sum":
		text += "loss = ReduceSum <keepdims = 0> (" + loss + ")"
	case weighted || ignore:
		text += "loss = Div (ReduceSum <keepdims = 0> (" + loss + "), ReduceSum <keepdims = 0> (" + counted + "))"
	default:
		text += "loss = ReduceMean <keepdims = 0> (" + loss + ")"
	}
	return Body{22, text}, nil
}

var crossEntropyBody = body(22, `
	log_prob = LogSoftmax <axis = 1> (scores)
	output = NegativeLogLikelihoodLoss <reduction = @reduction, ignore_index = @ignore_index> (log_prob, labels, weights)`)
