package op

import "fmt"

// affineGridBody lists the coordinates of all positions as columns (x, y, z, 1) and
// multiplies them by theta. An image of two dimensions is one of depth 1 whose z
// is left out.
func affineGridBody(c *Context) (Body, error) {
	text := `
		space = Slice (size, [2], [9223372036854775807])
		rank = Size (space)
		depth = Slice (Concat <axis = 0> ([1, 1, 1], space), [-3], [-2])
		height = Slice (size, [-2], [-1])
		width = Slice (size, [-1], [9223372036854775807])
		all = Concat <axis = 0> (depth, height, width)
	`
	for _, a := range []struct{ name, size, axes string }{{"x", "width", ""}, {"y", "height", "1"}, {"z", "depth", "1, 2"}} {
		text += fmt.Sprintf("n_%[1]s = Cast <to = 11> (%[2]s)\ni_%[1]s = Cast <to = 11> (Range (0, Squeeze (%[2]s), 1))\n", a.name, a.size)
		// The ends are the centres of the outermost elements, or their outer edges.
		at := "Div (Add (Mul (i_%[1]s, 2:i_%[1]s), 1:i_%[1]s), n_%[1]s)"
		if c.Bool("align_corners") {
			at = "Div (Mul (i_%[1]s, 2:i_%[1]s), Max (Sub (n_%[1]s, 1:i_%[1]s), 1:i_%[1]s))"
		}
		text += fmt.Sprintf("at_%[1]s = Sub ("+at+", 1:i_%[1]s)\n", a.name)
		text += fmt.Sprintf("%[1]s = Reshape (Expand (Unsqueeze (at_%[1]s, [%[2]s]), all), [1, -1])\n", a.name, a.axes)
	}
	return Body{21, text + `
		one = Expand (1:x, Shape (x))
		points = Gather (Concat <axis = 0> (x, y, z, one), Concat <axis = 0> (Range (0, rank, 1), [3]))
		moved = Transpose <perm = [0, 2, 1]> (MatMul (Cast <to = 11> (theta), points))
		shape = Concat <axis = 0> (Slice (size, [0], [1]), space, Reshape (rank, [1]))
		grid = CastLike (Reshape <allowzero = 1> (moved, shape), theta)`}, nil
}
