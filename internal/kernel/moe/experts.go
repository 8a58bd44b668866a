package moe

import (
	"context"
	"slices"
	"sync"

	"gort/internal/kernel/blockquant"
	"gort/internal/kernel/gemm"
	"gort/internal/parallel"
	"gort/internal/simd"
)

// Layer is one layer of all experts: y = x*W' + b for rows x of In elements.
type Layer interface {
	// Width is the number of elements of a row of y.
	Width() int
	Apply(ctx context.Context, pool *parallel.Pool, expert, rows int, x, y []float32) error
}

// Dense is a layer of numbers: weights [experts, Out, In], bias [experts, Out] or nil.
type Dense struct {
	In, Out       int
	Weights, Bias []float32
}

// Width implements Layer.
func (d *Dense) Width() int { return d.Out }

// Apply implements Layer.
func (d *Dense) Apply(ctx context.Context, pool *parallel.Pool, expert, rows int, x, y []float32) error {
	beta := float32(0)
	if d.Bias != nil {
		beta = 1
		for i := range rows {
			copy(y[i*d.Out:][:d.Out], d.Bias[expert*d.Out:])
		}
	}
	return gemm.Float32(ctx, pool, false, true, rows, d.Out, d.In, 1, x, d.In, d.Weights[expert*d.Out*d.In:], d.In, beta, y, d.Out)
}

// Quantized is a layer of quantized weights, one of Panels an expert.
type Quantized struct {
	Out    int
	Panels []*blockquant.Panels
	Bias   []float32 // [experts, Out] or nil
}

// Width implements Layer.
func (q *Quantized) Width() int { return q.Out }

// Apply implements Layer.
func (q *Quantized) Apply(ctx context.Context, pool *parallel.Pool, expert, rows int, x, y []float32) error {
	var bias []float32
	if q.Bias != nil {
		bias = q.Bias[expert*q.Out:][:q.Out]
	}
	return q.Panels[expert].Multiply(ctx, pool, rows, x, bias, y)
}

// Experts are networks of two layers, or three where the first comes in two parts.
type Experts struct {
	Router
	Hidden, Inner int
	First, Second Layer
	Third         Layer // nil if there is none
	Activation    Activation
}

// routes are the experts of the rows of one call, and memory for one expert's share.
type routes struct {
	experts []int
	weights []float32
	picked  []int // places in experts
	memory  []float32
}

var routesMemory = sync.Pool{New: func() any { return &routes{} }}

// Run computes the rows of y from those of x. logits has a row of Experts elements
// for each of them; given, unless nil, as well (see Router.Pick).
func (e *Experts) Run(ctx context.Context, pool *parallel.Pool, x, logits, given, y []float32) error {
	rows := len(logits) / max(e.Experts, 1)
	clear(y)
	r := routesMemory.Get().(*routes)
	defer routesMemory.Put(r)
	r.experts, r.weights = slices.Grow(r.experts[:0], rows*e.K)[:rows*e.K], slices.Grow(r.weights[:0], rows*e.K)[:rows*e.K]
	for i := range rows {
		var row []float32
		if given != nil {
			row = given[i*e.Experts:][:e.Experts]
		}
		e.Pick(logits[i*e.Experts:][:e.Experts], row, r.experts[i*e.K:][:e.K], r.weights[i*e.K:][:e.K])
	}
	for expert := range e.Experts {
		r.picked = r.picked[:0]
		for at, x := range r.experts {
			if x == expert && r.weights[at] > e.Least {
				r.picked = append(r.picked, at)
			}
		}
		if len(r.picked) == 0 {
			continue
		}
		if err := e.expert(ctx, pool, expert, r, x, y); err != nil {
			return err
		}
	}
	return nil
}

// expert adds the share of one expert.
func (e *Experts) expert(ctx context.Context, pool *parallel.Pool, expert int, r *routes, x, y []float32) error {
	n, wide, third := len(r.picked), e.First.Width(), 0
	if e.Third != nil {
		third = e.Third.Width()
	}
	need := n * (e.Hidden + wide + third + 2*e.Inner)
	r.memory = slices.Grow(r.memory[:0], need)[:need]
	rest := r.memory
	part := func(width int) []float32 {
		s := rest[:n*width]
		rest = rest[n*width:]
		return s
	}
	in, h, other, hidden, work := part(e.Hidden), part(wide), part(third), part(e.Inner), part(e.Inner)
	for i, at := range r.picked {
		copy(in[i*e.Hidden:][:e.Hidden], x[at/e.K*e.Hidden:])
	}
	if err := e.First.Apply(ctx, pool, expert, n, in, h); err != nil {
		return err
	}
	if e.Third != nil {
		if err := e.Third.Apply(ctx, pool, expert, n, in, other); err != nil {
			return err
		}
	}
	err := pool.For(ctx, n, max(1, (8<<10)/max(e.Inner, 1)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var o []float32
			if e.Third != nil {
				o = other[i*third:][:third]
			}
			e.Activation(hidden[i*e.Inner:][:e.Inner], h[i*wide:][:wide], o, work[i*e.Inner:][:e.Inner])
		}
	})
	if err != nil {
		return err
	}
	out := in // its rows are as wide, and no longer needed
	if err := e.Second.Apply(ctx, pool, expert, n, hidden, out); err != nil {
		return err
	}
	for i, at := range r.picked {
		simd.AXPY(y[at/e.K*e.Hidden:][:e.Hidden], out[i*e.Hidden:][:e.Hidden], r.weights[at])
	}
	return nil
}
