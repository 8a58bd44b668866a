package op

import "fmt"

// Operators that pick elements of their first input. What they pick is found by
// applying them to the positions of the elements; there the gradients are added up.
var moveGradients = map[string]gradientRule{
	"Slice":           sliceGradient,
	"Gather":          moved(`Gather <axis = @axis> (positions, x1)`),
	"GatherElements":  moved(`GatherElements <axis = @axis> (positions, x1)`),
	"GatherND":        moved(`GatherND <batch_dims = @batch_dims> (positions, x1)`),
	"DepthToSpace":    moved(`DepthToSpace <blocksize = @blocksize, mode = @mode> (positions)`),
	"SpaceToDepth":    moved(`SpaceToDepth <blocksize = @blocksize> (positions)`),
	"ReverseSequence": moved(`ReverseSequence <batch_axis = @batch_axis, time_axis = @time_axis> (positions, x1)`),
	"Trilu":           rule(`dx0 = Trilu <upper = @upper> (dy0, x1)`),
	"MaxPool":         maxPoolGradient,
	"ScatterElements": scatterGradient,
}

func moved(call string) gradientRule {
	return rule(`
		positions = Reshape <allowzero = 1> (Range (0, Size (x0), 1), Shape (x0))
		picked = Reshape (` + call + `, [-1])
		` + addedUp)
}

// addedUp adds each gradient at the position that picked names.
const addedUp = `
		empty = Expand (0:dy0, Reshape (Size (x0), [1]))
		sums = ScatterElements <axis = 0, reduction = "add"> (empty, picked, Reshape (dy0, [-1]))
		dx0 = Reshape <allowzero = 1> (sums, Shape (x0))`

func sliceGradient(c *GradientContext) (Body, error) {
	if c.sig.Attr("starts") != nil {
		return moved(`Slice (positions, @starts, @ends, @axes)`)(c)
	}
	return moved(`Slice (positions, x1, x2, x3, x4)`)(c)
}

// maxPoolGradient adds each gradient where the largest element stood.
func maxPoolGradient(c *GradientContext) (Body, error) {
	if c.HasOutput(1) && c.Bool("storage_order") {
		return Body{}, c.noGradient("storage_order is column major")
	}
	return Body{gradientOpset, `
		, where = MaxPool <auto_pad = @auto_pad, ceil_mode = @ceil_mode, dilations = @dilations, kernel_shape = @kernel_shape, pads = @pads, strides = @strides> (x0)
		picked = Reshape (where, [-1])
		` + addedUp}, nil
}

// scatterGradient gives the updates the gradients of where they went, and the data
// all others, or all of them when updates are added.
func scatterGradient(c *GradientContext) (Body, error) {
	data := "dx0 = Identity (dy0)"
	switch how := c.String("reduction"); how {
	case "add":
	case "", "none":
		data = "dx0 = ScatterElements <axis = @axis> (dy0, x1, Expand (0:dy0, Shape (x2)))"
	default:
		return Body{}, c.noGradient("reduction is %q; none and add have a gradient", how)
	}
	return Body{gradientOpset, fmt.Sprintf("%s\ndx2 = GatherElements <axis = @axis> (dy0, x1)", data)}, nil
}
