package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var contribAttentionBindings = []Binding{
	{Domain: microsoft, Op: "MultiHeadAttention", Types: map[string]op.DTypes{"T": onlyFloat32, "QK": onlyFloat32}, ViaFloat32: true, New: newMultiHeadAttention},
	{Domain: microsoft, Op: "RotaryEmbedding", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newContribRotary},
	{Domain: microsoft, Op: "MRotaryEmbedding", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newMRotary},
	{Domain: microsoft, Op: "LinearAttention", Types: map[string]op.DTypes{"T": onlyFloat32, "S": onlyFloat32}, ViaFloat32: true, New: newLinearAttention},
}

// Inputs of MultiHeadAttention.
const (
	mhaQuery = iota
	mhaKey
	mhaValue
	mhaBias
	mhaPadding
	mhaAttentionBias
	mhaPastKey
	mhaPastValue
)

// maskedAttention is attention with a mask of padding and one that is added.
type maskedAttention struct {
	pool          *parallel.Pool
	attention     *attention.Attention[float32]
	heads         int
	filter        float32 // what is added to the scores of keys that are padding
	padding, bias int     // the inputs; noInput where the operator has none
}

const noInput = -1

func newMaskedAttention(b *Build, padding, bias int) maskedAttention {
	c := attention.Config{Scale: float64(b.Float("scale")), Causal: b.Bool("unidirectional"), Left: -1, Right: -1, Capture: attention.CaptureBiased}
	return maskedAttention{b.Pool, attention.New[float32](c), b.Int("num_heads"), b.Float("mask_filter_value"), padding, bias}
}

type multiHeadAttention struct{ maskedAttention }

func newMultiHeadAttention(b *Build) (ep.Kernel, error) {
	return &multiHeadAttention{newMaskedAttention(b, mhaPadding, mhaAttentionBias)}, nil
}

// Run implements ep.Kernel.
func (k *multiHeadAttention) Run(ctx context.Context, inv *ep.Invocation) error {
	c := attention.Call[float32]{Batch: inv.In(mhaQuery).Shape()[0], QHeads: k.heads, KVHeads: k.heads}
	rows := k.operands(inv, &c)
	k.addBias(inv, &c, rows)
	c.Y, _, _, _ = headsOf[float32](inv.Out(0), k.heads)
	if t := inv.In(mhaPastKey); t != nil {
		c.Past = t.Shape()[2]
	}
	c.Total = c.Past + rows
	join := attentionKernel[float32]{pool: k.pool}
	var err error
	if c.Key, err = join.present(ctx, inv, 1, mhaPastKey, &c, rows, c.Size, c.Key); err != nil {
		return err
	}
	if c.Value, err = join.present(ctx, inv, 2, mhaPastValue, &c, rows, c.VSize, c.Value); err != nil {
		return err
	}
	if c.Mask, err = k.mask(inv, &c); err != nil {
		return err
	}
	if t := inv.Out(3); t != nil {
		c.Scores = tensor.Elements[float32](t)
	}
	return k.attention.Run(ctx, k.pool, &c)
}

// operands views query, key and value in whichever layout they come, and returns the
// number of key rows.
func (k *multiHeadAttention) operands(inv *ep.Invocation, c *attention.Call[float32]) (rows int) {
	q := inv.In(mhaQuery)
	if q.Rank() == 5 { // [batch, rows, heads, 3, size]
		c.Query, c.Q, c.Size = packedHeads(q, 0)
		c.Key, _, _ = packedHeads(q, 1)
		c.Value, _, c.VSize = packedHeads(q, 2)
		return c.Q
	}
	c.Query, _, c.Q, c.Size = headsOf[float32](q, k.heads)
	key := inv.In(mhaKey)
	if key.Rank() == 5 { // [batch, rows, heads, 2, size]
		c.Key, rows, _ = packedHeads(key, 0)
		c.Value, _, c.VSize = packedHeads(key, 1)
		return rows
	}
	c.Key, _, rows, _ = headsOf[float32](key, k.heads)
	c.Value, _, _, c.VSize = headsOf[float32](inv.In(mhaValue), k.heads)
	return rows
}

// packedHeads views one of the operands that [batch, rows, heads, n, size] holds.
func packedHeads(t *tensor.Tensor, i int) (h attention.Heads[float32], rows, size int) {
	s := t.Shape()
	row := s[2] * s[3] * s[4]
	data := tensor.Elements[float32](t)
	return attention.Heads[float32]{Data: data[min(i*s[4], len(data)):], Batch: s[1] * row, Head: s[3] * s[4], Row: row}, s[1], s[4]
}

