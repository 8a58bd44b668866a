package op

import "fmt"

// gradientRule is how gradients of a node's inputs are made, see GradientContext.
type gradientRule = func(c *GradientContext) (Body, error)

// gradientRules are the rules for operators of ai.onnx, for all their versions.
var gradientRules = []map[string]gradientRule{
	unaryGradients, activationGradients, broadcastGradients, matmulGradients, shapeGradients, moveGradients, reduceGradients, windowGradients,
}

// gradientOf is the rule for an operator of ai.onnx, nil when there is none.
func gradientOf(name string) gradientRule {
	for _, table := range gradientRules {
		if rule := table[name]; rule != nil {
			return rule
		}
	}
	return nil
}

// gradientOpset is the version of ai.onnx in which the rules are written.
const gradientOpset = 25

// rule is a text that makes dx0 and is the same for every node.
func rule(text string) gradientRule {
	return func(c *GradientContext) (Body, error) {
		if !c.Wants(0) {
			return Body{}, nil
		}
		return Body{gradientOpset, text}, nil
	}
}

// flat is the rule for what is constant between its steps.
var flat = rule("")

var unaryGradients = map[string]gradientRule{
	"Identity":   rule(`dx0 = Identity (dy0)`),
	"Neg":        rule(`dx0 = Neg (dy0)`),
	"Abs":        rule(`dx0 = Mul (dy0, Sign (x0))`),
	"Exp":        rule(`dx0 = Mul (dy0, y0)`),
	"Log":        rule(`dx0 = Div (dy0, x0)`),
	"Sqrt":       rule(`dx0 = Div (dy0, Mul (y0, 2:y0))`),
	"Reciprocal": rule(`dx0 = Neg (Mul (dy0, Mul (y0, y0)))`),
	"Erf":        rule(`dx0 = Mul (dy0, Mul (Exp (Neg (Mul (x0, x0))), 1.1283791670955126:x0))`), // 2/√π
	"Sin":        rule(`dx0 = Mul (dy0, Cos (x0))`),
	"Cos":        rule(`dx0 = Neg (Mul (dy0, Sin (x0)))`),
	"Tan":        rule(`dx0 = Mul (dy0, Add (Mul (y0, y0), 1:y0))`),
	"Asin":       rule(`dx0 = Div (dy0, Sqrt (Sub (1:x0, Mul (x0, x0))))`),
	"Acos":       rule(`dx0 = Neg (Div (dy0, Sqrt (Sub (1:x0, Mul (x0, x0)))))`),
	"Atan":       rule(`dx0 = Div (dy0, Add (Mul (x0, x0), 1:x0))`),
	"Sinh":       rule(`dx0 = Mul (dy0, Cosh (x0))`),
	"Cosh":       rule(`dx0 = Mul (dy0, Sinh (x0))`),
	"Tanh":       rule(`dx0 = Mul (dy0, Sub (1:y0, Mul (y0, y0)))`),
	"Asinh":      rule(`dx0 = Div (dy0, Sqrt (Add (Mul (x0, x0), 1:x0)))`),
	"Acosh":      rule(`dx0 = Div (dy0, Sqrt (Sub (Mul (x0, x0), 1:x0)))`),
	"Atanh":      rule(`dx0 = Div (dy0, Sub (1:x0, Mul (x0, x0)))`),
	"Sign":       flat,
	"Floor":      flat,
	"Ceil":       flat,
	"Round":      flat,
	"Cast":       rule(`dx0 = CastLike (dy0, x0)`),
	"CastLike":   rule(`dx0 = CastLike (dy0, x0)`),
}

