package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/internal/kernel/random"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var (
	normals      = ByType{tensor.Float32: newNormal[float32], tensor.Float64: newNormal[float64]}
	uniforms     = ByType{tensor.Float32: newUniform[float32], tensor.Float64: newUniform[float64]}
	bernoullis   = ByType{tensor.Float32: newBernoulli[float32], tensor.Float64: newBernoulli[float64]}
	multinomials = ByType{tensor.Float32: newMultinomial[float32], tensor.Float64: newMultinomial[float64]}
)

var (
	drawnTypes  = map[string]op.DTypes{"T": float32And64}
	drawnLike   = map[string]op.DTypes{"T2": float32And64}
	chanceTypes = map[string]op.DTypes{"T1": float32And64}
)

var randomBindings = []Binding{
	{Op: "RandomNormal", Types: drawnTypes, ViaFloat32: true, New: normals.output},
	{Op: "RandomNormalLike", Types: drawnLike, ViaFloat32: true, New: normals.output},
	{Op: "RandomUniform", Types: drawnTypes, ViaFloat32: true, New: uniforms.output},
	{Op: "RandomUniformLike", Types: drawnLike, ViaFloat32: true, New: uniforms.output},
	{Op: "Bernoulli", Types: chanceTypes, ViaFloat32: true, New: bernoullis.Input(0)},
	{Op: "Multinomial", Types: chanceTypes, ViaFloat32: true, New: multinomials.Input(0)},
	{Op: "Dropout", New: newDropout},
}

// output picks by the element type of the first output.
func (t ByType) output(b *Build) (ep.Kernel, error) {
	f, ok := t[b.OutDType(0)]
	if !ok {
		return nil, fmt.Errorf("no %s kernel for %v; there are kernels for %v", b.Node.Op, b.OutDType(0), t.Types())
	}
	return f(b)
}

// seedOf reads the attribute seed, a float.
func seedOf(b *Build) random.Seed {
	return random.Seed{Given: b.Has("seed"), Bits: uint64(math.Float32bits(b.Float("seed")))}
}

func newNormal[T random.Float](b *Build) (ep.Kernel, error) {
	seed, mean, scale := seedOf(b), float64(b.Float("mean")), float64(b.Float("scale"))
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		random.Normal(tensor.Elements[T](inv.Out(0)), seed, mean, scale)
		return nil
	}), nil
}

func newUniform[T random.Float](b *Build) (ep.Kernel, error) {
	seed, low, high := seedOf(b), float64(b.Float("low")), float64(b.Float("high"))
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		random.Uniform(tensor.Elements[T](inv.Out(0)), seed, low, high)
		return nil
	}), nil
}

func newBernoulli[T random.Float](b *Build) (ep.Kernel, error) {
	seed := seedOf(b)
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		p := inv.In(0)
		drawn := make([]uint8, p.Size())
		random.Bernoulli(drawn, tensor.Elements[T](p), seed)
		t, err := tensor.FromSlice(drawn, p.Shape()...)
		if err != nil {
			return err
		}
		return tensor.ConvertInto(inv.Out(0), t, tensor.ConvertOptions{})
	}), nil
}

func newMultinomial[T random.Float](b *Build) (ep.Kernel, error) {
	seed := seedOf(b)
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		in, out := inv.In(0), inv.Out(0)
		if out.Size() == 0 {
			return nil
		}
		if out.DType() == tensor.Int64 {
			random.Multinomial(tensor.Elements[int64](out), tensor.Elements[T](in), in.Shape()[0], seed)
		} else {
			random.Multinomial(tensor.Elements[int32](out), tensor.Elements[T](in), in.Shape()[0], seed)
		}
		return nil
	}), nil
}

// dropout passes its input through, except in training.
type dropout struct {
	pool  *parallel.Pool
	seed  random.Seed
	train bool    // by attribute, before opset 7
	ratio float64 // the default of the input, or the attribute
	input bool    // ratio and training_mode are inputs
}

func newDropout(b *Build) (ep.Kernel, error) {
	k := &dropout{pool: b.Pool, ratio: 0.5, input: b.Since() >= 12}
	k.seed = random.Seed{Given: b.Has("seed"), Bits: uint64(b.Int64("seed"))}
	if !k.input {
		k.ratio, k.train = float64(b.Float("ratio")), b.Since() < 7 && !b.Bool("is_test")
	}
	return k, nil
}

// training returns the fraction to drop, 0 when nothing is.
func (k *dropout) training(inv *ep.Invocation) (float64, error) {
	if !k.input {
		if k.train {
			return k.ratio, nil
		}
		return 0, nil
	}
	mode := inv.In(2)
	if mode == nil {
		return 0, nil
	}
	if list, err := op.Int64s(mode); err != nil || len(list) != 1 || list[0] == 0 {
		return 0, err
	}
	r := k.ratio
	if t := inv.In(1); t != nil {
		list, err := tensor.Float64s(t)
		if err != nil {
			return 0, err
		}
		if len(list) != 1 || !(list[0] >= 0 && list[0] < 1) {
			return 0, fmt.Errorf("input 1 (ratio) is %v, must be one number in [0, 1)", list)
		}
		r = list[0]
	}
	return r, nil
}

// View implements ep.Viewer: what is not trained is passed through.
func (k *dropout) View(i int, inv *ep.Invocation, _ tensor.Shape) (ep.View, bool) {
	r, err := k.training(inv)
	return ep.View{}, i == 0 && r == 0 && err == nil
}

// Run implements ep.Kernel.
func (k *dropout) Run(ctx context.Context, inv *ep.Invocation) error {
	ratio, err := k.training(inv)
	if err != nil {
		return err
	}
	in, out := inv.In(0), inv.Out(0)
	if ratio == 0 {
		if m := inv.Out(1); m != nil {
			one, err := tensor.Convert(tensor.Scalar(true), m.DType(), tensor.ConvertOptions{})
			if err != nil {
				return err
			}
			if err := fill(ctx, k.pool, m, one); err != nil {
				return err
			}
		}
		if out == nil {
			return nil
		}
		return tensor.Copy(out, in)
	}
	keep := make([]bool, in.Size())
	random.Keep(keep, k.seed, ratio)
	mask, err := tensor.FromSlice(keep, in.Shape()...)
	if err != nil {
		return err
	}
	if m := inv.Out(1); m != nil {
		if err := tensor.ConvertInto(m, mask, tensor.ConvertOptions{}); err != nil {
			return err
		}
	}
	if out == nil {
		return nil
	}
	x, err := tensor.Float64s(in)
	if err != nil {
		return err
	}
	for i, kept := range keep {
		if kept {
			x[i] /= 1 - ratio
		} else {
			x[i] = 0
		}
	}
	wide, err := tensor.FromSlice(x, in.Shape()...)
	if err != nil {
		return err
	}
	return tensor.ConvertInto(out, wide, tensor.ConvertOptions{})
}
