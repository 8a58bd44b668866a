package cpu

import (
	"context"

	"gort/ep"
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
type cast struct{ opts tensor.ConvertOptions }

func newCast(b *Build) (ep.Kernel, error) {
	round, ok := op.RoundModeOf(b.String("round_mode"))
	if !ok {
		return nil, b.AttrErrorf("round_mode", "is %q, allowed are up, down and nearest", b.String("round_mode"))
	}
	saturate := b.Def.Signature().Attr("saturate") == nil || b.Bool("saturate")
	return cast{tensor.ConvertOptions{NoSaturate: !saturate, Round: round}}, nil
}

// Run implements ep.Kernel.
func (k cast) Run(_ context.Context, inv *ep.Invocation) error {
	return tensor.ConvertInto(inv.Out(0), inv.In(0), k.opts)
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
