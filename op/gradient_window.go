package op

import (
	"fmt"
	"slices"
	"strings"
)

var windowGradients = map[string]gradientRule{
	"Conv":        convGradient,
	"AveragePool": averagePoolGradient,
}

// intsText is a list as an attribute or argument.
func intsText(list []int) string {
	return "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + "]"
}

// convolution is the geometry of a convolution whose sizes are all known.
type convolution struct {
	strides, dilations, pads []int
	kernel                   []int
	missing                  []int // elements behind the last window that none covers
}

// window resolves the padding of a node with windows over known sizes.
func (c *GradientContext) window(kernel []int) (convolution, error) {
	w, err := ReadWindow(c.Attrs, kernel)
	if err != nil {
		return convolution{}, err
	}
	in, ok := c.Shape(0).Concrete()
	if !ok || len(in) != len(kernel)+2 || len(kernel) == 0 || slices.Min(in[1:]) == 0 || w.Ceil {
		return convolution{}, c.noGradient("the input's shape, %v, must be known and not empty, and ceil_mode 0", c.Shape(0))
	}
	size := in[2:]
	out, begin, err := w.Resolve(size)
	if err != nil {
		return convolution{}, err
	}
	v := convolution{strides: w.Strides, dilations: w.Dilations, kernel: kernel}
	end := make([]int, len(size))
	for i := range size {
		end[i] = w.End(i, size[i], out[i], begin[i])
		covered := (out[i]-1)*w.Strides[i] + w.Dilations[i]*(kernel[i]-1) + 1
		v.missing = append(v.missing, size[i]+begin[i]+end[i]-covered)
	}
	v.pads = append(append([]int{}, begin...), end...)
	return v, nil
}

// back is a ConvTranspose that spreads gradients over what their windows covered.
func (v convolution) back(gradient, weights string, groups int) string {
	return fmt.Sprintf("ConvTranspose <strides = %s, dilations = %s, pads = %s, output_padding = %s, group = %d> (%s, %s)",
		intsText(v.strides), intsText(v.dilations), intsText(v.pads), intsText(v.missing), groups, gradient, weights)
}

// convGradient gives the input a transposed convolution of the gradients, and the
// weights a convolution of the input by the gradients, in which batch and channels
// change places and strides and dilations as well.
func convGradient(c *GradientContext) (Body, error) {
	weights, ok := c.Shape(1).Concrete()
	if !ok || len(weights) < 3 {
		return Body{}, c.noGradient("the shape of its weights, %v, is not known", c.Shape(1))
	}
	v, err := c.window(weights[2:])
	if err != nil {
		return Body{}, err
	}
	groups := c.Int("group")
	var text strings.Builder
	if c.Wants(0) {
		fmt.Fprintf(&text, "dx0 = %s\n", v.back("dy0", "x1", groups))
	}
	spatial := make([]int, len(v.kernel))
	axes := make([]int, len(v.kernel))
	for i := range spatial {
		spatial[i], axes[i] = 3+i, 2+i
	}
	list := func(first ...int) string { return intsText(append(append([]int{}, first...), spatial...)) }
	if c.Wants(1) {
		// [batch, groups, channels, …] as [channels, groups*batch, …]
		fmt.Fprintf(&text, `
			split = Concat <axis = 0> (Shape <start = 0, end = 1> (x0), [%[1]d, %[2]d], Shape <start = 2> (x0))
			joined = Concat <axis = 0> ([%[2]d], Mul (Shape <start = 0, end = 1> (x0), [%[1]d]), Shape <start = 2> (x0))
			image = Reshape <allowzero = 1> (Transpose <perm = %[3]s> (Reshape <allowzero = 1> (x0, split)), joined)
			by = Transpose <perm = %[4]s> (dy0)
			taps = Conv <strides = %[5]s, dilations = %[6]s, pads = %[7]s, group = %[1]d> (image, by)
			kernel = Slice (taps, %[8]s, %[9]s, %[10]s)
			dx1 = Transpose <perm = %[4]s> (kernel)
		`, groups, weights[1], list(2, 1, 0), intsText(append([]int{1, 0}, axes...)), intsText(v.dilations), intsText(v.strides),
			intsText(v.pads), intsText(make([]int, len(axes))), intsText(v.kernel), intsText(axes))
	}
	if c.Wants(2) {
		fmt.Fprintf(&text, "dx2 = ReduceSum <keepdims = 0> (dy0, %s)\n", intsText(append([]int{0}, axes...)))
	}
	return Body{gradientOpset, text.String()}, nil
}

// averagePoolGradient spreads each gradient evenly over its window. How many
// elements count is what the sum over a window of ones is.
func averagePoolGradient(c *GradientContext) (Body, error) {
	v, err := c.window(c.IntsAsInt("kernel_shape"))
	if err != nil {
		return Body{}, err
	}
	in, _ := c.Shape(0).Concrete()
	ones := intsText(append([]int{in[1], 1}, v.kernel...))
	return Body{gradientOpset, fmt.Sprintf(`
		ones = Expand (1:dy0, %[1]s)
		covered = Conv <strides = %[2]s, dilations = %[3]s, pads = %[4]s, group = %[5]d> (Expand (1:x0, Shape (x0)), ones)
		many = %[6]s
		dx0 = %[7]s`, ones, intsText(v.strides), intsText(v.dilations), intsText(v.pads), in[1],
		map[bool]string{true: fmt.Sprintf("Identity (%d:dy0)", prod(v.kernel)), false: "Identity (covered)"}[c.Bool("count_include_pad")],
		v.back("Div (dy0, many)", "ones", in[1]))}, nil
}

func prod(list []int) int {
	p := 1
	for _, n := range list {
		p *= n
	}
	return p
}
