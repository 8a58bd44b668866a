package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/internal/kernel/norm"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var contribGQABindings = []Binding{
	{Domain: microsoft, Op: "GroupQueryAttention", Types: map[string]op.DTypes{"T": onlyFloat32, "T_CACHE": onlyFloat32}, ViaFloat32: true,
		Check: checkGroupQueryAttention, New: newGroupQueryAttention},
}

// Inputs of GroupQueryAttention.
const (
	gqaQuery = iota
	gqaKey
	gqaValue
	gqaPastKey
	gqaPastValue
	gqaLengths
	gqaTotal
	gqaCos
	gqaSin
	gqaPositions
	gqaBias
	gqaSink
	gqaKeyScale
	gqaValueScale
	gqaQueryNorm
	gqaKeyNorm
)

func checkGroupQueryAttention(b *Build) string {
	if b.Bool("sliding_window_cache") {
		return "the CPU kernel of GroupQueryAttention keeps whole caches; export the model with sliding_window_cache 0"
	}
	return ""
}

// groupQueryAttention is attention whose cache is a buffer that is filled as far as
// seqlens_k says, for each batch apart.
type groupQueryAttention struct {
	pool        *parallel.Pool
	attention   *attention.Attention[float32]
	heads, kv   int
	rotary      bool
	interleaved bool
	sink        []float32 // zeros for smooth_softmax, else nil
	epsilon     float64
}

func newGroupQueryAttention(b *Build) (ep.Kernel, error) {
	c := attention.Config{Scale: float64(b.Float("scale")), Softcap: float64(b.Float("softcap")), Causal: b.Bool("causal"), Left: -1, Right: -1}
	if w := b.Int("local_window_size"); w > 0 {
		c.Left = w - 1 // it counts the query's own position
	}
	if b.Int("qk_output") == 1 {
		c.Capture = attention.CaptureBiased
	} else {
		c.Capture = attention.CaptureWeights
	}
	k := &groupQueryAttention{pool: b.Pool, attention: attention.New[float32](c), heads: b.Int("num_heads"), kv: b.Int("kv_num_heads"),
		rotary: b.Bool("do_rotary"), interleaved: b.Bool("rotary_interleaved"), epsilon: float64(b.Float("qk_norm_epsilon"))}
	if b.Bool("smooth_softmax") {
		k.sink = make([]float32, k.heads)
	}
	return k, nil
}

// gqaCall is one run: the sizes, and of each batch how many keys there are in all and
// where the first of the new ones stands.
type gqaCall struct {
	batch, rows, size int
	total, present    int // rows that the longest sequence has, and that the cache has
	lengths, first    []int64
	query, key, value attention.Heads[float32]
}

// packed is the number of heads of a row of query.
func (k *groupQueryAttention) packed(hasKey bool) int {
	if hasKey {
		return k.heads
	}
	return k.heads + 2*k.kv
}

// Scratch implements ep.Scratcher: copies of query and key that are normalised and turned.
func (k *groupQueryAttention) Scratch(in []tensor.Shape) int {
	if len(in[gqaQuery]) != 3 || !k.rotary && (len(in) <= gqaQueryNorm || in[gqaQueryNorm] == nil) {
		return 0
	}
	q := in[gqaQuery]
	return 4 * q[0] * q[1] * q[2] / k.packed(in[gqaKey] != nil) * (k.heads + k.kv)
}

