package op

import "gort/graph"

// LinearTargets is the number of score columns that a LinearClassifier computes,
// and how many it writes: two, when one column decides between two labels.
func LinearTargets(a Attrs) (targets, columns int) {
	labels := max(len(a.Ints("classlabels_ints")), len(a.Strings("classlabels_strings")))
	if targets = len(a.Floats("intercepts")); targets == 0 {
		targets = labels
	}
	if targets == 1 && labels == 2 {
		return 1, 2
	}
	return targets, targets
}

func inferLinearClassifier(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	labels, err := c.classLabels("classlabels_ints", "classlabels_strings")
	if err != nil {
		return err
	}
	targets, columns := LinearTargets(c.Attrs)
	weights := len(c.Floats("coefficients"))
	if targets == 0 {
		return c.AttrErrorf("intercepts", "is empty and no labels are given, one must tell the number of classes")
	}
	if targets > 1 && labels < targets {
		return c.AttrErrorf("intercepts", "has %d elements, there are %d labels", targets, labels)
	}
	if weights == 0 || weights%targets != 0 {
		return c.AttrErrorf("coefficients", "has %d elements, must be a multiple of the %d classes", weights, targets)
	}
	if err := c.features(weights / targets); err != nil {
		return err
	}
	c.SetDims(0, n)
	c.SetDims(1, n, graph.Known(columns))
	return nil
}

// features checks the number of features of input 0.
func (c *Context) features(want int) error {
	if have, ok := c.Shape(0).Dim(-1).Size(); ok && have != want {
		return c.InputErrorf(0, "shape %v has %d features, the model was made for %d", c.Shape(0), have, want)
	}
	return nil
}

func inferLinearRegressor(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	targets := c.Int("targets")
	if targets < 1 {
		return c.AttrErrorf("targets", "is %d, must be positive", targets)
	}
	weights, intercepts := len(c.Floats("coefficients")), len(c.Floats("intercepts"))
	if weights == 0 || weights%targets != 0 {
		return c.AttrErrorf("coefficients", "has %d elements, must be a multiple of the %d targets", weights, targets)
	}
	if intercepts != 0 && intercepts != targets {
		return c.AttrErrorf("intercepts", "has %d elements, must have %d or none", intercepts, targets)
	}
	if err := c.features(weights / targets); err != nil {
		return err
	}
	c.SetDims(0, n, graph.Known(targets))
	return nil
}

// inferSVMClassifier writes a column a class when probabilities are asked for or
// the model is linear, else one a pair of classes.
func inferSVMClassifier(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	classes, err := c.classLabels("classlabels_ints", "classlabels_strings")
	if err != nil {
		return err
	}
	if classes == 0 {
		return c.AttrErrorf("classlabels_ints", "is empty and so is classlabels_strings, one must name the classes")
	}
	vectors := 0
	for i, v := range c.Attrs.Ints("vectors_per_class") {
		if v < 0 || v > int64(len(c.Floats("support_vectors"))) {
			return c.AttrErrorf("vectors_per_class", "element %d is %d, support_vectors has %d numbers", i, v, len(c.Floats("support_vectors")))
		}
		vectors += int(v)
	}
	columns := classes
	if vectors > 0 && len(c.Floats("prob_a")) == 0 && classes > 2 {
		columns = classes * (classes - 1) / 2
	} else if vectors > 0 && len(c.Floats("prob_a")) == 0 {
		columns = 2
	}
	features := len(c.Floats("coefficients")) / classes
	if vectors > 0 {
		features = len(c.Floats("support_vectors")) / vectors
	}
	if err := c.features(features); err != nil {
		return err
	}
	c.SetDims(0, n)
	c.SetDims(1, n, graph.Known(columns))
	return nil
}

func inferSVMRegressor(c *Context) error {
	n, err := c.rows()
	if err != nil {
		return err
	}
	features, supports := len(c.Floats("coefficients")), c.Int("n_supports")
	if supports < 0 || supports > len(c.Floats("coefficients")) {
		return c.AttrErrorf("n_supports", "is %d, coefficients has %d elements", supports, features)
	}
	if supports > 0 {
		features = len(c.Floats("support_vectors")) / supports
	}
	if err := c.features(features); err != nil {
		return err
	}
	c.SetDims(0, n, graph.Known(1))
	return nil
}
