package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var attentionBindings = []Binding{
	{Op: "Attention", Types: map[string]op.DTypes{"T1": attentionTypes.Types(), "T2": attentionTypes.Types()}, ViaFloat32: true, OneWidth: true, New: attentionTypes.Input(0)},
	{Domain: "ai.onnx.preview", Op: "FlexAttention", Types: map[string]op.DTypes{"T1": flexTypes.Types()}, ViaFloat32: true, New: flexTypes.Input(0)},
	{Op: "RotaryEmbedding", Types: map[string]op.DTypes{"T": op.SetOf(tensor.Float32)}, ViaFloat32: true, New: newRotary},
	{Op: "LinearAttention", Types: map[string]op.DTypes{"T": op.SetOf(tensor.Float32), "S": op.SetOf(tensor.Float32)}, ViaFloat32: true, New: newLinearAttention},
}

var attentionTypes = ByType{
	tensor.Float32: newAttention[float32],
	tensor.Float64: newAttention[float64],
}

// Inputs of Attention.
const (
	attQ = iota
	attK
	attV
	attMask
	attPastK
	attPastV
	attValid
)

type attentionKernel[T attention.Float] struct {
	pool            *parallel.Pool
	attention       *attention.Attention[T]
	qHeads, kvHeads int // of operands with three dimensions
}

func newAttention[T attention.Float](b *Build) (ep.Kernel, error) {
	c := attention.Config{
		Scale: float64(b.Float("scale")), Softcap: float64(b.Float("softcap")), Causal: b.Bool("is_causal"),
		Left: -1, Right: -1, Capture: attention.Capture(b.Int("qk_matmul_output_mode")),
	}
	if b.Def.Signature().Attr("left_window_size") != nil {
		c.Left, c.Right = b.Int("left_window_size"), b.Int("right_window_size")
	}
	return &attentionKernel[T]{b.Pool, attention.New[T](c), b.Int("q_num_heads"), b.Int("kv_num_heads")}, nil
}

// headsOf views an operand as [batch, heads, rows, size]; n is the number of
// heads when it is packed into the last of three dimensions.
func headsOf[T attention.Float](t *tensor.Tensor, n int) (h attention.Heads[T], heads, rows, size int) {
	s := t.Shape()
	h.Data = tensor.Elements[T](t)
	if len(s) == 4 {
		heads, rows, size = s[1], s[2], s[3]
		h.Batch, h.Head, h.Row = heads*rows*size, rows*size, size
		return h, heads, rows, size
	}
	heads, rows, size = n, s[1], s[2]/n
	h.Batch, h.Head, h.Row = rows*s[2], size, s[2]
	return h, heads, rows, size
}

