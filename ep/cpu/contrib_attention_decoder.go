package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/op"
	"gort/tensor"
)

var contribDecoderAttentionBindings = []Binding{
	{Domain: microsoft, Op: "DecoderMaskedMultiHeadAttention", Types: map[string]op.DTypes{"T": onlyFloat32, "QK": onlyFloat32}, ViaFloat32: true, New: newDecoderMasked},
}

// Inputs of DecoderMaskedMultiHeadAttention.
const (
	dmaQuery = iota
	dmaKey
	dmaValue
	dmaMask
	dmaScores
	dmaPastKey
	dmaPastValue
	dmaLength
	dmaBias = 10
)

// decoderMasked is attention of one new row each with those in a cache, which has room
// for more when the buffer is shared, or with an encoder's.
type decoderMasked struct {
	maskedAttention
	shared bool
}

func newDecoderMasked(b *Build) (ep.Kernel, error) {
	c := attention.Config{Scale: float64(b.Float("scale")), Left: -1, Right: -1, Capture: attention.CaptureScores}
	return &decoderMasked{maskedAttention{b.Pool, attention.New[float32](c), b.Int("num_heads"), b.Float("mask_filter_value"), dmaMask, dmaScores}, b.Bool("past_present_share_buffer")}, nil
}

// Run implements ep.Kernel.
func (k *decoderMasked) Run(ctx context.Context, inv *ep.Invocation) error {
	s := inv.In(dmaQuery).Shape()
	c := attention.Call[float32]{Batch: s[0], QHeads: k.heads, KVHeads: k.heads}
	c.Query, _, c.Q, c.Size = headsOf[float32](inv.In(dmaQuery), k.heads)
	c.Key, _, c.Total, _ = headsOf[float32](inv.In(dmaKey), k.heads)
	c.Value, _, _, c.VSize = headsOf[float32](inv.In(dmaValue), k.heads)
	if c.Q != 1 {
		return fmt.Errorf("input 0 (query) has shape %v, must have one row", s)
	}
	past := inv.In(dmaPastKey)
	if t := inv.In(dmaBias); t != nil {
		bias, width := tensor.Elements[float32](t), k.heads*c.Size
		c.Query = biased(c.Query, c.Batch, k.heads, 1, c.Size, bias[:width])
		if past != nil { // an encoder's have it already
			c.Key = biased(c.Key, c.Batch, k.heads, 1, c.Size, bias[width:2*width])
			c.Value = biased(c.Value, c.Batch, k.heads, 1, c.VSize, bias[2*width:])
		}
	}
	if past != nil {
		if err := k.cache(ctx, inv, &c, past.Shape()[2]); err != nil {
			return err
		}
	}
	var err error
	if c.Mask, err = k.mask(inv, &c); err != nil {
		return err
	}
	out, err := inv.NewOut(0, tensor.Float32, s...)
	if err != nil {
		return err
	}
	c.Y, _, _, _ = headsOf[float32](out, k.heads)
	if inv.Wants(3) {
		t, err := inv.NewOut(3, tensor.Float32, c.Batch, k.heads, 1, c.Total)
		if err != nil {
			return err
		}
		c.Scores = tensor.Elements[float32](t)
	}
	return k.attention.Run(ctx, k.pool, &c)
}

// cache puts the new row behind the rows in use. A shared buffer stays as long as it is.
func (k *decoderMasked) cache(ctx context.Context, inv *ep.Invocation, c *attention.Call[float32], rows int) error {
	present := rows + 1
	c.Past = rows
	if k.shared {
		present = rows
		c.Past = int(tensor.Elements[int32](inv.In(dmaLength))[0])
		if c.Past < 0 || c.Past >= rows {
			return fmt.Errorf("input 7 (past_sequence_length) is %d, the cache has %d rows, of which one has to be free", c.Past, rows)
		}
	}
	c.Total = c.Past + 1
	first := make([]int64, c.Batch)
	for i := range first {
		first[i] = int64(c.Past)
	}
	for i, add := range []*attention.Heads[float32]{&c.Key, &c.Value} {
		var to []float32
		if inv.Wants(1 + i) {
			t, err := inv.NewOut(1+i, tensor.Float32, c.Batch, k.heads, present, c.Size)
			if err != nil {
				return err
			}
			to = tensor.Elements[float32](t)
		} else {
			to = make([]float32, c.Batch*k.heads*present*c.Size)
		}
		old := tensor.Elements[float32](inv.In(dmaPastKey + i))
		if err := attention.Place(ctx, k.pool, c.Batch, k.heads, c.Size, rows, present, first, old, *add, 1, to); err != nil {
			return err
		}
		*add = attention.Heads[float32]{Data: to, Batch: k.heads * present * c.Size, Head: present * c.Size, Row: c.Size}
	}
	return nil
}