// Run implements ep.Kernel.
func (k *groupQueryAttention) Run(ctx context.Context, inv *ep.Invocation) error {
	g := &gqaCall{}
	if err := k.sizes(inv, g); err != nil {
		return err
	}
	if err := k.operands(ctx, inv, g); err != nil {
		return err
	}
	keys, err := k.cache(ctx, inv, g, 1, gqaPastKey, g.key)
	if err != nil {
		return err
	}
	values, err := k.cache(ctx, inv, g, 2, gqaPastValue, g.value)
	if err != nil {
		return err
	}
	c := attention.Call[float32]{Batch: g.batch, QHeads: k.heads, KVHeads: k.kv, Q: g.rows, Total: g.total, Size: g.size, VSize: g.size,
		Query: g.query, Key: keys, Value: values, Valid: g.lengths, First: g.first}
	out, err := inv.NewOut(0, tensor.Float32, g.batch, g.rows, k.heads*g.size)
	if err != nil {
		return err
	}
	c.Y, _, _, _ = headsOf[float32](out, k.heads)
	if bias := inv.In(gqaBias); bias != nil {
		if c.Mask, err = attention.NewMask[float32](bias.Shape(), g.batch, k.heads, g.rows, g.total); err != nil {
			return fmt.Errorf("attention_bias: %w", err)
		}
		c.Mask.Float = tensor.Elements[float32](bias)
	}
	if c.Sink = k.sink; inv.In(gqaSink) != nil {
		c.Sink = tensor.Elements[float32](inv.In(gqaSink))
	}
	if inv.Wants(3) {
		t, err := inv.NewOut(3, tensor.Float32, g.batch, k.heads, g.rows, g.total)
		if err != nil {
			return err
		}
		c.Scores = tensor.Elements[float32](t)
	}
	if err := k.attention.Run(ctx, k.pool, &c); err != nil {
		return err
	}
	for i, v := range c.Scores { // before softmax; ONNX Runtime has 0 where a key is hidden
		if v == float32(math.Inf(-1)) {
			c.Scores[i] = 0
		}
	}
	return nil
}

// sizes reads the shapes and lengths. The first prompt is as long as the longest
// sequence, shorter ones are padded behind; later rows follow what is cached.
func (k *groupQueryAttention) sizes(inv *ep.Invocation, g *gqaCall) error {
	q := inv.In(gqaQuery).Shape()
	n := k.packed(inv.In(gqaKey) != nil)
	if len(q) != 3 || q[2]%n != 0 {
		return fmt.Errorf("input 0 (query) has shape %v, must have rows of %d heads", q, n)
	}
	g.batch, g.rows, g.size = q[0], q[1], q[2]/n
	g.total = int(tensor.Elements[int32](inv.In(gqaTotal))[0])
	past := 0
	if t := inv.In(gqaPastKey); t != nil {
		past = t.Shape()[2]
	}
	if g.total < 1 || g.total > 1<<30 {
		return fmt.Errorf("input 6 (total_sequence_length) is %d, must be in [1, %d]", g.total, 1<<30)
	}
	g.present = max(past, g.total)
	last := tensor.Elements[int32](inv.In(gqaLengths))
	if len(last) != g.batch {
		return fmt.Errorf("input 5 (seqlens_k) has %d elements, must have one for each of the %d batches", len(last), g.batch)
	}
	g.lengths, g.first = make([]int64, g.batch), make([]int64, g.batch)
	for b, v := range last {
		n := int64(v) + 1
		if n < 1 || n > int64(g.total) {
			return fmt.Errorf("input 5 (seqlens_k) element %d is %d, must be in [0, %d]", b, v, g.total-1)
		}
		g.lengths[b] = n
		if g.rows == g.total {
			continue
		}
		g.first[b] = n - int64(g.rows)
		if g.first[b] < 0 || g.first[b] > int64(past) {
			return fmt.Errorf("input 5 (seqlens_k) element %d is %d: %d new rows follow %d, of which the cache has %d", b, v, g.rows, g.first[b], past)
		}
	}
	return nil
}

// operands views query, key and value, the first two normalised and turned.
func (k *groupQueryAttention) operands(ctx context.Context, inv *ep.Invocation, g *gqaCall) error {
	q := inv.In(gqaQuery)
	if key := inv.In(gqaKey); key != nil {
		g.query, _, _, _ = headsOf[float32](q, k.heads)
		g.key, _, _, _ = headsOf[float32](key, k.kv)
		g.value, _, _, _ = headsOf[float32](inv.In(gqaValue), k.kv)
	} else {
		all, _, _, _ := headsOf[float32](q, k.packed(false))
		g.query, g.key, g.value = all, all, all
		g.key.Data = all.Data[min(len(all.Data), k.heads*g.size):]
		g.value.Data = all.Data[min(len(all.Data), (k.heads+k.kv)*g.size):]
	}
	weights := inv.In(gqaQueryNorm)
	if !k.rotary && weights == nil {
		return nil
	}
	memory, err := tensor.FromBytes(tensor.Float32, inv.ScratchBytes(), g.batch*g.rows*g.size*(k.heads+k.kv))
	if err != nil {
		return err
	}
	scratch := tensor.Elements[float32](memory)
	split := g.batch * g.rows * g.size * k.heads
	if g.query, err = k.prepare(ctx, inv, g, g.query, k.heads, gqaQueryNorm, scratch[:split]); err != nil {
		return err
	}
	g.key, err = k.prepare(ctx, inv, g, g.key, k.kv, gqaKeyNorm, scratch[split:])
	return err
}

