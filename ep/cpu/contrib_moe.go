package cpu

import (
	"context"
	"math"

	"gort/ep"
	"gort/internal/kernel/blockquant"
	"gort/internal/kernel/moe"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var contribMoEBindings = []Binding{
	{Domain: microsoft, Op: "MoE", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, Check: checkMoE, New: newMoE},
	{Domain: microsoft, Op: "QMoE", Types: map[string]op.DTypes{"T": onlyFloat32, "T2": onlyFloat32}, ViaFloat32: true, Check: checkMoE, New: newQMoE},
}

func checkMoE(b *Build) string {
	if b.Bool("use_sparse_mixer") {
		return "the CPU kernel does not route by a sparse mixer; export the model with use_sparse_mixer = 0"
	}
	return ""
}

// newExperts makes what follows from attributes. wide tells that the first layer has
// both operands of the activation.
func newExperts(b *Build) (e moe.Experts, wide bool) {
	e.K, e.Normalize = b.Int("k"), b.Bool("normalize_routing_weights")
	name := b.String("activation_type")
	if name != "swiglu" {
		e.Activation = moe.NewActivation(name)
		return e, false
	}
	s := moe.SwiGLU{Alpha: b.Float("activation_alpha"), Beta: b.Float("activation_beta"), Limit: float32(math.Inf(1))}
	if b.Has("swiglu_limit") {
		s.Limit = b.Float("swiglu_limit")
	}
	layout := b.Int("swiglu_fusion") // the numbers are those of moe's layouts
	e.Activation = s.Activation(layout)
	return e, layout != moe.Apart
}

// newMoE computes as ONNX Runtime does for float32. Its CPU kernel lacks fc3 and the
// other layouts of swiglu, which follow its documentation.
func newMoE(b *Build) (ep.Kernel, error) {
	made, wide := newExperts(b)
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		e := made
		s := inv.In(0).Shape()
		e.Hidden, e.Experts = s[len(s)-1], inv.In(1).Shape()[1]
		e.Inner = inv.In(4).Size() / max(e.Hidden*e.Experts, 1)
		layer := func(weights, bias, in, out int) *moe.Dense {
			return &moe.Dense{In: in, Out: out, Weights: tensor.Elements[float32](inv.In(weights)), Bias: elementsOr[float32](inv, bias)}
		}
		first := e.Inner
		if wide {
			first *= 2
		}
		e.First, e.Second = layer(2, 3, e.Hidden, first), layer(4, 5, e.Inner, e.Hidden)
		if inv.In(6) != nil {
			e.Third = layer(6, 7, e.Hidden, e.Inner)
		}
		return e.Run(ctx, b.Pool, tensor.Elements[float32](inv.In(0)), tensor.Elements[float32](inv.In(1)), nil, tensor.Elements[float32](inv.Out(0)))
	}), nil
}

// qmoe is QMoE, in float32 whatever accuracy_level allows. As ONNX Runtime has it, the
// weights of experts are the softmax over the picked experts' logits whether or not
// they are to be normalized, and of given ones those up to 1e-8 count as none.
type qmoe struct {
	pool        *parallel.Pool
	experts     moe.Experts
	bits, block int
	given       [3]bool // layers
	zeros       [3]bool // layers with zero points
	ready       [3]*quantizedLayer
}

type quantizedLayer struct {
	panels  []*blockquant.Panels
	in, out int
}

// qmoeLayers has the inputs of each layer: weights, scales, bias and zero points.
var qmoeLayers = [3]struct{ weights, scales, bias, zeros int }{{2, 3, 4, 11}, {5, 6, 7, 12}, {8, 9, 10, 13}}

func newQMoE(b *Build) (ep.Kernel, error) {
	k := &qmoe{pool: b.Pool, bits: b.Int("expert_weight_bits"), block: b.Int("block_size")}
	k.experts, _ = newExperts(b)
	k.experts.AmongPicked, k.experts.Least = true, 1e-8
	for i, l := range qmoeLayers {
		k.given[i], k.zeros[i] = b.HasInput(l.weights), b.HasInput(l.zeros)
	}
	return k, nil
}

// layer makes the panels of a layer. The sizes are those of the scales, which are
// [experts, out] or [experts, out, blocks].
func (k *qmoe) layer(ctx context.Context, weights, scales, zeros *tensor.Tensor) (*quantizedLayer, error) {
	experts, out := scales.Shape()[0], scales.Shape()[1]
	l := &quantizedLayer{out: out}
	if experts*out == 0 {
		return l, nil
	}
	l.in = weights.Size() * (8 / k.bits) / (experts * out)
	w := blockquant.Weights{N: out, K: l.in, Bits: k.bits, Block: k.block, RowBytes: l.in * k.bits / 8}
	if k.block == 0 {
		w.Block = max(l.in, 1)
	}
	packed, all := tensor.Elements[uint8](weights), tensor.Elements[float32](scales)
	for e := range experts {
		w.Packed = packed[e*out*w.RowBytes:][:out*w.RowBytes]
		w.Scales = all[e*out*w.Blocks():][:out*w.Blocks()]
		if zeros != nil {
			n := zeros.Size() / experts
			z := tensor.Elements[uint8](zeros)[e*n:][:n]
			if k.block == 0 {
				w.Zeros = unpackCodes(z, k.bits, out)
			} else {
				w.PackedZeros = z
			}
		}
		p, err := blockquant.NewPanels(ctx, k.pool, &w)
		if err != nil {
			return nil, err
		}
		l.panels = append(l.panels, p)
	}
	return l, nil
}

// unpackCodes returns the first n of packed unsigned integers.
func unpackCodes(packed []uint8, bits, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(packed[i*bits/8] >> (i * bits % 8) & uint8(1<<bits-1))
	}
	return out
}

// Prepack implements ep.Prepacker.
func (k *qmoe) Prepack(ctx context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	at := func(i int) *tensor.Tensor {
		if i < len(consts) && consts[i] != nil {
			return consts[i].Contiguous()
		}
		return nil
	}
	for i, l := range qmoeLayers {
		if !k.given[i] || at(l.weights) == nil || at(l.scales) == nil || k.zeros[i] && at(l.zeros) == nil {
			continue
		}
		var err error
		if k.ready[i], err = k.layer(ctx, at(l.weights), at(l.scales), at(l.zeros)); err != nil {
			return done, err
		}
		done[l.weights], done[l.scales] = true, true
		if k.zeros[i] {
			done[l.zeros] = true
		}
	}
	return done, nil
}

// Run implements ep.Kernel.
func (k *qmoe) Run(ctx context.Context, inv *ep.Invocation) error {
	e := k.experts
	var made [3]moe.Layer
	for i, l := range qmoeLayers {
		if !k.given[i] {
			continue
		}
		q := k.ready[i]
		if q == nil {
			var err error
			if q, err = k.layer(ctx, inv.In(l.weights), inv.In(l.scales), inv.In(l.zeros)); err != nil {
				return err
			}
		}
		if i == 1 {
			e.Hidden, e.Inner = q.out, q.in
		}
		made[i] = &moe.Quantized{Out: q.out, Panels: q.panels, Bias: elementsOr[float32](inv, l.bias)}
	}
	e.Experts = inv.In(1).Shape()[1]
	e.First, e.Second, e.Third = made[0], made[1], made[2]
	return e.Run(ctx, k.pool, tensor.Elements[float32](inv.In(0)), tensor.Elements[float32](inv.In(1)), elementsOr[float32](inv, 14), tensor.Elements[float32](inv.Out(0)))
}
