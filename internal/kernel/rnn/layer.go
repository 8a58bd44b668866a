package rnn

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"gort/internal/parallel"
)

// Kind is a recurrent layer.
type Kind uint8

// Kinds of layers.
const (
	RNN Kind = iota
	GRU
	LSTM
)

// Gates is the number of matrices that W and R stack.
func (k Kind) Gates() int { return [...]int{1, 3, 4}[k] }

// Activations is the number of activation functions of a direction: f, g and h.
func (k Kind) Activations() int { return int(k) + 1 }

// Layer is everything about a layer but its weights and operands.
type Layer[T Float] struct {
	Kind              Kind
	Reverse           []bool            // for each direction
	Activations       [][]Activation[T] // for each direction
	Clip              T                 // 0 means none
	InputForget       bool              // LSTM: the forget gate is 1 - the input gate
	LinearBeforeReset bool              // GRU
	BatchFirst        bool              // layout 1
}

// Direction is the weights of one direction.
type Direction[T Float] struct {
	W *Weight[T]
	R []*Weight[T] // of all gates; for GRU of the first two and of the third
	B []T          // 2*gates*hidden: of W, then of R; nil when there are none
	P []T          // LSTM: 3*hidden peepholes for i, o, f; nil when there are none
}

// SplitR returns R, whose rows are gates*hidden, as a Direction holds it.
func (l *Layer[T]) SplitR(data []T, hidden int) []*Weight[T] {
	if l.Kind != GRU {
		n := l.Kind.Gates() * hidden
		return []*Weight[T]{NewWeight(data, n, hidden)}
	}
	cut := 2 * hidden * hidden
	return []*Weight[T]{NewWeight(data[:cut], 2*hidden, hidden), NewWeight(data[cut:], hidden, hidden)}
}

// Call is one run: the operands, contiguous, as the specification lays them out.
type Call[T Float] struct {
	Steps, Batch, Input, Hidden int
	Directions                  []Direction[T]
	X                           []T
	Lens                        []int32 // nil: all of them
	H0, C0                      []T     // nil: zeros
	Y, YH, YC                   []T     // nil: not asked for
	Scratch                     []T     // of at least ScratchSize elements
}

// ScratchSize is how many elements of working memory a call needs.
func (l *Layer[T]) ScratchSize(steps, batch, hidden int) int {
	return len(l.Reverse) * l.directionScratch(steps, batch, hidden)
}

func (l *Layer[T]) directionScratch(steps, batch, hidden int) int {
	g := l.Kind.Gates() * hidden
	return (steps+1)*batch*g + 3*batch*hidden + g
}

// Run computes the layer.
func (l *Layer[T]) Run(ctx context.Context, p *parallel.Pool, c *Call[T]) error {
	for b, n := range c.Lens {
		if n < 0 || int(n) > c.Steps {
			return fmt.Errorf("sequence_lens[%d] is %d, allowed are 0 to %d", b, n, c.Steps)
		}
	}
	if c.Batch == 0 || c.Hidden == 0 {
		return nil
	}
	n := l.directionScratch(c.Steps, c.Batch, c.Hidden)
	if len(l.Reverse) == 1 {
		return l.direction(ctx, p, c, 0, c.Scratch[:n])
	}
	var first atomic.Pointer[error]
	err := p.For(ctx, len(l.Reverse), 1, func(lo, hi int) {
		for d := lo; d < hi; d++ {
			if err := l.direction(ctx, p, c, d, c.Scratch[d*n:(d+1)*n]); err != nil {
				first.CompareAndSwap(nil, &err)
			}
		}
	})
	if e := first.Load(); err == nil && e != nil {
		err = *e
	}
	return err
}

// pass is one direction on its way through the steps.
type pass[T Float] struct {
	*Layer[T]
	*Direction[T]
	*Call[T]
	reverse       bool
	now           int // the step that is computed, counted in the order of computation
	act           []Activation[T]
	hidden, batch int
	row           int // gates*hidden, the elements of a row of gates
	gates         []T // batch rows of the step's gates
	h, c, tmp     []T // batch rows of hidden
	bias          []T
}