// prepare copies the rows of some heads, divides each by its root mean square where
// there is a weight for that, and turns it by its position.
func (k *groupQueryAttention) prepare(ctx context.Context, inv *ep.Invocation, g *gqaCall, from attention.Heads[float32], heads, weight int, to []float32) (attention.Heads[float32], error) {
	width := heads * g.size
	h := attention.Heads[float32]{Data: to, Batch: g.rows * width, Head: g.size, Row: width}
	for b := range g.batch {
		for r := range g.rows {
			copy(to[b*h.Batch+r*width:][:width], from.Data[b*from.Batch+r*from.Row:])
		}
	}
	if w := inv.In(weight); w != nil {
		if err := norm.RMS(ctx, k.pool, g.size, k.epsilon, to, tensor.Elements[float32](w), to, nil); err != nil {
			return h, err
		}
	}
	if !k.rotary {
		return h, nil
	}
	cos, sin := inv.In(gqaCos), inv.In(gqaSin)
	r := attention.Rotary[float32]{Batch: g.batch, Heads: heads, Rows: g.rows, Size: g.size, Rotate: 2 * cos.Shape()[len(cos.Shape())-1], Interleaved: k.interleaved,
		X: h, Y: h, Cos: tensor.Elements[float32](cos), Sin: tensor.Elements[float32](sin)}
	if r.Rotate > g.size || !cos.Shape().Equal(sin.Shape()) {
		return h, fmt.Errorf("cos_cache has shape %v and sin_cache %v; they must agree, and their rows be at most half of a head's %d elements", cos.Shape(), sin.Shape(), g.size)
	}
	r.Positions = g.positions(inv.In(gqaPositions))
	return h, r.Run(ctx, k.pool)
}

// positions are those given, but that of a first prompt's only the first counts: the
// others follow it, in each batch alike. With none given they are the places among the
// keys.
func (g *gqaCall) positions(given *tensor.Tensor) []int64 {
	prompt := g.rows == g.total
	if given != nil && !prompt {
		return tensor.Elements[int64](given)
	}
	out := make([]int64, g.batch*g.rows)
	for i := range out {
		b, row := i/g.rows, int64(i%g.rows)
		switch at := g.first[b] + row; {
		case given != nil:
			out[i] = tensor.Elements[int64](given)[0] + row
		case at < g.lengths[b]: // else it is padding
			out[i] = at
		}
	}
	return out
}

// cache writes the present keys or values: of each batch what was there before the new
// rows, these, and zeros.
func (k *groupQueryAttention) cache(ctx context.Context, inv *ep.Invocation, g *gqaCall, out, past int, add attention.Heads[float32]) (attention.Heads[float32], error) {
	var to []float32
	if inv.Wants(out) {
		t, err := inv.NewOut(out, tensor.Float32, g.batch, k.kv, g.present, g.size)
		if err != nil {
			return add, err
		}
		to = tensor.Elements[float32](t)
	} else {
		to = make([]float32, g.batch*k.kv*g.present*g.size)
	}
	var old []float32
	rows := 0
	if t := inv.In(past); t != nil {
		old, rows = tensor.Elements[float32](t), t.Shape()[2]
	}
	h := attention.Heads[float32]{Data: to, Batch: k.kv * g.present * g.size, Head: g.present * g.size, Row: g.size}
	return h, attention.Place(ctx, k.pool, g.batch, k.kv, g.size, rows, g.present, g.first, old, add, g.rows, to)
}
