package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/graph"
	"gort/internal/kernel/conv"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var convTypes = ByType{tensor.Float32: newConv32, tensor.Float64: newConv64}

var convBindings = []Binding{
	{Op: "Conv", Types: map[string]op.DTypes{"T": convTypes.Types()}, ViaFloat32: true, New: convTypes.Input(0)},
	{Op: "ConvTranspose", Types: map[string]op.DTypes{"T": convTransposeTypes.Types()}, ViaFloat32: true, New: convTransposeTypes.Input(0)},
	{Op: "DeformConv", Types: map[string]op.DTypes{"T": deformTypes.Types()}, ViaFloat32: true, Check: checkDeform, New: deformTypes.Input(0)},
	{Op: "Col2Im", Types: map[string]op.DTypes{"T": col2imTypes.Types()}, ViaFloat32: true, New: col2imTypes.Input(0)},
	{Op: "CausalConvWithState", Types: map[string]op.DTypes{"T": op.SetOf(tensor.Float32)}, ViaFloat32: true, New: newCausalConv},
}

// convGeometry derives a convolution from its attributes and the shapes of data
// and weights.
func convGeometry(a op.Attrs, x, w tensor.Shape) (conv.Geometry, error) {
	if len(x) < 3 || len(w) != len(x) {
		return conv.Geometry{}, fmt.Errorf("weights %v do not fit the input %v", w, x)
	}
	kernel, err := op.KernelShape(a, graph.Fixed(w...))
	if err != nil {
		return conv.Geometry{}, err
	}
	win, err := op.ReadWindow(a, kernel)
	if err != nil {
		return conv.Geometry{}, err
	}
	out, begin, err := win.Resolve(x[2:])
	if err != nil {
		return conv.Geometry{}, err
	}
	groups := a.Int("group")
	if x[1] != groups*w[1] || w[0]%groups != 0 {
		return conv.Geometry{}, fmt.Errorf("weights %v do not fit the input %v in %d groups", w, x, groups)
	}
	return conv.Geometry{Batch: x[0], Groups: groups, In: w[1], Out: w[0] / groups,
		Input: x[2:], Output: out, Kernel: kernel, Strides: win.Strides, Dilations: win.Dilations, Begin: begin}, nil
}

// convPlan is what convolutions of all element types share.
type convPlan struct {
	attrs op.Attrs
	pool  *parallel.Pool
	plans perShape[*conv.Plan]
	make  func(conv.Geometry) *conv.Plan // nil is conv.NewPlan
}

func (k *convPlan) plan(x, w tensor.Shape) (*conv.Plan, error) {
	return k.plans.get(k.derive, x, w)
}

func (k *convPlan) derive(s ...tensor.Shape) (*conv.Plan, error) {
	g, err := convGeometry(k.attrs, s[0], s[1])
	if err != nil {
		return nil, err
	}
	if k.make != nil {
		return k.make(g), nil
	}
	return conv.NewPlan(g), nil
}

// conv32 convolves float32.
type conv32 struct {
	convPlan
	packed *conv.Weights
	shape  tensor.Shape // of the packed weights
}

func newConv32(b *Build) (ep.Kernel, error) {
	return &conv32{convPlan: convPlan{attrs: b.Attrs, pool: b.Pool}}, nil
}

// Prepack implements ep.Prepacker.
func (k *conv32) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	w := consts[1]
	if w == nil {
		return done, nil
	}
	s, groups := w.Shape(), k.attrs.Int("group")
	if len(s) < 3 || groups < 1 || s[0]%groups != 0 || conv.Depthwise(groups, s[1], s[0]/groups, len(s)-2) {
		return done, nil
	}
	terms := tensor.Shape(s[1:]).Size()
	k.packed = conv.PackWeights(groups, s[0]/groups, terms, tensor.Elements[float32](w.Contiguous()))
	k.shape = s.Clone()
	done[1] = true
	return done, nil
}

// Run implements ep.Kernel.
func (k *conv32) Run(ctx context.Context, inv *ep.Invocation) error {
	x := inv.In(0)
	shape := k.shape
	var w []float32
	if k.packed == nil {
		shape, w = inv.In(1).Shape(), tensor.Elements[float32](inv.In(1))
	}
	p, err := k.plan(x.Shape(), shape)
	if err != nil {
		return err
	}
	return p.Float32(ctx, k.pool, tensor.Elements[float32](x), w, k.packed, elementsOr[float32](inv, 2), tensor.Elements[float32](inv.Out(0)))
}

// elementsOr returns the elements of input i, nil when it is omitted.
func elementsOr[T tensor.Element](inv *ep.Invocation, i int) []T {
	if t := inv.In(i); t != nil {
		return tensor.Elements[T](t)
	}
	return nil
}

// conv64 convolves float64.
type conv64 struct{ convPlan }

func newConv64(b *Build) (ep.Kernel, error) {
	return &conv64{convPlan{attrs: b.Attrs, pool: b.Pool}}, nil
}

// Run implements ep.Kernel.
func (k *conv64) Run(ctx context.Context, inv *ep.Invocation) error {
	x, w := inv.In(0), inv.In(1)
	p, err := k.plan(x.Shape(), w.Shape())
	if err != nil {
		return err
	}
	return p.Float64(ctx, k.pool, tensor.Elements[float64](x), tensor.Elements[float64](w), elementsOr[float64](inv, 2), tensor.Elements[float64](inv.Out(0)))
}
