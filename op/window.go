package op

import (
	"math"
	"slices"

	"gort/graph"
)

// Window is the geometry of an operator that slides a window over spatial
// dimensions: convolutions and poolings. Slices have one element a dimension.
type Window struct {
	// AutoPad is NOTSET, VALID, SAME_UPPER or SAME_LOWER.
	AutoPad string
	// Kernel is the window's size; 0 where it is not known yet.
	Kernel, Strides, Dilations []int
	// Pads are the beginnings, then the ends; zero unless AutoPad is NOTSET.
	Pads []int
	// Ceil rounds the number of windows up instead of down.
	Ceil bool

	attrs Attrs
}

// maxExtent bounds sizes, strides, dilations and pads, so that products of two
// of them and sums of those stay within an int64.
const maxExtent = math.MaxInt32

// ReadWindow reads the attributes auto_pad, strides, dilations, pads and
// ceil_mode for a window of the given size.
func ReadWindow(a Attrs, kernel []int) (Window, error) {
	w := Window{AutoPad: a.String("auto_pad"), Kernel: kernel, Ceil: a.Bool("ceil_mode"), attrs: a}
	n := len(kernel)
	for i, k := range kernel {
		if k < 0 || k > maxExtent {
			return w, nodeError(a.Node, "", "the window's size is %v: element %d must be in [1, %d]", kernel, i, maxExtent)
		}
	}
	var err error
	if w.Strides, err = perDim(a, "strides", n, 1, 1); err != nil {
		return w, err
	}
	if w.Dilations, err = perDim(a, "dilations", n, 1, 1); err != nil {
		return w, err
	}
	switch w.AutoPad {
	case "NOTSET", "":
		w.AutoPad = "NOTSET"
		w.Pads, err = perDim(a, "pads", 2*n, 0, 0)
		return w, err
	case "VALID", "SAME_UPPER", "SAME_LOWER":
		w.Pads = make([]int, 2*n)
		return w, nil
	}
	return w, nodeError(a.Node, "attribute auto_pad", "is %q, allowed are NOTSET, VALID, SAME_UPPER and SAME_LOWER", w.AutoPad)
}

// perDim reads a list of n integers of at least least, all def when absent.
func perDim(a Attrs, name string, n, def, least int) ([]int, error) {
	list := a.Ints(name)
	if len(list) == 0 {
		out := make([]int, n)
		for i := range out {
			out[i] = def
		}
		return out, nil
	}
	if len(list) != n {
		return nil, nodeError(a.Node, "attribute "+name, "is %v, must have %d elements", list, n)
	}
	for _, v := range list {
		if v < int64(least) || v > maxExtent {
			return nil, nodeError(a.Node, "attribute "+name, "is %v, elements must be in [%d, %d]", list, least, maxExtent)
		}
	}
	return a.IntsAsInt(name), nil
}

// KernelShape returns the size of the window: the attribute kernel_shape, else
// the weights' spatial dimensions (0 where unknown), which it has to agree with.
// nil means that not even the rank is known.
func KernelShape(a Attrs, weights graph.Shape) ([]int, error) {
	kernel := a.IntsAsInt("kernel_shape")
	for _, k := range kernel {
		if k < 1 || k > maxExtent {
			return nil, nodeError(a.Node, "attribute kernel_shape", "is %v, elements must be in [1, %d]", kernel, maxExtent)
		}
	}
	rank, ok := weights.Rank()
	if !ok {
		return kernel, nil
	}
	if rank < 3 {
		return nil, nodeError(a.Node, "input 1 (W)", "shape %v has rank %d, the operator needs 3 or more", weights, rank)
	}
	spatial := weights.Dims()[2:]
	if len(kernel) > 0 && len(kernel) != len(spatial) {
		return nil, nodeError(a.Node, "attribute kernel_shape", "is %v, but the weights %v have %d spatial dimensions", kernel, weights, len(spatial))
	}
	out := make([]int, len(spatial))
	for i, d := range spatial {
		n, known := d.Size()
		switch {
		case known && len(kernel) > 0 && n != kernel[i]:
			return nil, nodeError(a.Node, "attribute kernel_shape", "is %v, but the weights are %v", kernel, weights)
		case known && (n < 1 || n > maxExtent):
			return nil, nodeError(a.Node, "input 1 (W)", "shape %v: spatial dimensions must be in [1, %d]", weights, maxExtent)
		case known:
			out[i] = n
		case len(kernel) > 0:
			out[i] = kernel[i]
		}
	}
	return out, nil
}

// extent is how far the window reaches in dimension i.
func (w *Window) extent(i int) int { return (w.Kernel[i]-1)*w.Dilations[i] + 1 }

// Out returns how many windows fit into in elements of dimension i, and how
// many elements before the first one the first window starts:
//
//	out = (in + begin + end - extent) / stride + 1, rounded down, or up with Ceil
//	out = in / stride, rounded up, with SAME padding
//
// With Ceil, a last window that would start after the elements and the padding
// before them is not counted.
func (w *Window) Out(i, in int) (out, begin int, err error) {
	if in < 0 || in > maxExtent {
		return 0, 0, nodeError(w.attrs.Node, "", "spatial dimension %d is %d, allowed are 0 to %d", i, in, maxExtent)
	}
	n, s := len(w.Kernel), w.Strides[i]
	if w.AutoPad == "SAME_UPPER" || w.AutoPad == "SAME_LOWER" {
		out = (in + s - 1) / s
		if out == 0 {
			return 0, 0, nil
		}
		total := max((out-1)*s+w.extent(i)-in, 0)
		if w.AutoPad == "SAME_UPPER" {
			return out, total / 2, nil
		}
		return out, total - total/2, nil
	}
	begin = w.Pads[i]
	room := in + begin + w.Pads[n+i] - w.extent(i)
	if room < 0 {
		if in == 0 {
			return 0, begin, nil
		}
		return 0, 0, nodeError(w.attrs.Node, "", "spatial dimension %d: a window of %d (size %d, dilation %d) does not fit into %d elements with padding %d and %d", i, w.extent(i), w.Kernel[i], w.Dilations[i], in, begin, w.Pads[n+i])
	}
	if w.Ceil {
		out = (room+s-1)/s + 1
		if (out-1)*s >= in+begin {
			out--
		}
		return out, begin, nil
	}
	return room/s + 1, begin, nil
}

