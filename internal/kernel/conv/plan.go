package conv

import "slices"

// Geometry describes a convolution. The slices have one element for each
// spatial dimension.
type Geometry struct {
	Batch, Groups int
	In, Out       int // channels of the input, and filters, of one group
	Input, Output []int
	Kernel        []int
	Strides       []int
	Dilations     []int
	Begin         []int // padding before the first element
}

// Plan is a Geometry made ready: read-only, shared by concurrent calls.
type Plan struct {
	Geometry
	taps   int   // elements of the window
	k      int   // terms of a sum: In*taps
	plane  int   // elements of an input channel
	pixels int   // elements of an output channel
	reach  []int // for each tap, its distance from the window's start in each dimension
}

// NewPlan prepares a convolution.
func NewPlan(g Geometry) *Plan {
	if pointwise(&g) {
		g.Input, g.Output = []int{product(g.Input)}, []int{product(g.Output)}
		g.Kernel, g.Strides, g.Dilations, g.Begin = []int{1}, []int{1}, []int{1}, []int{0}
	}
	return NewDeformPlan(g)
}

// NewDeformPlan prepares a deformable convolution: each output element may read any
// position, so the spatial dimensions always stay apart.
func NewDeformPlan(g Geometry) *Plan {
	p := &Plan{Geometry: g, taps: product(g.Kernel), plane: product(g.Input), pixels: product(g.Output)}
	p.k = p.In * p.taps
	at := make([]int, len(g.Kernel))
	for range p.taps {
		for d, a := range at {
			p.reach = append(p.reach, a*g.Dilations[d])
		}
		step(at, g.Kernel)
	}
	return p
}

// pointwise reports whether each output element depends on one position only:
// then all spatial dimensions are as one.
func pointwise(g *Geometry) bool {
	for d := range g.Kernel {
		if g.Kernel[d] != 1 || g.Strides[d] != 1 || g.Begin[d] != 0 || g.Input[d] != g.Output[d] {
			return false
		}
	}
	return true
}

func product(s []int) int {
	n := 1
	for _, v := range s {
		n *= v
	}
	return n
}

// step advances a position in row-major order, from the last one to the first.
func step(at, shape []int) {
	for d := len(at) - 1; d >= 0; d-- {
		if at[d]++; at[d] < shape[d] {
			return
		}
		at[d] = 0
	}
}

// Equal reports whether two descriptions are the same.
func (g *Geometry) Equal(o *Geometry) bool {
	return g.Batch == o.Batch && g.Groups == o.Groups && g.In == o.In && g.Out == o.Out &&
		slices.Equal(g.Input, o.Input) && slices.Equal(g.Output, o.Output) && slices.Equal(g.Kernel, o.Kernel) &&
		slices.Equal(g.Strides, o.Strides) && slices.Equal(g.Dilations, o.Dilations) && slices.Equal(g.Begin, o.Begin)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceilDiv(a, b) * b }

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func isDone(done <-chan struct{}) bool {
	select { // a nil channel is never ready
	case <-done:
		return true
	default:
		return false
	}
}

// Pixels is the number of elements of an output channel.
func (p *Plan) Pixels() int { return p.pixels }
