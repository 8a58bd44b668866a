package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// imageFlags say how a picture becomes a tensor. Empty fields follow from the
// input's declared shape and type.
type imageFlags struct {
	width, height int
	layout        string // nchw or nhwc
	channels      string // rgb, bgr or gray
	normalize     string
	mean, std     []float64
	scale         float64
}

// normalization turns a byte v into (v*scale - mean) / std, by channel in the
// order red, green, blue; one number is for all channels.
type normalization struct {
	scale     float64
	mean, std []float64
}

var normalizations = map[string]normalization{
	"none":     {1, []float64{0}, []float64{1}},
	"unit":     {1. / 255, []float64{0}, []float64{1}},
	"minus1":   {1 / 127.5, []float64{1}, []float64{1}},
	"imagenet": {1. / 255, []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}},
}

func (f *imageFlags) register(fs *flag.FlagSet) {
	fs.Func("size", "scale images to `WxH` pixels (default: what the model declares, else their own size)", func(s string) error {
		shape, err := parseShape(s)
		if err != nil || len(shape) != 2 || shape[0] == 0 || shape[1] == 0 {
			return fmt.Errorf("want WIDTHxHEIGHT, such as 224x224")
		}
		f.width, f.height = shape[0], shape[1]
		return nil
	})
	oneOf(fs, &f.layout, "layout", "`LAYOUT` of an image's dimensions: nchw or nhwc (default: what the model's shape suggests)", "nchw", "nhwc")
	oneOf(fs, &f.channels, "channels", "`ORDER` of an image's channels: rgb, bgr or gray (default: rgb, or gray for one channel)", "rgb", "bgr", "gray")
	oneOf(fs, &f.normalize, "normalize", "scale pixels: `KIND` none is 0..255, unit 0..1, minus1 -1..1, imagenet the usual mean\n"+
		"and deviation (default: unit, or none for integer inputs)", "none", "unit", "minus1", "imagenet")
	numbers(fs, &f.mean, "mean", "subtract `R,G,B` (or one number) from scaled pixels")
	numbers(fs, &f.std, "std", "divide by `R,G,B` (or one number) after --mean")
	fs.Float64Var(&f.scale, "scale", 0, "with --mean or --std: multiply bytes by `FACTOR` first (default 1/255)")
}

// oneOf declares a flag that takes one of some values.
func oneOf(fs *flag.FlagSet, into *string, name, usage string, values ...string) {
	fs.Func(name, usage, func(s string) error {
		if !slices.Contains(values, s) {
			return fmt.Errorf("must be one of %s", strings.Join(values, ", "))
		}
		*into = s
		return nil
	})
}

// numbers declares a flag that takes one or three numbers.
func numbers(fs *flag.FlagSet, into *[]float64, name, usage string) {
	fs.Func(name, usage, func(s string) error {
		var list []float64
		for part := range strings.SplitSeq(s, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if err != nil {
				return fmt.Errorf("%q is no number", part)
			}
			list = append(list, v)
		}
		if len(list) != 1 && len(list) != 3 {
			return fmt.Errorf("want one or three numbers, got %d", len(list))
		}
		*into = list
		return nil
	})
}

// normalization is what the flags ask for, for an input of this element type.
func (f *imageFlags) normalization(d tensor.DType) (normalization, string, error) {
	custom := f.mean != nil || f.std != nil || f.scale != 0
	if custom && f.normalize != "" {
		return normalization{}, "", usagef("--normalize %s and --mean, --std or --scale exclude each other", f.normalize)
	}
	if custom {
		n := normalization{f.scale, f.mean, f.std}
		if n.scale == 0 {
			n.scale = 1. / 255
		}
		if n.mean == nil {
			n.mean = []float64{0}
		}
		if n.std == nil {
			n.std = []float64{1}
		}
		if slices.Contains(n.std, 0) {
			return n, "", usagef("--std must not be 0")
		}
		return n, "custom scale", nil
	}
	name := f.normalize
	if name == "" {
		name = "unit"
		if d.Class() != tensor.ClassFloat {
			name = "none"
		}
	}
	return normalizations[name], "--normalize " + name, nil
}

// imageGeometry is where a picture's numbers go.
type imageGeometry struct {
	shape         tensor.Shape
	c, h, w       int // positions in shape; c is -1 when there is no such dimension
	depth         int // number of channels
	width, height int // 0: as the picture is
}

// geometry lays a picture out in an input's shape: [N,C,H,W] or [N,H,W,C], the
// same without N, or [H,W].
func (f *imageFlags) geometry(info gort.ValueInfo, shapes *shapeFlags) (imageGeometry, error) {
	dims := info.Type.Shape
	if s, ok := shapes.shapes[info.Name]; ok {
		dims = graph.Fixed(s...)
	}
	rank, ranked := dims.Rank()
	if !ranked {
		rank = 4
	}
	size := func(i int) int { // 0: open
		if !ranked {
			return 0
		}
		n, ok := dims.Dim(i).Size()
		if !ok {
			return shapes.dims[dims.Dim(i).Name()]
		}
		return n
	}
	if rank < 2 || rank > 4 {
		return imageGeometry{}, fmt.Errorf("is %v; an image needs 2 to 4 dimensions", info.Type)
	}
	g := imageGeometry{shape: make(tensor.Shape, rank), c: -1, h: rank - 2, w: rank - 1, depth: 1}
	if rank > 2 {
		g.c = rank - 3
		isDepth := func(i int) bool { n := size(i); return n == 1 || n == 3 }
		if f.layout == "nhwc" || f.layout == "" && !isDepth(g.c) && isDepth(rank-1) {
			g.h, g.w, g.c = rank-3, rank-2, rank-1
		}
		g.depth = size(g.c)
	}
	if rank == 4 {
		if n := size(0); n > 1 {
			return g, fmt.Errorf("takes %d images at once; --input takes one, so set the size of the batch to 1 or prepare the tensor yourself", n)
		}
		g.shape[0] = 1
	}
	if g.depth == 0 {
		if g.depth = 3; f.channels == "gray" {
			g.depth = 1
		}
	}
	if want := map[string]int{"rgb": 3, "bgr": 3, "gray": 1}[f.channels]; g.depth != 1 && g.depth != 3 || want != 0 && want != g.depth {
		return g, fmt.Errorf("takes %d channels, an image gives 3, or 1 with --channels gray", g.depth)
	}
	g.width, g.height = size(g.w), size(g.h)
	if f.width > 0 {
		g.width, g.height = f.width, f.height
	}
	return g, nil
}