// addBias adds the bias, one row each for query, key and value, to copies of them. A
// key and value of four dimensions are a cache, to which it was added before.
func (k *multiHeadAttention) addBias(inv *ep.Invocation, c *attention.Call[float32], rows int) {
	if inv.In(mhaBias) == nil {
		return
	}
	bias := tensor.Elements[float32](inv.In(mhaBias))
	width := k.heads * c.Size
	c.Query = biased(c.Query, c.Batch, k.heads, c.Q, c.Size, bias[:width])
	if key := inv.In(mhaKey); key != nil && key.Rank() == 4 {
		return
	}
	c.Key = biased(c.Key, c.Batch, k.heads, rows, c.Size, bias[width:2*width])
	c.Value = biased(c.Value, c.Batch, k.heads, rows, c.VSize, bias[2*width:])
}

// biased returns h plus a row that holds the elements of all heads.
func biased(h attention.Heads[float32], batch, heads, rows, size int, bias []float32) attention.Heads[float32] {
	width := heads * size
	out := attention.Heads[float32]{Data: make([]float32, batch*rows*width), Batch: rows * width, Head: size, Row: width}
	for b := range batch {
		for head := range heads {
			add := bias[head*size:][:size]
			for r := range rows {
				from := h.Data[b*h.Batch+head*h.Head+r*h.Row:][:size]
				to := out.Data[b*out.Batch+head*size+r*width:][:size]
				for i, v := range from {
					to[i] = v + add[i]
				}
			}
		}
	}
	return out
}

// mask joins the mask of padding and attention_bias to one that is added. Padding
// gets a finite number, so that a row of nothing but padding is a mean of all values,
// as ONNX Runtime has it.
func (k *maskedAttention) mask(inv *ep.Invocation, c *attention.Call[float32]) (*attention.Mask[float32], error) {
	padding := inv.In(k.padding)
	var bias *tensor.Tensor
	if k.bias != noInput {
		bias = inv.In(k.bias)
	}
	if padding == nil {
		if bias == nil {
			return nil, nil
		}
		m, err := attention.NewMask[float32](bias.Shape(), c.Batch, c.QHeads, c.Q, c.Total)
		if err == nil {
			m.Float = tensor.Elements[float32](bias)
		}
		return m, err
	}
	heads := 1
	if bias != nil {
		heads = c.QHeads
	}
	shape := []int{c.Batch, heads, c.Q, c.Total}
	full := make([]float32, c.Batch*heads*c.Q*c.Total)
	if bias != nil {
		wide, err := bias.BroadcastTo(shape...)
		if err != nil {
			return nil, fmt.Errorf("attention_bias: %w", err)
		}
		copy(full, tensor.Elements[float32](wide.Contiguous()))
	}
	if err := k.addPadding(full, heads, padding, c); err != nil {
		return nil, err
	}
	m, err := attention.NewMask[float32](shape, c.Batch, c.QHeads, c.Q, c.Total)
	if err == nil {
		m.Float = full
	}
	return m, err
}

// addPadding reads a mask of keys: the number of keys of each batch, and perhaps that
// of those before the first; a flag for each key; or one for each pair of a query and
// a key.
func (k *maskedAttention) addPadding(full []float32, heads int, padding *tensor.Tensor, c *attention.Call[float32]) error {
	s, flags := padding.Shape(), tensor.Elements[int32](padding)
	var masked func(b, row, key int) bool
	switch {
	case len(s) == 1 && s[0] == c.Batch:
		masked = func(b, _, key int) bool { return key >= int(flags[b]) }
	case len(s) == 1 && s[0] == 2*c.Batch: // behind the last keys the first ones
		masked = func(b, _, key int) bool { return key >= int(flags[b]) || key < int(flags[c.Batch+b]) }
	case len(s) == 2 && s[0] == c.Batch && s[1] == c.Total:
		masked = func(b, _, key int) bool { return flags[b*c.Total+key] == 0 }
	case len(s) == 3 && s[0] == c.Batch && s[1] == c.Q && s[2] == c.Total:
		masked = func(b, row, key int) bool { return flags[(b*c.Q+row)*c.Total+key] == 0 }
	default:
		return fmt.Errorf("input %d (mask) has shape %v, allowed are [%d], [%d], [%[3]d, %[5]d] and [%[3]d, %d, %[5]d]", k.padding, s, c.Batch, 2*c.Batch, c.Total, c.Q)
	}
	for i := range full {
		key, row, b := i%c.Total, i/c.Total%c.Q, i/(c.Total*c.Q*heads)
		if masked(b, row, key) {
			full[i] += k.filter
		}
	}
	return nil
}

