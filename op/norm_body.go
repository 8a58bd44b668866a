package op

import "fmt"

// axesFrom is an expression for the axes of x from axis to the last one.
func axesFrom(x string, axis int) string {
	if axis >= 0 {
		return fmt.Sprintf("Range (%d, Size (Shape (%s)), 1)", axis, x)
	}
	return fmt.Sprintf("Range (%d, 0, 1)", axis)
}

// layerNormBody normalises in stash_type, then rounds to the input's type and
// scales there.
func layerNormBody(c *Context) (Body, error) {
	text := `
		axes = Identity (` + axesFrom("X", c.Int("axis")) + `)
		x = Cast <to = @stash_type> (X)
		Mean = ReduceMean <keepdims = 1> (x, axes)
		off = Sub (x, Mean)
		deviation = Sqrt (Add (ReduceMean <keepdims = 1> (Mul (off, off), axes), @epsilon:off))
		scaled = Mul (Div (off, deviation):X, Scale)
	`
	if c.HasOutput(2) {
		text += "InvStdDev = Reciprocal (deviation)\n"
	}
	if c.HasInput(2) {
		return Body{21, text + "Y = Add (scaled, B)"}, nil
	}
	return Body{21, text + "Y = Identity (scaled)"}, nil
}

func rmsNormBody(c *Context) (Body, error) {
	return Body{21, `
		x = Cast <to = @stash_type> (X)
		square = ReduceMean <keepdims = 1> (Mul (x, x), ` + axesFrom("X", c.Int("axis")) + `)
		normal = CastLike (Div (x, Sqrt (Add (square, @epsilon:x))), X)
		Y = Mul (normal:scale, scale)`}, nil
}

// groupNormBody sees each group's channels and positions as one axis of
// [N, groups, rest]. Version 18 has a scale a group and computes in the input's
// type; later ones have a scale a channel, and normalise in stash_type.
func groupNormBody(c *Context) (Body, error) {
	data := "X"
	if c.Def.Since >= 21 {
		data = "Cast <to = @stash_type> (X)"
	}
	text := `
		shape = Shape (X)
		batch = Shape <start = 0, end = 1> (X)
		x = Reshape (` + data + `, Concat <axis = 0> (batch, [@num_groups, -1]))
		off = Sub (x, ReduceMean <keepdims = 1> (x, [2]))
		normal = Div (off, Sqrt (Add (ReduceMean <keepdims = 1> (Mul (off, off), [2]), @epsilon:off)))
	`
	if c.Def.Since < 21 {
		return Body{21, text + `
			Y = Reshape (Add (Mul (normal, Unsqueeze (scale, [1])), Unsqueeze (bias, [1])), shape)`}, nil
	}
	return Body{21, text + `
		channels = Reshape (normal:X, Concat <axis = 0> (batch, Shape (scale), [-1]))
		Y = Reshape (Add (Mul (channels, Unsqueeze (scale, [1])), Unsqueeze (bias, [1])), shape)`}, nil
}

var meanVarianceBody = viaFloat(`MeanVarianceNormalization <axes = @axes> (Cast <to = 1> (X))`, body(18, `
	off = Sub (X, ReduceMean <keepdims = 1> (X, @axes))
	deviation = Sqrt (ReduceMean <keepdims = 1> (Mul (off, off), @axes))
	Y = Div (off, Add (deviation, 1e-9:X))`))
