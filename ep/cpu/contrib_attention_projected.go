package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/internal/kernel/gemm"
	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var contribProjectedAttentionBindings = []Binding{
	{Domain: microsoft, Op: "Attention", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, Check: checkProjectedAttention, New: newContribAttention},
	{Domain: microsoft, Op: "QAttention", Types: map[string]op.DTypes{"T3": onlyFloat32}, ViaFloat32: true, Check: checkProjectedAttention, New: newQAttention},
}

func checkProjectedAttention(b *Build) string {
	switch {
	case b.Bool("do_rotary"):
		return "the CPU kernel of " + b.Def.Name + " turns no query and key; use RotaryEmbedding and MultiHeadAttention for do_rotary"
	case b.Bool("past_present_share_buffer"), b.Def.Name == "Attention" && b.HasInput(6):
		return "the CPU kernel of " + b.Def.Name + " makes a new cache in each run; export the model without past_present_share_buffer and past_sequence_length"
	}
	return ""
}

// projectedAttention is attention whose query, key and value are one product of the
// input, with weights that are made ready once where they are constant.
type projectedAttention struct {
	maskedAttention
	past    int   // the input
	parts   []int // the inputs that the weights are made from
	hidden  []int // columns for query, key and value; nil: a third each
	weights func(in func(i int) *tensor.Tensor) (*projection, error)
	input   func(in func(i int) *tensor.Tensor, to []float32) []float32 // float32 elements of the input
	widen   bool                                                        // input needs memory
	ready   *projection
}

// projection is a matrix of in rows and out columns.
type projection struct {
	packed  *gemm.PackedB
	in, out int
}

func newContribAttention(b *Build) (ep.Kernel, error) {
	k := &projectedAttention{maskedAttention: newMaskedAttention(b, 3, 5), past: 4, parts: []int{1}}
	k.hidden = b.IntsAsInt("qkv_hidden_sizes")
	k.weights = func(in func(i int) *tensor.Tensor) (*projection, error) {
		s := in(1).Shape()
		return &projection{gemm.PackB(false, s[0], s[1], tensor.Elements[float32](in(1)), s[1]), s[0], s[1]}, nil
	}
	k.input = func(in func(i int) *tensor.Tensor, _ []float32) []float32 { return tensor.Elements[float32](in(0)) }
	return k, nil
}

// newQAttention computes with the numbers that the quantized elements stand for.
func newQAttention(b *Build) (ep.Kernel, error) {
	k := &projectedAttention{maskedAttention: newMaskedAttention(b, 5, noInput), past: 8, parts: []int{1, 4}, widen: true}
	hasZero := b.HasInput(7)
	if hasZero {
		k.parts = append(k.parts, 7)
	}
	k.weights = func(in func(i int) *tensor.Tensor) (*projection, error) {
		s := in(1).Shape()
		scales := tensor.Elements[float32](in(4))
		zeros := []float32{0}
		if hasZero {
			zeros = bytesAsNumbers(in(7), nil)
		}
		for _, n := range []int{len(scales), len(zeros)} {
			if n != 1 && n != s[1] {
				return nil, fmt.Errorf("the weights %v have %d scales and %d zero points, must have 1 or %d", s, len(scales), len(zeros), s[1])
			}
		}
		data := bytesAsNumbers(in(1), nil)
		for i := range data {
			data[i] = (data[i] - zeros[i%s[1]%len(zeros)]) * scales[i%s[1]%len(scales)]
		}
		return &projection{gemm.PackB(false, s[0], s[1], data, s[1]), s[0], s[1]}, nil
	}
	k.input = func(in func(i int) *tensor.Tensor, to []float32) []float32 {
		scale, zero := tensor.Elements[float32](in(3))[0], float32(0)
		if z := in(6); z != nil {
			zero = bytesAsNumbers(z, nil)[0]
		}
		to = bytesAsNumbers(in(0), to)
		for i, v := range to {
			to[i] = (v - zero) * scale
		}
		return to
	}
	return k, nil
}

// bytesAsNumbers returns the elements of an 8-bit tensor as float32, in to if it is as long.
func bytesAsNumbers(t *tensor.Tensor, to []float32) []float32 {
	if len(to) != t.Size() {
		to = make([]float32, t.Size())
	}
	if t.DType() == tensor.Int8 {
		for i, v := range tensor.Elements[int8](t) {
			to[i] = float32(v)
		}
		return to
	}
	for i, v := range tensor.Elements[uint8](t) {
		to[i] = float32(v)
	}
	return to
}