// Where a function has a corner, its gradient there is that of the lower side.
// What is not selected must not overflow: nothing times infinity is no number.
var activationGradients = map[string]gradientRule{
	"Relu":            rule(`dx0 = Where (Greater (x0, 0:x0), dy0, 0:dy0)`),
	"LeakyRelu":       rule(`dx0 = Where (Greater (x0, 0:x0), dy0, Mul (dy0, @alpha:dy0))`),
	"ThresholdedRelu": rule(`dx0 = Where (Greater (x0, @alpha:x0), dy0, 0:dy0)`),
	"Sigmoid":         rule(`dx0 = Mul (dy0, Mul (y0, Sub (1:y0, y0)))`),
	"Softplus":        rule(`dx0 = Mul (dy0, Sigmoid (x0))`),
	"Softsign": rule(`
		below = Add (Abs (x0), 1:x0)
		dx0 = Div (dy0, Mul (below, below))`),
	"Elu": rule(`dx0 = Where (Greater (x0, 0:x0), dy0, Mul (dy0, Mul (Exp (Min (x0, 0:x0)), @alpha:x0)))`),
	"Selu": rule(`
		slope = Where (Greater (x0, 0:x0), 1:x0, Mul (Exp (Min (x0, 0:x0)), @alpha:x0))
		dx0 = Mul (dy0, Mul (slope, @gamma:x0))`),
	"Celu":       rule(`dx0 = Where (Greater (x0, 0:x0), dy0, Mul (dy0, Exp (Div (Min (x0, 0:x0), @alpha:x0))))`),
	"Clip":       clipGradient,
	"Softmax":    softmaxGradient(`dx0 = Mul (y0, Sub (dy0, ReduceSum <keepdims = 1> (Mul (dy0, y0), axes)))`),
	"LogSoftmax": softmaxGradient(`dx0 = Sub (dy0, Mul (Exp (y0), ReduceSum <keepdims = 1> (dy0, axes)))`),
	"Dropout":    dropoutGradient,
}

// softmaxGradient is a rule over axes: before version 13 all from axis on.
func softmaxGradient(text string) gradientRule {
	return func(c *GradientContext) (Body, error) {
		if c.Shape(0).HasRank(0) {
			return Body{}, nil // always 1
		}
		axes := fmt.Sprintf("[%d]", c.Int("axis"))
		if c.Def.Since < 13 {
			axes = axesFrom("x0", c.Int("axis"))
		}
		return Body{gradientOpset, "axes = Identity (" + axes + ")\n" + text}, nil
	}
}

// clipGradient passes what was not clipped; the bounds get nothing.
func clipGradient(c *GradientContext) (Body, error) {
	least, most := "Reshape (x1, [])", "Reshape (x2, [])"
	if c.sig.Attr("min") != nil {
		least, most = "@min:x0", "@max:x0"
	}
	text := "g = Identity (dy0)\n"
	if c.attrValue("min") != nil || c.HasInput(1) {
		text = "g = Where (Less (x0, " + least + "), 0:dy0, dy0)\n"
	}
	if c.attrValue("max") != nil || c.HasInput(2) {
		return Body{gradientOpset, text + "dx0 = Where (Greater (x0, " + most + "), 0:g, g)"}, nil
	}
	return Body{gradientOpset, text + "dx0 = Identity (g)"}, nil
}

// dropoutGradient is that of the inference mode, where nothing is dropped, and of
// training where the mask of what was kept is an output.
func dropoutGradient(c *GradientContext) (Body, error) {
	training := c.HasInput(2)
	if v, ok := c.KnownInts(2); ok && len(v) == 1 {
		training = v[0] != 0
	}
	switch {
	case c.Def.Since < 7 && !c.Bool("is_test"):
		return Body{}, c.noGradient("it drops at random and keeps no mask; set is_test")
	case !training:
		return Body{gradientOpset, "dx0 = Identity (dy0)"}, nil
	case !c.HasOutput(1):
		return Body{}, c.noGradient("it may train, and has no output for the mask")
	}
	ratio := "0.5:dy0"
	if c.HasInput(1) {
		ratio = "CastLike (Reshape (x1, []), dy0)"
	}
	return Body{gradientOpset, "dx0 = Where (y1, Div (dy0, Sub (1:dy0, Where (Reshape (x2, []), " + ratio + ", 0:dy0))), 0:dy0)"}, nil
}
