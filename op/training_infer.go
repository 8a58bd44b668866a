package op

// inferOptimizer is the shape function of the optimisers, whose inputs after rate
// and count are groups of tensors: values, gradients, then states. New values and
// states come out, each like its old one.
func inferOptimizer(groups int) func(c *Context) error {
	return func(c *Context) error {
		given := c.NumInputs() - 2
		if given%groups != 0 {
			return c.Errorf("%d inputs after the first two, must be %d for each value", given, groups)
		}
		n := given / groups
		if want := n * (groups - 1); c.NumOutputs() > want {
			return c.Errorf("%d outputs, must be %d for %d values", c.NumOutputs(), want, n)
		}
		for i := range c.NumOutputs() {
			from := 2 + i
			if i >= n {
				from += n // gradients have no successors
			}
			c.SetOutput(i, Fact{Type: c.Type(from)})
		}
		return nil
	}
}

func inferMomentum(c *Context) error {
	if err := c.oneOf("mode", []string{"standard", "nesterov"}); err != nil {
		return err
	}
	return inferOptimizer(3)(c)
}

// inferGradient gives each output the type of the value it is the derivative by:
// xs names the first inputs.
func inferGradient(c *Context) error {
	xs := c.Strings("xs")
	if c.NumInputs() < len(xs) || c.NumOutputs() != len(xs) {
		return c.AttrErrorf("xs", "names %d values for %d inputs and %d outputs", len(xs), c.NumInputs(), c.NumOutputs())
	}
	for i := range xs {
		c.SetOutput(i, Fact{Type: c.Type(i)})
	}
	return nil
}
