package op

import (
	"fmt"
	"strings"

	"gort/tensor"
)

// attentionBody rounds where the specification's body does: after scaling, after
// each product, after the bias; only the softmax may be in another type.
//
// What may be attended is a condition, and where it fails the bias is -inf; so it
// is of a mask's padding. A row without any key would have softmax of nothing but
// -inf, which is no number: it is all zeros instead.
func attentionBody(c *Context) (Body, error) {
	if !c.Shape(0).IsRanked() || c.DType(0) == tensor.Undefined || c.DType(2) == tensor.Undefined || c.HasInput(3) && c.DType(3) == tensor.Undefined {
		return Body{}, nil
	}
	var b strings.Builder
	packed := c.Shape(0).HasRank(3)
	for _, in := range []struct{ name, from, heads string }{{"q", "Q", "q_num_heads"}, {"new_k", "K", "kv_num_heads"}, {"new_v", "V", "kv_num_heads"}} {
		if packed {
			fmt.Fprintf(&b, "%s = %s\n", in.name, splitHeads(in.from, in.heads))
		} else {
			fmt.Fprintf(&b, "%s = Identity (%s)\n", in.name, in.from)
		}
	}
	for _, in := range []struct{ name, present, past string }{{"k", "present_key", "past_key"}, {"v", "present_value", "past_value"}} {
		if c.HasInput(4) {
			fmt.Fprintf(&b, "%s = Concat <axis = 2> (%s, new_%s)\n", in.present, in.past, in.name)
		} else {
			fmt.Fprintf(&b, "%s = Identity (new_%s)\n", in.present, in.name)
		}
		fmt.Fprintf(&b, "%s = %s\n", in.name, shareHeads(in.present))
	}
	b.WriteString(attentionScale(c, "q"))
	b.WriteString(`
		raw = MatMul (Mul (q, root), Mul (Transpose <perm = [0, 1, 3, 2]> (k), root))
	`)
	if c.Float("softcap") != 0 {
		b.WriteString("capped = Mul (Tanh (Div (raw, @softcap:Q)), @softcap:Q)\n")
	} else {
		b.WriteString("capped = Identity (raw)\n")
	}
	bias := attentionBias(c, &b)
	if bias {
		b.WriteString("biased = Add (capped, bias)\n")
	} else {
		b.WriteString("biased = Identity (capped)\n")
	}
	if c.Has("softmax_precision") {
		b.WriteString("soft = CastLike (Softmax <axis = -1> (Cast <to = @softmax_precision> (biased)), Q)\n")
	} else {
		b.WriteString("soft = Softmax <axis = -1> (biased)\n")
	}
	if bias {
		b.WriteString("probabilities = Where (Equal (ReduceMax <keepdims = 1> (bias, [-1]), -inf:Q), 0:Q, soft)\n")
	} else {
		b.WriteString("probabilities = Identity (soft)\n")
	}
	if c.HasOutput(3) {
		fmt.Fprintf(&b, "qk_matmul_output = Identity (%s)\n", []string{"raw", "capped", "biased", "probabilities"}[c.Int("qk_matmul_output_mode")])
	}
	b.WriteString("y = CastLike (MatMul (probabilities:v, v), Q)\n")
	if packed {
		b.WriteString("Y = Reshape (Transpose <perm = [0, 2, 1, 3]> (y), Concat <axis = 0> (Shape <start = 0, end = 2> (Q), Mul ([@q_num_heads], Shape <start = 3, end = 4> (v))))\n")
	} else {
		b.WriteString("Y = Identity (y)\n")
	}
	return Body{24, b.String()}, nil
}

// splitHeads is [batch, rows, heads*size] as [batch, heads, rows, size].
func splitHeads(x, heads string) string {
	return fmt.Sprintf("Transpose <perm = [0, 2, 1, 3]> (Reshape <allowzero = 1> (%[1]s, Concat <axis = 0> (Shape <start = 0, end = 2> (%[1]s), [@%[2]s], Div (Shape <start = 2, end = 3> (%[1]s), [@%[2]s]))))", x, heads)
}

// shareHeads repeats each head of x for the heads of q that share it.
func shareHeads(x string) string {
	wide := fmt.Sprintf("Concat <axis = 0> (Shape <start = 0, end = 2> (%[1]s), Div (Shape <start = 1, end = 2> (q), Shape <start = 1, end = 2> (%[1]s)), Shape <start = 2, end = 4> (%[1]s))", x)
	return fmt.Sprintf("Reshape <allowzero = 1> (Expand (Unsqueeze (%[1]s, [2]), %[2]s), Concat <axis = 0> (Shape <start = 0, end = 2> (q), Shape <start = 2, end = 4> (%[1]s)))", x, wide)
}

// attentionScale makes root, the square root of the scale, which query and key are
// each multiplied by.
func attentionScale(c *Context, q string) string {
	if c.Has("scale") {
		return "root = CastLike (Sqrt (@scale), Q)\n"
	}
	return "root = CastLike (Sqrt (Reciprocal (Sqrt (Cast <to = 11> (Shape <start = 3, end = 4> (" + q + "))))), Q)\n"
}

