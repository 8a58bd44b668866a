package cpu

import (
	"context"
	"errors"
	"sync"

	"gort/ep"
	"gort/internal/kernel/elementwise"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

// castTypes are the types Cast knows in its versions; tensor.Convert knows all of them.
const castTypes = op.All25Types &^ (1<<tensor.Complex64 | 1<<tensor.Complex128)

var castBindings = []Binding{
	{Op: "Cast", Types: map[string]op.DTypes{"T1": castTypes, "T2": castTypes}, New: newCast},
	{Op: "CastLike", Types: map[string]op.DTypes{"T1": castTypes, "T2": castTypes}, New: newCast},
	{Op: "BitCast", New: newBitCast},
}

// cast converts elements; only the first input is read.
type cast struct {
	pool *parallel.Pool
	opts tensor.ConvertOptions
}

func newCast(b *Build) (ep.Kernel, error) {
	round, ok := op.RoundModeOf(b.String("round_mode"))
	if !ok {
		return nil, b.AttrErrorf("round_mode", "is %q, allowed are up, down and nearest", b.String("round_mode"))
	}
	saturate := b.Def.Signature().Attr("saturate") == nil || b.Bool("saturate")
	return cast{b.Pool, tensor.ConvertOptions{NoSaturate: !saturate, Round: round}}, nil
}

// Run implements ep.Kernel.
func (k cast) Run(ctx context.Context, inv *ep.Invocation) error {
	dst, src := inv.Out(0), inv.In(0)
	if src.Size() <= elementwise.GrainCheap || src.DType().Bits() < 8 || dst.DType().Bits() < 8 {
		return tensor.ConvertInto(dst, src, k.opts)
	}
	return k.split(ctx, dst, src)
}

// split converts a large tensor of whole bytes piece by piece.
func (k cast) split(ctx context.Context, dst, src *tensor.Tensor) error {
	from, err := src.Bytes()
	if err != nil {
		return err
	}
	to, err := dst.Bytes()
	if err != nil {
		return err
	}
	var first error
	var once sync.Once
	err = k.pool.For(ctx, src.Size(), elementwise.GrainCheap, func(lo, hi int) {
		if err := k.piece(dst.DType(), to, src.DType(), from, lo, hi); err != nil {
			once.Do(func() { first = err })
		}
	})
	return errors.Join(err, first)
}

func (k cast) piece(to tensor.DType, dst []byte, from tensor.DType, src []byte, lo, hi int) error {
	s, err := tensor.FromBytes(from, src[from.Bytes(lo):from.Bytes(hi)], hi-lo)
	if err != nil {
		return err
	}
	d, err := tensor.FromBytes(to, dst[to.Bytes(lo):to.Bytes(hi)], hi-lo)
	if err != nil {
		return err
	}
	return tensor.ConvertInto(d, s, k.opts)
}

// bitCast copies bits under another type.
type bitCast struct{}

func newBitCast(*Build) (ep.Kernel, error) { return bitCast{}, nil }

// InPlace implements ep.InPlacer.
func (bitCast) InPlace() []ep.Reuse { return []ep.Reuse{{Output: 0, Input: 0}} }

// Run implements ep.Kernel.
func (bitCast) Run(_ context.Context, inv *ep.Invocation) error {
	dst, err := inv.Out(0).Bytes()
	if err != nil {
		return err
	}
	src, err := inv.In(0).Bytes()
	if err != nil {
		return err
	}
	copy(dst, src)
	return nil
}