func (l *Layer[T]) direction(ctx context.Context, pool *parallel.Pool, c *Call[T], d int, scratch []T) error {
	p := &pass[T]{Layer: l, Direction: &c.Directions[d], Call: c, reverse: l.Reverse[d], act: l.Activations[d], hidden: c.Hidden, batch: c.Batch, row: l.Kind.Gates() * c.Hidden}
	take := func(n int) []T {
		s := scratch[:n:n]
		scratch = scratch[n:]
		return s
	}
	input := take(c.Steps * c.Batch * p.row)
	gates := take(c.Batch * p.row)
	p.h, p.c, p.tmp = take(c.Batch*c.Hidden), take(c.Batch*c.Hidden), take(c.Batch*c.Hidden)
	p.bias = take(p.row)
	clear(gates)
	c.start(p.h, c.H0, d, l.BatchFirst)
	c.start(p.c, c.C0, d, l.BatchFirst)
	if err := p.inputs(ctx, pool, c, input); err != nil {
		return err
	}
	// The rows of one step are neighbours unless the batch comes first.
	stepStride, batchStride := c.Batch, 1
	if l.BatchFirst {
		stepStride, batchStride = 1, c.Steps
	}
	inOrder := c.Lens == nil && (!l.BatchFirst || c.Batch == 1)
	for s := range c.Steps {
		p.now = s
		t := s
		if p.reverse {
			t = c.Steps - 1 - s
		}
		if inOrder {
			p.gates = input[t*stepStride*p.row:][:c.Batch*p.row]
		} else {
			p.gates = gates
			for b := range c.Batch {
				if tb, ok := c.time(b, s, p.reverse); ok {
					copy(gates[b*p.row:(b+1)*p.row], input[(tb*stepStride+b*batchStride)*p.row:])
				}
			}
		}
		if err := p.step(ctx, pool); err != nil {
			return err
		}
		for b := range c.Batch {
			if c.Y == nil {
				break
			}
			tb, ok := c.time(b, s, p.reverse)
			y := c.output(tb, b, d, len(l.Reverse), l.BatchFirst)
			if ok {
				copy(y, p.h[b*c.Hidden:(b+1)*c.Hidden])
			} else {
				clear(y)
			}
		}
		p.retire(d)
	}
	for b := range c.Batch {
		if c.Lens == nil || int(c.Lens[b]) == c.Steps {
			p.keep(d, b)
		}
	}
	c.finish(c.YC, p.c, d, l.BatchFirst)
	return nil
}

// retire keeps the states of the sequences that ended before this step, and clears
// them: a product that looks at the range of all rows is not to see them again. (It
// does in this step; so it is in ONNX Runtime.) What an empty sequence ends in the
// specification leaves open: zeros, as in ONNX Runtime.
func (p *pass[T]) retire(d int) {
	for b, n := range p.Lens {
		if int(n) != p.now {
			continue
		}
		if n == 0 {
			clear(p.h[b*p.hidden : (b+1)*p.hidden])
			clear(p.c[b*p.hidden : (b+1)*p.hidden])
		}
		p.keep(d, b)
		clear(p.h[b*p.hidden : (b+1)*p.hidden])
	}
}

// keep makes the state of sequence b the last one.
func (p *pass[T]) keep(d, b int) {
	if p.YH != nil {
		copy(p.YH[p.state(b, d, p.BatchFirst):][:p.hidden], p.h[b*p.hidden:])
	}
}

// active reports whether sequence b is long enough for the step.
func (p *pass[T]) active(b int) bool {
	_, ok := p.time(b, p.now, p.reverse)
	return ok
}

// time is the step of sequence b that is computed as the s-th, and whether the
// sequence is that long. Beyond its end s itself is the step that stays empty.
func (c *Call[T]) time(b, s int, reverse bool) (int, bool) {
	n := c.Steps
	if c.Lens != nil {
		n = int(c.Lens[b])
	}
	if s >= n {
		return s, false
	}
	if reverse {
		return n - 1 - s, true
	}
	return s, true
}

// output is where Y holds the state of a step.
func (c *Call[T]) output(t, b, d, directions int, batchFirst bool) []T {
	at := (t*directions+d)*c.Batch + b
	if batchFirst {
		at = (b*c.Steps+t)*directions + d
	}
	return c.Y[at*c.Hidden : (at+1)*c.Hidden]
}

// state is where an initial or last state of a sequence is.
func (c *Call[T]) state(b, d int, batchFirst bool) int {
	if batchFirst {
		return (b*len(c.Directions) + d) * c.Hidden
	}
	return (d*c.Batch + b) * c.Hidden
}

func (c *Call[T]) start(to, from []T, d int, batchFirst bool) {
	if from == nil {
		clear(to)
		return
	}
	for b := range c.Batch {
		copy(to[b*c.Hidden:(b+1)*c.Hidden], from[c.state(b, d, batchFirst):])
	}
}

func (c *Call[T]) finish(to, from []T, d int, batchFirst bool) {
	if to == nil {
		return
	}
	for b := range c.Batch {
		at := c.state(b, d, batchFirst)
		copy(to[at:at+c.Hidden], from[b*c.Hidden:])
	}
}

// inputs computes X*W^T plus the biases that are added at the same place.
func (p *pass[T]) inputs(ctx context.Context, pool *parallel.Pool, c *Call[T], out []T) error {
	beta := T(0)
	if p.B != nil {
		beta = 1
		summed := p.row // biases of R that join those of W
		if p.Kind == GRU && p.LinearBeforeReset {
			summed = 2 * p.hidden
		}
		copy(p.bias, p.B)
		for i := range summed {
			p.bias[i] += p.B[p.row+i]
		}
		for r := 0; r < len(out); r += p.row {
			copy(out[r:r+p.row], p.bias)
		}
	}
	steps := c.Steps
	if len(c.Lens) > 0 && !p.BatchFirst { // later steps are nobody's
		steps = int(slices.Max(c.Lens))
	}
	rows := steps * c.Batch
	return p.W.multiply(ctx, pool, rows, c.X[:rows*c.Input], beta, out[:rows*p.row], p.row)
}