// Prepack implements ep.Prepacker.
func (k *projectedAttention) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	for _, i := range k.parts {
		if i >= len(consts) || consts[i] == nil {
			return done, nil
		}
	}
	ready, err := k.weights(func(i int) *tensor.Tensor { return consts[i].Contiguous() })
	if err != nil {
		return done, err
	}
	k.ready = ready
	for _, i := range k.parts {
		done[i] = true
	}
	return done, nil
}

// Scratch implements ep.Scratcher: query, key and value, and the input as numbers.
func (k *projectedAttention) Scratch(in []tensor.Shape) int {
	x, columns := in[0], 0
	if k.ready != nil {
		columns = k.ready.out
	} else if len(in[1]) == 2 {
		columns = in[1][1]
	}
	if len(x) != 3 {
		return 0
	}
	if k.widen {
		columns += x[2]
	}
	return 4 * x[0] * x[1] * columns
}

// Run implements ep.Kernel.
func (k *projectedAttention) Run(ctx context.Context, inv *ep.Invocation) error {
	w := k.ready
	if w == nil {
		var err error
		if w, err = k.weights(inv.In); err != nil {
			return err
		}
	}
	x := inv.In(0).Shape()
	rows := x[0] * x[1]
	need := rows * w.out
	if k.widen {
		need += rows * w.in
	}
	memory, err := tensor.FromBytes(tensor.Float32, inv.ScratchBytes(), need)
	if err != nil {
		return err
	}
	scratch := tensor.Elements[float32](memory)
	all := scratch[:rows*w.out]
	if err := project(ctx, k.pool, k.input(inv.In, scratch[rows*w.out:]), w, inv.In(2), all); err != nil {
		return err
	}
	hidden := k.hidden
	if hidden == nil {
		hidden = []int{w.out / 3, w.out / 3, w.out / 3}
	}
	c := attention.Call[float32]{Batch: x[0], QHeads: k.heads, KVHeads: k.heads, Q: x[1], Size: hidden[0] / k.heads, VSize: hidden[2] / k.heads}
	part := func(from, size int) attention.Heads[float32] {
		return attention.Heads[float32]{Data: all[min(from, len(all)):], Batch: x[1] * w.out, Head: size, Row: w.out}
	}
	c.Query, c.Key, c.Value = part(0, c.Size), part(hidden[0], c.Size), part(hidden[0]+hidden[1], c.VSize)
	out, err := inv.NewOut(0, tensor.Float32, x[0], x[1], hidden[2])
	if err != nil {
		return err
	}
	c.Y, _, _, _ = headsOf[float32](out, k.heads)
	if err := k.cache(ctx, inv, &c, x[1]); err != nil {
		return err
	}
	if c.Mask, err = k.mask(inv, &c); err != nil {
		return err
	}
	return k.attention.Run(ctx, k.pool, &c)
}

// project multiplies the rows by the weights and adds the bias.
func project(ctx context.Context, pool *parallel.Pool, x []float32, w *projection, bias *tensor.Tensor, y []float32) error {
	if err := matmul.RunPacked(ctx, pool, x, w.in, w.packed, w.out, y); err != nil || bias == nil {
		return err
	}
	add := tensor.Elements[float32](bias)
	for at := 0; at < len(y); at += w.out {
		for i, b := range add {
			y[at+i] += b
		}
	}
	return nil
}

// cache joins the cached keys and values, which one tensor holds, and the new rows.
func (k *projectedAttention) cache(ctx context.Context, inv *ep.Invocation, c *attention.Call[float32], rows int) error {
	past := inv.In(k.past)
	if past != nil {
		c.Past = past.Shape()[3]
	}
	c.Total = c.Past + rows
	if past == nil && !inv.Wants(1) {
		return nil
	}
	half := c.Batch * k.heads * c.Total * c.Size
	var data []float32
	if inv.Wants(1) {
		t, err := inv.NewOut(1, tensor.Float32, 2, c.Batch, k.heads, c.Total, c.Size)
		if err != nil {
			return err
		}
		data = tensor.Elements[float32](t)
	} else {
		data = make([]float32, 2*half)
	}
	var old []float32
	if past != nil {
		old = tensor.Elements[float32](past)
	}
	for i, add := range []*attention.Heads[float32]{&c.Key, &c.Value} {
		to := data[i*half : (i+1)*half]
		if err := attention.Append(ctx, k.pool, c.Batch, k.heads, c.Past, rows, c.Size, old[i*len(old)/2:], *add, to); err != nil {
			return err
		}
		*add = attention.Heads[float32]{Data: to, Batch: k.heads * c.Total * c.Size, Head: c.Total * c.Size, Row: c.Size}
	}
	return nil
}