// Resolve is Out for all dimensions.
func (w *Window) Resolve(in []int) (out, begin []int, err error) {
	out, begin = make([]int, len(in)), make([]int, len(in))
	for i, n := range in {
		if out[i], begin[i], err = w.Out(i, n); err != nil {
			return nil, nil, err
		}
	}
	return out, begin, nil
}

// outDim is Out as far as it is known.
func (w *Window) outDim(i int, in graph.Dim) (graph.Dim, error) {
	n, ok := in.Size()
	if !ok {
		// As many as before where nothing is lost or skipped.
		same := w.AutoPad == "SAME_UPPER" || w.AutoPad == "SAME_LOWER"
		if w.Strides[i] == 1 && (same || w.Kernel[i] > 0 && w.Pads[i]+w.Pads[len(w.Kernel)+i] == w.extent(i)-1) {
			return in, nil
		}
		return graph.Dim{}, nil
	}
	if w.Kernel[i] == 0 {
		if w.AutoPad == "SAME_UPPER" || w.AutoPad == "SAME_LOWER" {
			return graph.Known((n + w.Strides[i] - 1) / w.Strides[i]), nil
		}
		return graph.Dim{}, nil
	}
	out, _, err := w.Out(i, n)
	return graph.Known(out), err
}

// TransposedWindow is the geometry of ConvTranspose.
type TransposedWindow struct {
	Window
	OutputPadding []int
	OutputShape   []int // nil when it follows from the rest
}

// ReadTransposedWindow reads the attributes of a ConvTranspose.
func ReadTransposedWindow(a Attrs, kernel []int) (TransposedWindow, error) {
	w, err := ReadWindow(a, kernel)
	t := TransposedWindow{Window: w}
	if err != nil {
		return t, err
	}
	if t.OutputPadding, err = perDim(a, "output_padding", len(kernel), 0, 0); err != nil {
		return t, err
	}
	if shape := a.IntsAsInt("output_shape"); len(shape) > 0 {
		if len(shape) == len(kernel)+2 {
			shape = shape[2:] // early models give batch and channels as well
		}
		if len(shape) != len(kernel) || slices.Min(shape) < 0 || slices.Max(shape) > maxExtent {
			return t, nodeError(a.Node, "attribute output_shape", "is %v, must be %d sizes in [0, %d]", a.Ints("output_shape"), len(kernel), maxExtent)
		}
		t.OutputShape = shape
	}
	return t, nil
}

// Out returns the size of dimension i of the output and how many elements are
// cut off before its first one:
//
//	full = stride*(in-1) + output_padding + extent
//	out  = full - begin - end
//
// With output_shape, or SAME padding (where out is in*stride), the padding is
// what is left over, and never negative.
func (w *TransposedWindow) Out(i, in int) (out, begin int, err error) {
	if in < 0 || in > maxExtent {
		return 0, 0, nodeError(w.attrs.Node, "", "spatial dimension %d is %d, allowed are 0 to %d", i, in, maxExtent)
	}
	full := w.Strides[i]*(in-1) + w.OutputPadding[i] + w.extent(i)
	same := w.AutoPad == "SAME_UPPER" || w.AutoPad == "SAME_LOWER"
	if w.OutputShape == nil && !same {
		n := len(w.Kernel)
		out = full - w.Pads[i] - w.Pads[n+i]
		if in == 0 {
			out = max(out, 0)
		}
		if out < 0 {
			return 0, 0, nodeError(w.attrs.Node, "attribute pads", "is %v, which cuts off more than the %d elements of dimension %d", w.Pads, full, i)
		}
		return out, w.Pads[i], nil
	}
	want := in * w.Strides[i]
	if w.OutputShape != nil {
		want = w.OutputShape[i]
	}
	total := max(full-want, 0)
	begin = total - total/2
	if w.AutoPad == "SAME_UPPER" {
		begin = total / 2
	}
	if w.OutputShape == nil {
		want = max(full-total, 0)
	}
	return want, begin, nil
}

// Resolve is Out for all dimensions.
func (w *TransposedWindow) Resolve(in []int) (out, begin []int, err error) {
	out, begin = make([]int, len(in)), make([]int, len(in))
	for i, n := range in {
		if out[i], begin[i], err = w.Out(i, n); err != nil {
			return nil, nil, err
		}
	}
	return out, begin, nil
}

// outDim is Out as far as it is known.
func (w *TransposedWindow) outDim(i int, in graph.Dim) (graph.Dim, error) {
	if w.OutputShape != nil {
		return graph.Known(w.OutputShape[i]), nil
	}
	n, ok := in.Size()
	if !ok || w.Kernel[i] == 0 {
		return graph.Dim{}, nil
	}
	out, _, err := w.Out(i, n)
	return graph.Known(out), err
}

// End returns the padding after dimension i's elements, for the out and begin
// that Out returned.
func (w *Window) End(i, in, out, begin int) int {
	if w.AutoPad == "SAME_UPPER" || w.AutoPad == "SAME_LOWER" {
		return max(0, (out-1)*w.Strides[i]+w.extent(i)-in-begin)
	}
	return w.Pads[len(w.Kernel)+i]
}