// attentionBias writes what is added to the scores, and reports whether anything is.
func attentionBias(c *Context, b *strings.Builder) bool {
	b.WriteString(`
		rows = Squeeze (Shape <start = 2, end = 3> (q), [0])
		total = Shape <start = 2, end = 3> (present_key)
		key = Range (0, Squeeze (total, [0]), 1)
		row = Unsqueeze (Range (0, rows, 1), [1])
	`)
	switch {
	case c.HasInput(6):
		b.WriteString("position = Add (row, Unsqueeze (Sub (nonpad_kv_seqlen, rows), [1, 2, 3]))\n")
	case c.HasInput(4):
		b.WriteString("position = Add (row, Shape <start = 2, end = 3> (past_key))\n")
	default:
		b.WriteString("position = Identity (row)\n")
	}
	var may []string
	if c.Bool("is_causal") {
		may = append(may, "LessOrEqual (key, position)")
	}
	if c.sig.Attr("left_window_size") != nil {
		if c.Int("left_window_size") >= 0 {
			may = append(may, "LessOrEqual (Sub (position, @left_window_size), key)")
		}
		if c.Int("right_window_size") >= 0 {
			may = append(may, "LessOrEqual (key, Add (position, @right_window_size))")
		}
	}
	if c.HasInput(6) {
		may = append(may, "Less (key, Unsqueeze (nonpad_kv_seqlen, [1, 2, 3]))")
	}
	mask := "0:Q"
	if c.HasInput(3) {
		mask = "mask"
		given := "attn_mask:Q"
		if c.DType(3) == tensor.Bool {
			given = "Where (attn_mask, 0:Q, -inf:Q)"
		}
		given = "Pad (" + given + ", Concat <axis = 0> ([0], Sub (total, Shape <start = -1> (attn_mask))), -inf:Q, [-1])"
		b.WriteString("mask = Identity (" + given + ")\n")
	}
	switch {
	case len(may) > 0:
		cond := may[0]
		for _, m := range may[1:] {
			cond = "And (" + cond + ", " + m + ")"
		}
		b.WriteString("bias = Where (" + cond + ", " + mask + ", -inf:Q)\n")
	case c.HasInput(3):
		b.WriteString("bias = Identity (mask)\n")
	default:
		return false
	}
	return true
}

// flexAttentionBody applies the node's graphs to scores and probabilities in the
// type of the softmax.
func flexAttentionBody(c *Context) (Body, error) {
	if c.DType(0) == tensor.Undefined {
		return Body{}, nil
	}
	scores, probabilities := "scores", "soft"
	if c.Graph("score_mod") != nil {
		scores = "@score_mod (scores)"
	}
	if c.Graph("prob_mod") != nil {
		probabilities = "@prob_mod (soft)"
	}
	return Body{21, fmt.Sprintf(`
		q = Identity (Q)
		k = %s
		v = %s
		%s
		scores = Cast <to = %d> (MatMul (Mul (q, root), Mul (Transpose <perm = [0, 1, 3, 2]> (k), root)))
		soft = Softmax <axis = -1> (%s)
		probabilities = Identity (%s)
		Y = CastLike (MatMul (probabilities, v:probabilities), Q)`,
		shareHeads("K"), shareHeads("V"), attentionScale(c, "q"), FlexScoreType(c.Attrs, c.DType(0)), scores, probabilities)}, nil
}

// rotaryBody rotates pairs of the first elements of each head: the elements of the
// two halves, or neighbours when they are interleaved.
func rotaryBody(c *Context) (Body, error) {
	r, ok := c.Shape(0).Rank()
	if !ok {
		return Body{}, nil
	}
	x := "Transpose <perm = [0, 2, 1, 3]> (X)"
	if r == 3 {
		x = "Reshape <allowzero = 1> (X, Concat <axis = 0> (Shape <start = 0, end = 2> (X), [@num_heads], Div (Shape <start = 2, end = 3> (X), [@num_heads])))"
	}
	turned := "[@rotary_embedding_dim]"
	if c.Int("rotary_embedding_dim") == 0 {
		turned = "size"
	}
	text := fmt.Sprintf(`
		x = %s
		size = Shape <start = 3, end = 4> (x)
		turned = Identity (%s)
		half = Div (turned, [2])
		moving, rest = Split <axis = 3> (x, Concat <axis = 0> (turned, Sub (size, turned)))
	`, x, turned)
	for _, name := range []string{"cos", "sin"} {
		from := name + "_cache"
		if c.HasInput(3) {
			from = "Gather (" + from + ", position_ids)"
		}
		text += name + " = Unsqueeze (" + from + ", [2])\n"
	}
	if c.Bool("interleaved") {
		text += `
			a = Slice (moving, [0], turned, [3], [2])
			b = Slice (moving, [1], turned, [3], [2])
		`
	} else {
		text += "a, b = Split <axis = 3> (moving, Concat <axis = 0> (half, half))\n"
	}
	text += `
		real = Sub (Mul (cos, a), Mul (sin, b))
		imaginary = Add (Mul (sin, a), Mul (cos, b))
	`
	if c.Bool("interleaved") {
		text += "done = Reshape <allowzero = 1> (Concat <axis = 4> (Unsqueeze (real, [4]), Unsqueeze (imaginary, [4])), Shape (moving))\n"
	} else {
		text += "done = Concat <axis = 3> (real, imaginary)\n"
	}
	text += "y = Concat <axis = 3> (done, rest)\n"
	if r == 3 {
		return Body{21, text + "Y = Reshape <allowzero = 1> (y, Shape (X))"}, nil
	}
	return Body{21, text + "Y = Transpose <perm = [0, 2, 1, 3]> (y)"}, nil
}