// Run implements ep.Kernel.
func (k *attentionKernel[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	c := attention.Call[T]{Batch: inv.In(attQ).Shape()[0]}
	var rows int
	c.Query, c.QHeads, c.Q, c.Size = headsOf[T](inv.In(attQ), k.qHeads)
	c.Key, c.KVHeads, rows, _ = headsOf[T](inv.In(attK), k.kvHeads)
	c.Value, _, _, c.VSize = headsOf[T](inv.In(attV), k.kvHeads)
	c.Y, _, _, _ = headsOf[T](inv.Out(0), k.qHeads)
	if t := inv.In(attPastK); t != nil {
		c.Past = t.Shape()[2]
	}
	c.Total = c.Past + rows
	var err error
	if c.Key, err = k.present(ctx, inv, 1, attPastK, &c, rows, c.Size, c.Key); err != nil {
		return err
	}
	if c.Value, err = k.present(ctx, inv, 2, attPastV, &c, rows, c.VSize, c.Value); err != nil {
		return err
	}
	if t := inv.In(attValid); t != nil {
		c.Valid = tensor.Elements[int64](t)
		for b, n := range c.Valid {
			if n < 0 || n > int64(c.Total) {
				return fmt.Errorf("nonpad_kv_seqlen[%d] is %d, allowed are 0 to %d", b, n, c.Total)
			}
		}
	}
	if t := inv.In(attMask); t != nil {
		if c.Mask, err = attention.NewMask[T](t.Shape(), c.Batch, c.QHeads, c.Q, c.Total); err != nil {
			return err
		}
		if t.DType() == tensor.Bool {
			c.Mask.Bool = tensor.Elements[bool](t)
		} else {
			if own := tensor.DTypeOf[T](); t.DType() != own {
				if t, err = tensor.Convert(t, own, tensor.ConvertOptions{}); err != nil {
					return err
				}
			}
			c.Mask.Float = tensor.Elements[T](t)
		}
	}
	if t := inv.Out(3); t != nil {
		c.Scores = tensor.Elements[T](t)
	}
	return k.attention.Run(ctx, k.pool, &c)
}

// present joins cache and new rows where there is a cache or the joined ones are
// asked for, and returns what attention reads.
func (k *attentionKernel[T]) present(ctx context.Context, inv *ep.Invocation, out, past int, c *attention.Call[T], rows, size int, add attention.Heads[T]) (attention.Heads[T], error) {
	to, cache := inv.Out(out), inv.In(past)
	if to == nil && cache == nil {
		return add, nil
	}
	var data, old []T
	if to != nil {
		data = tensor.Elements[T](to)
	} else {
		data = make([]T, c.Batch*c.KVHeads*c.Total*size)
	}
	if cache != nil {
		old = tensor.Elements[T](cache)
	}
	if err := attention.Append(ctx, k.pool, c.Batch, c.KVHeads, c.Past, rows, size, old, add, data); err != nil {
		return add, err
	}
	return attention.Heads[T]{Data: data, Batch: c.KVHeads * c.Total * size, Head: c.Total * size, Row: size}, nil
}

func newRotary(b *Build) (ep.Kernel, error) {
	pool, interleaved, rotate, heads := b.Pool, b.Bool("interleaved"), b.Int("rotary_embedding_dim"), b.Int("num_heads")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		r := attention.Rotary[float32]{Batch: x.Shape()[0], Rotate: rotate, Interleaved: interleaved}
		r.X, r.Heads, r.Rows, r.Size = headsOf[float32](x, heads)
		r.Y, _, _, _ = headsOf[float32](inv.Out(0), heads)
		r.Cos, r.Sin = tensor.Elements[float32](inv.In(1)), tensor.Elements[float32](inv.In(2))
		if rotate == 0 {
			r.Rotate = r.Size
		}
		if t := inv.In(3); t != nil {
			r.Positions = tensor.Elements[int64](t)
		}
		if len(r.Cos) != len(r.Sin) {
			return fmt.Errorf("cos_cache has shape %v, sin_cache %v; they must agree", inv.In(1).Shape(), inv.In(2).Shape())
		}
		return r.Run(ctx, pool)
	}), nil
}

func newLinearAttention(b *Build) (ep.Kernel, error) {
	pool, scale, q, kv := b.Pool, b.Float("scale"), b.Int("q_num_heads"), b.Int("kv_num_heads")
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		s := inv.In(0).Shape()
		l := attention.Linear{
			Batch: s[0], Rows: s[1], QHeads: q, KVHeads: kv, Size: s[2] / q, VSize: inv.In(2).Shape()[2] / kv, Scale: scale,
			Query: tensor.Elements[float32](inv.In(0)), Key: tensor.Elements[float32](inv.In(1)), Value: tensor.Elements[float32](inv.In(2)),
			Y: tensor.Elements[float32](inv.Out(0)),
		}
		if scale == 0 {
			l.Scale = float32(1 / math.Sqrt(float64(l.Size)))
		}
		if l.State = floatsOf(inv.Out(1)); l.State == nil {
			l.State = make([]float32, l.Batch*kv*l.Size*l.VSize)
		}
		if t := inv.In(3); t != nil {
			copy(l.State, tensor.Elements[float32](t))
		} else {
			clear(l.State)
		}
		if t := inv.In(4); t != nil {
			l.Decay, l.DecaySize = tensor.Elements[float32](t), t.Shape()[2]/kv
		}
		if t := inv.In(5); t != nil {
			l.Beta, l.BetaHeads = tensor.Elements[float32](t), t.Shape()[2]
		}
		return l.Run(ctx, pool)
	}), nil
}
