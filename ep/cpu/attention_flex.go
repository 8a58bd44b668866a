package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/attention"
	"gort/op"
	"gort/tensor"
)

var flexTypes = ByType{
	tensor.Float32: newFlex[float32],
	tensor.Float64: newFlex[float64],
}

func newFlex[T attention.Float](b *Build) (ep.Kernel, error) {
	pool, scale, flex := b.Pool, float64(b.Float("scale")), attention.NewFlex[T]()
	own, between := tensor.DTypeOf[T](), op.FlexScoreType(b.Attrs, b.DType(0))
	// Subgraphs come in the order of the attributes.
	score, prob, n := -1, -1, 0
	for _, a := range b.Node.Attrs {
		switch a.Name {
		case "score_mod":
			score, n = n, n+1
		case "prob_mod":
			prob, n = n, n+1
		}
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		q, k, v := inv.In(0), inv.In(1), inv.In(2)
		f := flex
		f.Batch, f.QHeads, f.Q, f.Size = q.Shape()[0], q.Shape()[1], q.Shape()[2], q.Shape()[3]
		f.KVHeads, f.Total, f.VSize = k.Shape()[1], k.Shape()[2], v.Shape()[3]
		scores, err := tensor.New(own, f.Batch, f.QHeads, f.Q, f.Total)
		if err != nil {
			return err
		}
		if err := f.Scores(ctx, pool, scale, tensor.Elements[T](q), tensor.Elements[T](k), tensor.Elements[T](scores)); err != nil {
			return err
		}
		if scores, err = modify(ctx, inv, score, scores, between); err != nil {
			return err
		}
		if err := f.Softmax(ctx, pool, tensor.Elements[T](scores)); err != nil {
			return err
		}
		if scores, err = modify(ctx, inv, prob, scores, between); err != nil {
			return err
		}
		out, err := inv.NewOut(0, own, f.Batch, f.QHeads, f.Q, f.VSize)
		if err != nil || out == nil {
			return err
		}
		return f.Weighted(ctx, pool, tensor.Elements[T](scores), tensor.Elements[T](v), tensor.Elements[T](out))
	}), nil
}

// modify runs subgraph i over x in the type that it computes in; the result is a
// tensor of x's own.
func modify(ctx context.Context, inv *ep.Invocation, i int, x *tensor.Tensor, as tensor.DType) (*tensor.Tensor, error) {
	if i < 0 {
		return x, nil
	}
	own, shape := x.DType(), x.Shape()
	if as != own {
		var err error
		if x, err = tensor.Convert(x, as, tensor.ConvertOptions{}); err != nil {
			return nil, err
		}
	}
	out, err := inv.Subgraphs[i].Run(ctx, []tensor.Value{x})
	if err != nil {
		return nil, err
	}
	y, ok := out[0].(*tensor.Tensor)
	if !ok || !y.Shape().Equal(shape) {
		return nil, fmt.Errorf("the graph makes %v of scores %v, must keep the shape", out[0], shape)
	}
	return tensor.Convert(y, own, tensor.ConvertOptions{})
}
