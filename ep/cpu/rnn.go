package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/rnn"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var rnnBindings = []Binding{
	{Op: "RNN", Types: map[string]op.DTypes{"T": rnnTypes(rnn.RNN).Types()}, ViaFloat32: true, New: rnnTypes(rnn.RNN).Input(0)},
	{Op: "GRU", Types: map[string]op.DTypes{"T": rnnTypes(rnn.GRU).Types()}, ViaFloat32: true, New: rnnTypes(rnn.GRU).Input(0)},
	{Op: "LSTM", Types: map[string]op.DTypes{"T": rnnTypes(rnn.LSTM).Types()}, ViaFloat32: true, New: rnnTypes(rnn.LSTM).Input(0)},
}

func rnnTypes(kind rnn.Kind) ByType {
	return ByType{
		tensor.Float32: func(b *Build) (ep.Kernel, error) { return newRecurrent[float32](b, kind) },
		tensor.Float64: func(b *Build) (ep.Kernel, error) { return newRecurrent[float64](b, kind) },
	}
}

// defaultActivations are f, g and h of a direction.
var defaultActivations = map[rnn.Kind][]string{
	rnn.RNN:  {"Tanh"},
	rnn.GRU:  {"Sigmoid", "Tanh"},
	rnn.LSTM: {"Sigmoid", "Tanh", "Tanh"},
}

// Inputs of the recurrent operators.
const (
	rnnX = iota
	rnnW
	rnnR
	rnnB
	rnnLens
	rnnH0
	rnnC0
	rnnP
)

// recurrent is RNN, GRU and LSTM for one element type.
type recurrent[T rnn.Float] struct {
	layer    rnn.Layer[T]
	pool     *parallel.Pool
	hiddenAt int // the dimension of R that is the size of the state
	hidden   int
	w        []*rnn.Weight[T]   // packed, for each direction; nil when W is not constant
	r        [][]*rnn.Weight[T] // the same for R
}

func newRecurrent[T rnn.Float](b *Build, kind rnn.Kind) (ep.Kernel, error) {
	k := &recurrent[T]{}
	return k, k.read(b, kind)
}

// read takes over a node's attributes.
func (k *recurrent[T]) read(b *Build, kind rnn.Kind) error {
	*k = recurrent[T]{pool: b.Pool, hiddenAt: 2, layer: rnn.Layer[T]{
		Kind: kind, Clip: T(b.Float("clip")), BatchFirst: b.Int("layout") == 1,
		InputForget: b.Bool("input_forget"), LinearBeforeReset: b.Bool("linear_before_reset"),
	}}
	switch b.String("direction") {
	case "reverse":
		k.layer.Reverse = []bool{true}
	case "bidirectional":
		k.layer.Reverse = []bool{false, true}
	default:
		k.layer.Reverse = []bool{false}
	}
	var err error
	k.layer.Activations, err = recurrentActivations[T](b, kind, len(k.layer.Reverse))
	return err
}

// recurrentActivations reads the activation functions. Alphas and betas go to the
// functions that take them, in their order.
func recurrentActivations[T rnn.Float](b *Build, kind rnn.Kind, directions int) ([][]rnn.Activation[T], error) {
	n := kind.Activations()
	names := b.Strings("activations")
	if !b.Has("activations") {
		names = nil
		for range directions {
			names = append(names, defaultActivations[kind]...)
		}
	}
	if len(names) != n*directions {
		return nil, b.AttrErrorf("activations", "names %d functions %q, must name %d for each of %d direction(s)", len(names), names, n, directions)
	}
	alphas, betas := b.Floats("activation_alpha"), b.Floats("activation_beta")
	next := func(list *[]float32, wanted bool) *float32 {
		if !wanted || len(*list) == 0 {
			return nil
		}
		v := (*list)[0]
		*list = (*list)[1:]
		return &v
	}
	out := make([][]rnn.Activation[T], directions)
	for i, name := range names {
		args, ok := rnn.ActivationArgs(name)
		if !ok {
			return nil, b.AttrErrorf("activations", "names %q; known are Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, HardSigmoid, Elu, Softsign, Softplus", name)
		}
		alpha := next(&alphas, args >= 1)
		beta := next(&betas, args >= 2)
		out[i/n] = append(out[i/n], rnn.NewActivation[T](name, alpha, beta))
	}
	return out, nil
}

// Prepack implements ep.Prepacker.
func (k *recurrent[T]) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	if len(consts) <= rnnR {
		return done, nil
	}
	if w := consts[rnnW]; w != nil && w.Rank() == 3 {
		k.w = k.weightsW(w.Contiguous())
		done[rnnW] = true
		for _, w := range k.w {
			done[rnnW] = w.Pack() && done[rnnW]
		}
	}
	if r := consts[rnnR]; r != nil && r.Rank() == 3 {
		k.r = k.weightsR(r.Contiguous())
		done[rnnR] = true
		for _, list := range k.r {
			for _, r := range list {
				done[rnnR] = r.Pack() && done[rnnR]
			}
		}
		k.hidden = r.Shape()[2]
	}
	return done, nil
}