// newContribRotary is RotaryEmbedding with position_ids as one offset for all rows, or
// one for each row.
func newContribRotary(b *Build) (ep.Kernel, error) {
	pool, interleaved, rotate, heads := b.Pool, b.Bool("interleaved"), b.Int("rotary_embedding_dim"), b.Int("num_heads")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		cos, sin := inv.In(2), inv.In(3)
		if !cos.Shape().Equal(sin.Shape()) {
			return fmt.Errorf("cos_cache has shape %v, sin_cache %v; they must agree", cos.Shape(), sin.Shape())
		}
		n := heads
		if n == 0 && x.Rank() == 3 { // a head is as wide as the cache says
			if n = x.Shape()[2] / max(1, 2*cos.Shape()[1]); n == 0 || x.Shape()[2] != n*2*cos.Shape()[1] {
				return fmt.Errorf("input has rows of %d elements, which heads of %d, twice the width of cos_cache, do not divide", x.Shape()[2], 2*cos.Shape()[1])
			}
		}
		r := attention.Rotary[float32]{Batch: x.Shape()[0], Rotate: rotate, Interleaved: interleaved}
		r.X, r.Heads, r.Rows, r.Size = headsOf[float32](x, n)
		r.Y, _, _, _ = headsOf[float32](inv.Out(0), n)
		if rotate == 0 {
			r.Rotate = r.Size
		}
		if r.Rotate > r.Size || r.Rotate%2 != 0 || cos.Shape()[1] != r.Rotate/2 {
			return fmt.Errorf("heads of %d elements turn %d, cos_cache has %d angles for them; it must have half of them", r.Size, r.Rotate, cos.Shape()[1])
		}
		r.Cos, r.Sin = tensor.Elements[float32](cos), tensor.Elements[float32](sin)
		r.Positions = tensor.Elements[int64](inv.In(1))
		if len(r.Positions) == 1 {
			first := r.Positions[0]
			r.Positions = make([]int64, r.Batch*r.Rows)
			for i := range r.Positions {
				r.Positions[i] = first + int64(i%r.Rows)
			}
		}
		if len(r.Positions) != r.Batch*r.Rows {
			return fmt.Errorf("position_ids has shape %v, must have one element or [%d, %d]", inv.In(1).Shape(), r.Batch, r.Rows)
		}
		return r.Run(ctx, pool)
	}), nil
}

// newMRotary is MRotaryEmbedding: each angle is that of one of three positions, by the
// sections of mrope_section, or by turns.
func newMRotary(b *Build) (ep.Kernel, error) {
	pool, interleaved, rotate, heads, scale := b.Pool, b.Bool("interleaved"), b.Int("rotary_embedding_dim"), b.Int("num_heads"), b.Float("scale")
	var stream []int // for each angle, which position
	sections := b.IntsAsInt("mrope_section")
	for i, n := range sections {
		for range n {
			stream = append(stream, i)
		}
	}
	if b.Int("mrope_layout") == 1 {
		clear(stream)
		for i := 1; i < 3; i++ {
			for j := i; j < min(3*sections[i], len(stream)); j += 3 {
				stream[j] = i
			}
		}
	}
	half := len(stream)
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		r := attention.Rotary[float32]{Batch: x.Shape()[0], Rotate: rotate, Interleaved: interleaved}
		r.X, r.Heads, r.Rows, r.Size = headsOf[float32](x, heads)
		r.Y, _, _, _ = headsOf[float32](inv.Out(0), heads)
		if rotate == 0 {
			r.Rotate = r.Size
		}
		if r.Rotate > r.Size || r.Rotate != 2*half {
			return fmt.Errorf("heads of %d elements turn %d, mrope_section has %d angles for them; it must have half of them", r.Size, r.Rotate, half)
		}
		positions, n := tensor.Elements[int64](inv.In(1)), r.Batch*r.Rows
		if len(positions) != 3*n {
			return fmt.Errorf("position_ids has shape %v, must have [3, %d, %d]", inv.In(1).Shape(), r.Batch, r.Rows)
		}
		caches := [2][]float32{tensor.Elements[float32](inv.In(2)), tensor.Elements[float32](inv.In(3))}
		var angles [2][]float32
		for i, cache := range caches {
			angles[i] = make([]float32, n*half)
			for row := range n {
				for j, s := range stream {
					at := positions[s*n+row]
					if at < 0 || at >= int64(len(cache)/half) {
						return fmt.Errorf("position_ids element %d is %d, allowed are 0 to %d", s*n+row, at, len(cache)/half-1)
					}
					angles[i][row*half+j] = cache[int(at)*half+j] * scale
				}
			}
		}
		r.Cos, r.Sin = angles[0], angles[1]
		return r.Run(ctx, pool)
	}), nil
}
