package slice

import (
	"context"
	"fmt"

	"gort/internal/kernel/element"
	"gort/internal/parallel"
	"gort/tensor"
)

// Mode says what Pad adds.
type Mode uint8

// Modes of Pad: a constant, mirrored elements without the edge, the edge
// element, or the elements from the other end.
const (
	Constant Mode = iota
	Reflect
	Edge
	Wrap
)

// Modes are the modes by the names the operator gives them.
var Modes = map[string]Mode{"constant": Constant, "reflect": Reflect, "edge": Edge, "wrap": Wrap}

// source returns which of n elements stands i places after the first; -1 is the
// constant.
func (m Mode) source(i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	switch m {
	case Edge:
		return min(max(i, 0), n-1)
	case Reflect:
		if n == 1 {
			return 0
		}
		period := 2 * (n - 1)
		if i %= period; i < 0 {
			i += period
		}
		return min(i, period-i)
	case Wrap:
		if i %= n; i < 0 {
			i += n
		}
		return i
	}
	return -1
}

// padAxis is one axis of a Pad: index o of the output is element o-before of the
// n that lie first elements into the input.
type padAxis struct {
	in, out, n, before, first int
	step                      int // of the input, in elements
}

// Pad fills dst from src: index o along axis a is index o-before[a] of src, and
// outside of src what the mode says. Negative padding takes elements away before
// the mode looks at what there is. value is a tensor of one element, nil for
// zero.
func Pad(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, before []int, mode Mode, value *tensor.Tensor) error {
	if dst.Size() == 0 {
		return nil
	}
	axes := make([]padAxis, len(before))
	for i, b := range before {
		in, out := src.Shape()[i], dst.Shape()[i]
		after := out - in - b
		a := padAxis{in: in, out: out, before: max(b, 0), first: max(-b, 0), n: max(in-max(-b, 0)-max(-after, 0), 0)}
		if a.n == 0 && mode != Constant {
			return fmt.Errorf("padding of axis %d leaves nothing of the input %v to repeat", i, src.Shape())
		}
		axes[i] = a
	}
	step := 1
	for i := len(axes) - 1; i >= 0; i-- {
		axes[i].step = step
		step *= src.Shape()[i]
	}
	switch src.DType().Bits() {
	case 0:
		return pad[string](ctx, pool, dst, src, axes, mode, value)
	case 8:
		return pad[uint8](ctx, pool, dst, src, axes, mode, value)
	case 16:
		return pad[uint16](ctx, pool, dst, src, axes, mode, value)
	case 32:
		return pad[uint32](ctx, pool, dst, src, axes, mode, value)
	case 64:
		return pad[uint64](ctx, pool, dst, src, axes, mode, value)
	case 128:
		return pad[[2]uint64](ctx, pool, dst, src, axes, mode, value)
	}
	return padPacked(ctx, pool, dst, src, axes, mode, value)
}

// padPacked pads 4- and 2-bit elements as bytes.
func padPacked(ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, axes []padAxis, mode Mode, value *tensor.Tensor) error {
	wide := func(t *tensor.Tensor) (*tensor.Tensor, error) {
		list, err := tensor.Unpack(t)
		if err != nil {
			return nil, err
		}
		return tensor.FromSlice(list, t.Shape()...)
	}
	from, err := wide(src)
	if err != nil {
		return err
	}
	if value != nil {
		if value, err = wide(value); err != nil {
			return err
		}
	}
	to, err := tensor.New(tensor.Int8, dst.Shape()...)
	if err != nil {
		return err
	}
	if err := pad[uint8](ctx, pool, to, from, axes, mode, value); err != nil {
		return err
	}
	packed, err := tensor.Pack(dst.DType(), tensor.Elements[int8](to), dst.Shape()...)
	if err != nil {
		return err
	}
	return tensor.Copy(dst, packed)
}

func pad[T element.Word](ctx context.Context, pool *parallel.Pool, dst, src *tensor.Tensor, axes []padAxis, mode Mode, value *tensor.Tensor) error {
	p := padding[T]{dst: element.Words[T](dst), src: element.Words[T](src), mode: mode, run: 1}
	if value != nil {
		p.value = element.Words[T](value)[0]
	}
	// Axes that stay as they are at the end are runs to copy as a whole.
	for len(axes) > 0 {
		a := axes[len(axes)-1]
		if a.n != a.out || a.n != a.in || a.before != 0 {
			break
		}
		p.run *= a.n
		axes = axes[:len(axes)-1]
	}
	if len(axes) == 0 {
		copy(p.dst, p.src)
		return ctx.Err()
	}
	p.outer, p.last = axes[:len(axes)-1], axes[len(axes)-1]
	line := p.last.out * p.run
	return pool.For(ctx, len(p.dst)/line, max(1, 16384/line), p.lines)
}

// padding is a Pad of one word type: lines along the last padded axis, whose
// elements are runs.
type padding[T element.Word] struct {
	dst, src []T
	outer    []padAxis
	last     padAxis
	run      int
	mode     Mode
	value    T
}

func (p *padding[T]) lines(lo, hi int) {
	line := p.last.out * p.run
	for l := lo; l < hi; l++ {
		dst := p.dst[l*line:][:line]
		at, inside := p.last.first*p.last.step, true
		for i, rest := len(p.outer)-1, l; i >= 0; i-- {
			a := &p.outer[i]
			k := p.mode.source(rest%a.out-a.before, a.n)
			rest /= a.out
			inside = inside && k >= 0
			at += (a.first + k) * a.step
		}
		if !inside {
			fill(dst, p.value)
			continue
		}
		p.line(dst, at)
	}
}

// line writes one line whose elements start at src[at].
func (p *padding[T]) line(dst []T, at int) {
	head, body := p.last.before*p.run, p.last.n*p.run
	copy(dst[head:head+body], p.src[at:at+body])
	if p.mode == Constant {
		fill(dst[:head], p.value)
		fill(dst[head+body:], p.value)
		return
	}
	for _, side := range [2][2]int{{0, p.last.before}, {p.last.before + p.last.n, p.last.out}} {
		for o := side[0]; o < side[1]; o++ {
			k := p.mode.source(o-p.last.before, p.last.n)
			copy(dst[o*p.run:][:p.run], p.src[at+k*p.run:][:p.run])
		}
	}
}

func fill[T any](d []T, v T) {
	for i := range d {
		d[i] = v
	}
}