func (k *recurrent[T]) weightsW(w *tensor.Tensor) []*rnn.Weight[T] {
	s := w.Shape()
	out := make([]*rnn.Weight[T], s[0])
	for d := range out {
		out[d] = rnn.NewWeight(tensor.Elements[T](w)[d*s[1]*s[2]:(d+1)*s[1]*s[2]], s[1], s[2])
	}
	return out
}

func (k *recurrent[T]) weightsR(r *tensor.Tensor) [][]*rnn.Weight[T] {
	s := r.Shape()
	out := make([][]*rnn.Weight[T], s[0])
	for d := range out {
		out[d] = k.layer.SplitR(tensor.Elements[T](r)[d*s[1]*s[2]:(d+1)*s[1]*s[2]], s[2])
	}
	return out
}

// sizes reads the dimensions that matter from the shapes of X and R.
func (k *recurrent[T]) sizes(x, r tensor.Shape) (steps, batch, hidden int) {
	steps, batch, hidden = x[0], x[1], k.hidden
	if k.layer.BatchFirst {
		steps, batch = batch, steps
	}
	if len(r) == 3 {
		hidden = r[k.hiddenAt]
	}
	return steps, batch, hidden
}

// Scratch implements ep.Scratcher.
func (k *recurrent[T]) Scratch(in []tensor.Shape) int {
	if len(in[rnnX]) != 3 {
		return 0
	}
	return k.layer.ScratchSize(k.sizes(in[rnnX], in[rnnR])) * tensor.DTypeOf[T]().Bits() / 8
}

// Run implements ep.Kernel.
func (k *recurrent[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	c := k.call(inv)
	w, r := k.w, k.r
	// Weights that come anew with every call are packed when that pays.
	if w == nil {
		w = k.weightsW(inv.In(rnnW))
	}
	if r == nil {
		r = k.weightsR(inv.In(rnnR))
		for _, list := range r {
			for _, m := range list {
				if c.Steps > 2 && c.Batch > 1 {
					m.Pack()
				}
			}
		}
	}
	return k.run(ctx, inv, c, w, r)
}

// call describes the sizes of an invocation.
func (k *recurrent[T]) call(inv *ep.Invocation) *rnn.Call[T] {
	x := inv.In(rnnX)
	var rShape tensor.Shape
	if r := inv.In(rnnR); r != nil {
		rShape = r.Shape()
	}
	c := &rnn.Call[T]{Input: x.Shape()[2], X: tensor.Elements[T](x)}
	c.Steps, c.Batch, c.Hidden = k.sizes(x.Shape(), rShape)
	return c
}

// run computes the layer with these matrices.
func (k *recurrent[T]) run(ctx context.Context, inv *ep.Invocation, c *rnn.Call[T], w []*rnn.Weight[T], r [][]*rnn.Weight[T]) error {
	optional := func(i int) []T {
		if t := inv.In(i); t != nil {
			return tensor.Elements[T](t)
		}
		return nil
	}
	gates := k.layer.Kind.Gates() * c.Hidden
	bias, peepholes := optional(rnnB), optional(rnnP)
	c.Directions = make([]rnn.Direction[T], len(k.layer.Reverse))
	for d := range c.Directions {
		c.Directions[d] = rnn.Direction[T]{W: w[d], R: r[d]}
		if bias != nil {
			c.Directions[d].B = bias[d*2*gates : (d+1)*2*gates]
		}
		if peepholes != nil {
			c.Directions[d].P = peepholes[d*3*c.Hidden : (d+1)*3*c.Hidden]
		}
	}
	c.H0, c.C0 = optional(rnnH0), optional(rnnC0)
	if t := inv.In(rnnLens); t != nil {
		c.Lens = tensor.Elements[int32](t)
	}
	for i, to := range []*[]T{&c.Y, &c.YH, &c.YC} {
		if t := inv.Out(i); t != nil {
			*to = tensor.Elements[T](t)
		}
	}
	need := k.layer.ScratchSize(c.Steps, c.Batch, c.Hidden) * tensor.DTypeOf[T]().Bits() / 8
	memory := inv.ScratchBytes()
	if len(memory) < need {
		return fmt.Errorf("%d bytes of working memory given, %d needed", len(memory), need)
	}
	scratch, err := tensor.FromBytes(tensor.DTypeOf[T](), memory[:need], need*8/tensor.DTypeOf[T]().Bits())
	if err != nil {
		return err
	}
	c.Scratch = tensor.Elements[T](scratch)
	return k.layer.Run(ctx, k.pool, c)
}
