package op

import (
	"fmt"
	"strings"
)

// linearAttentionBody is a Scan over the rows. Its state S has a matrix a head of
// key and value; each step lets it decay, corrects it by what it already says of
// the key (delta rules), adds the outer product, and reads it by the query:
//
//	S = exp(decay) S
//	d = beta (v - Sᵀk), or v
//	S = S + k dᵀ
//	y = scale Sᵀq
//
// Everything within is float.
func linearAttentionBody(c *Context) (Body, error) {
	rule := c.String("update_rule")
	gated := strings.HasPrefix(rule, "gated")
	delta := strings.HasSuffix(rule, "delta")
	var b strings.Builder
	scans := []struct{ name, from, heads string }{{"q", "query", "[@q_num_heads]"}, {"k", "key", "[@kv_num_heads]"}, {"v", "value", "[@kv_num_heads]"}}
	if gated {
		scans = append(scans, struct{ name, from, heads string }{"decay_of", "decay", "[@kv_num_heads]"})
	}
	if delta {
		// One a head, or one for all of them.
		scans = append(scans, struct{ name, from, heads string }{"beta_of", "beta", "Shape <start = 2, end = 3> (beta)"})
	}
	var names []string
	for _, s := range scans {
		// [batch, rows, heads*size] as [rows, batch, heads, size]
		fmt.Fprintf(&b, "%[1]s_rows = Transpose <perm = [1, 0, 2, 3]> (Reshape <allowzero = 1> (Cast <to = 1> (%[2]s), Concat <axis = 0> (Shape <start = 0, end = 2> (%[2]s), %[3]s, Div (Shape <start = 2, end = 3> (%[2]s), %[3]s))))\n", s.name, s.from, s.heads)
		names = append(names, s.name)
	}
	b.WriteString(`
		batch = Shape <start = 0, end = 1> (query)
		sizes = Concat <axis = 0> (Shape <start = 3, end = 4> (k_rows), Shape <start = 3, end = 4> (v_rows))
		read_shape = Concat <axis = 0> (batch, [@q_num_heads], sizes)
	`)
	if c.HasInput(3) {
		b.WriteString("first = Cast <to = 1> (past_state)\n")
	} else {
		b.WriteString("first = Expand (0.0, Concat <axis = 0> (batch, [@kv_num_heads], sizes))\n")
	}
	if c.Float("scale") != 0 {
		b.WriteString("scale = Identity (@scale)\n")
	} else {
		b.WriteString("scale = Reciprocal (Sqrt (Cast <to = 1> (Shape <start = 3, end = 4> (k_rows))))\n")
	}
	fmt.Fprintf(&b, "share_shape = Concat <axis = 0> (batch, [@kv_num_heads, %d], sizes)\n", c.Int("q_num_heads")/max(c.Int("kv_num_heads"), 1))
	step := "decayed = Identity (state)\n"
	if gated {
		step = "decayed = Mul (state, Unsqueeze (Exp (decay_of), [-1]))\n"
	}
	if delta {
		step += "said = Squeeze (MatMul (Unsqueeze (k, [-2]), decayed), [-2])\ncorrection = Mul (beta_of, Sub (v, said))\n"
	} else {
		step += "correction = Identity (v)\n"
	}
	fmt.Fprintf(&b, `
		last, y_rows = Scan <num_scan_inputs = %d, body = (state, %s) => (next, y) {
			%s
			next = Add (decayed, MatMul (Unsqueeze (k, [-1]), Unsqueeze (correction, [-2])))
			shared = Reshape <allowzero = 1> (Expand (Unsqueeze (next, [2]), share_shape), read_shape)
			y = Mul (Squeeze (MatMul (Unsqueeze (q, [-2]), shared), [-2]), scale)
		}> (first, %s_rows)
		y_all = Transpose <perm = [1, 0, 2, 3]> (y_rows)
		output = CastLike (Reshape <allowzero = 1> (y_all, Concat <axis = 0> (Shape <start = 0, end = 2> (query), Mul ([@q_num_heads], Shape <start = 3, end = 4> (v_rows)))), query)
		present_state = CastLike (last, %s)`,
		len(names), strings.Join(names, ", "), step, strings.Join(names, "_rows, "), map[bool]string{true: "past_state", false: "query"}[c.HasInput(3)])
	return Body{21, b.String()}, nil
}
