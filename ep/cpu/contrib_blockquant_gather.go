package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/blockquant"
	"gort/internal/parallel"
	"gort/tensor"
)

// gatherQuantized is GatherBlockQuantized.
type gatherQuantized struct {
	pool                *parallel.Pool
	gather, axis, block int
	bits                int
	values              []float32 // the number behind each code
	middle              float32   // the zero point where none are given
}

func newGatherBlockQuantized(b *Build) (ep.Kernel, error) {
	k := &gatherQuantized{pool: b.Pool, gather: b.Int("gather_axis"), axis: b.Int("quantize_axis"), block: b.Int("block_size")}
	d := b.DType(0)
	k.bits = d.Bits()
	if d == tensor.Uint8 {
		k.bits = b.Int("bits")
		k.middle = float32(int(1) << (k.bits - 1))
	}
	values, err := codeValues(d, k.bits)
	k.values = values
	return k, err
}

// codeValues lists the numbers behind the codes of a type, of which a code takes bits.
func codeValues(d tensor.DType, bits int) ([]float32, error) {
	codes := make([]byte, 1<<bits)
	for i := range codes {
		codes[i] = byte(i)
	}
	if d.Packed() {
		for i := range codes[:len(codes)/2] {
			codes[i] = byte(2*i | (2*i+1)<<4)
		}
		codes = codes[:len(codes)/2]
	}
	t, err := tensor.FromBytes(d, codes, 1<<bits)
	if err != nil {
		return nil, err
	}
	if t, err = tensor.Convert(t, tensor.Float32, tensor.ConvertOptions{}); err != nil {
		return nil, err
	}
	return tensor.Elements[float32](t), nil
}

// codes are the elements of a tensor.
func (k *gatherQuantized) codes(t *tensor.Tensor) (blockquant.Codes, error) {
	b, err := t.Bytes()
	return blockquant.Codes{Bits: k.bits, Packed: b, Value: k.values}, err
}

// Run implements ep.Kernel.
func (k *gatherQuantized) Run(ctx context.Context, inv *ep.Invocation) error {
	data, scales := inv.In(0), inv.In(2)
	rank := data.Rank()
	g := blockquant.Gather{
		Dims: append([]int(nil), data.Shape()...), Pick: (k.gather + rank) % rank, Axis: (k.axis + rank) % rank,
		Block: k.block, Scales: tensor.Elements[float32](scales), ScaleStrides: make([]int, rank), Middle: k.middle,
	}
	last := rank - 1
	perByte := 1
	if data.DType() == tensor.Uint8 {
		perByte = 8 / k.bits
	}
	g.Dims[last] *= perByte
	if g.Block == 0 {
		g.Block = max(g.Dims[g.Axis], 1)
	}
	step := 1
	for i, d := range scales.Shape() {
		if i != g.Axis && d == 1 && g.Dims[i] != 1 {
			continue // one for all
		}
		g.ScaleStrides[i] = 1
	}
	for i := last; i >= 0; i-- {
		g.ScaleStrides[i] *= step
		step *= scales.Shape()[i]
	}
	var err error
	if g.Data, err = k.codes(data); err != nil {
		return err
	}
	if z := inv.In(3); z != nil {
		zeros, err := k.codes(z)
		if err != nil {
			return err
		}
		g.Zeros, g.ScaleLine, g.ZeroLine = &zeros, scales.Shape()[last], z.Shape()[last]*perByte
	}
	out := tensor.Elements[float32](inv.Out(0))
	if at := inv.In(1); at.DType() == tensor.Int32 {
		return blockquant.GatherRows(ctx, k.pool, &g, tensor.Elements[int32](at), out)
	}
	return blockquant.GatherRows(ctx, k.pool, &g, tensor.Elements[int64](inv.In(1)), out)
}
