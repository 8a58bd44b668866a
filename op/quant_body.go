package op

import "gort/graph"

// qlinearMatMulBody is QLinearMatMul over the numbers that the elements stand for:
// y = quantize((a - a_zero_point) a_scale (b - b_zero_point) b_scale). It serves the
// float8 types, whose products are no integers. A one-dimensional scale and zero
// point of a is one number a row, of b one number a column.
func qlinearMatMulBody(c *Context) (Body, error) {
	text := `
		a_number = Cast <to = 1> (a)
		a_zero = Cast <to = 1> (a_zero_point)
		a_unit = Cast <to = 1> (a_scale)
		b_number = Cast <to = 1> (b)
		b_zero = Cast <to = 1> (b_zero_point)
		b_unit = Cast <to = 1> (b_scale)
		y_unit = Cast <to = 1> (y_scale)`
	zero, unit := "a_zero", "a_unit"
	if perElement(c.Shape(1)) && !c.Shape(0).HasRank(1) {
		text += `
		axis = Constant <value_ints = [-1]> ()
		a_zeros = Unsqueeze (a_zero, axis)
		a_units = Unsqueeze (a_unit, axis)`
		zero, unit = "a_zeros", "a_units"
	}
	text += `
		a_offset = Sub (a_number, ` + zero + `)
		a_real = Mul (a_offset, ` + unit + `)
		b_offset = Sub (b_number, b_zero)
		b_real = Mul (b_offset, b_unit)
		product = MatMul (a_real, b_real)`
	if perElement(c.Shape(6)) {
		text += `
		y = QuantizeLinear <axis = -2> (product, y_unit, y_zero_point)`
	} else {
		text += `
		y_one = Squeeze (y_unit)
		y_none = Squeeze (y_zero_point)
		y = QuantizeLinear (product, y_one, y_none)`
	}
	return Body{Opset: 21, Text: text}, nil
}

// perElement reports whether a shape is one-dimensional and surely not of one element.
func perElement(s graph.Shape) bool {
	if !s.HasRank(1) {
		return false
	}
	n, ok := s.Dims()[0].Size()
	return ok && n != 1
}

var dynamicQuantizeBody = body(21, `
	low = Min (ReduceMin <keepdims = 0> (x), 0.0)
	range = Sub (Max (ReduceMax <keepdims = 0> (x), 0.0), low)
	y_scale = Where (Equal (range, 0.0), 1.0, Div (range, 255.0))
	y_zero_point = Cast <to = 2> (Round (Clip (Neg (Div (low, y_scale)), 0.0, 255.0)))
	y = QuantizeLinear (x, y_scale, y_zero_point)`)
