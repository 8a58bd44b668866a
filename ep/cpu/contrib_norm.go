package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/norm"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var onlyFloat32 = op.SetOf(tensor.Float32)

var contribNormBindings = []Binding{
	{Domain: microsoft, Op: "SkipLayerNormalization", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newSkipLayerNorm},
	{Domain: microsoft, Op: "SkipSimplifiedLayerNormalization", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newSkipRMSNorm},
	{Domain: microsoft, Op: "EmbedLayerNormalization", Types: map[string]op.DTypes{"T": onlyFloat32}, ViaFloat32: true, New: newEmbedLayerNorm},
	{Op: "SimplifiedLayerNormalization", Types: map[string]op.DTypes{"T": wideFloats, "V": wideFloats}, ViaFloat32: true, OneWidth: true, New: rmsNormTypes.Input(0)},
}

// skipNorm is what the normalisations of a sum share.
type skipNorm struct {
	pool    *parallel.Pool
	epsilon float64
	bias    int // input
}

// sums describes the rows of an invocation, and their length.
func (k *skipNorm) sums(inv *ep.Invocation) (s *norm.Skip[float32], n int, err error) {
	x := inv.In(0)
	n = x.Shape()[len(x.Shape())-1]
	skip := inv.In(1)
	// Leading dimensions of 1 repeat like missing ones; any other 1 is written out.
	if t := trimOnes(skip.Shape()); !x.Shape()[len(x.Shape())-len(t):].Equal(t) {
		wide, err := skip.BroadcastTo(x.Shape()...)
		if err != nil {
			return nil, 0, fmt.Errorf("input 1 (skip): %w", err)
		}
		skip = wide.Contiguous()
	}
	return &norm.Skip[float32]{X: tensor.Elements[float32](x), Skip: tensor.Elements[float32](skip),
		Bias: elementsOr[float32](inv, k.bias), Sum: outElements[float32](inv, 3)}, n, nil
}

func trimOnes(s tensor.Shape) tensor.Shape {
	for len(s) > 0 && s[0] == 1 {
		s = s[1:]
	}
	return s
}

type skipLayerNorm struct{ skipNorm }

func newSkipLayerNorm(b *Build) (ep.Kernel, error) {
	return &skipLayerNorm{skipNorm{b.Pool, float64(b.Float("epsilon")), 4}}, nil
}

// Run implements ep.Kernel.
func (k *skipLayerNorm) Run(ctx context.Context, inv *ep.Invocation) error {
	s, n, err := k.sums(inv)
	if err != nil {
		return err
	}
	return norm.SkipLayer(ctx, k.pool, n, k.epsilon, s, tensor.Elements[float32](inv.In(2)), elementsOr[float32](inv, 3),
		tensor.Elements[float32](inv.Out(0)), outElements[float32](inv, 1), outElements[float32](inv, 2))
}

type skipRMSNorm struct{ skipNorm }

func newSkipRMSNorm(b *Build) (ep.Kernel, error) {
	return &skipRMSNorm{skipNorm{b.Pool, float64(b.Float("epsilon")), 3}}, nil
}

// Run implements ep.Kernel.
func (k *skipRMSNorm) Run(ctx context.Context, inv *ep.Invocation) error {
	s, n, err := k.sums(inv)
	if err != nil {
		return err
	}
	return norm.SkipRMS(ctx, k.pool, n, k.epsilon, s, tensor.Elements[float32](inv.In(2)),
		tensor.Elements[float32](inv.Out(0)), outElements[float32](inv, 1), outElements[float32](inv, 2))
}

// embedLayerNorm is EmbedLayerNormalization: the sum of a word's, a position's and a
// segment's row, normalised.
type embedLayerNorm struct {
	pool    *parallel.Pool
	epsilon float64
}

func newEmbedLayerNorm(b *Build) (ep.Kernel, error) {
	return &embedLayerNorm{b.Pool, float64(b.Float("epsilon"))}, nil
}

// Run implements ep.Kernel.
func (k *embedLayerNorm) Run(ctx context.Context, inv *ep.Invocation) error {
	ids := inv.In(0)
	batch, length := ids.Shape()[0], ids.Shape()[1]
	n := inv.In(2).Shape()[1]
	y := tensor.Elements[float32](inv.Out(0))
	clear(y)
	if err := addEmbedding(y, n, tensor.Elements[int32](ids), tensor.Elements[float32](inv.In(2)), "input_ids"); err != nil {
		return err
	}
	positions := elementsOr[int32](inv, 8)
	if positions == nil {
		positions = make([]int32, length)
		for i := range positions {
			positions[i] = int32(i)
		}
	}
	for i := 0; len(positions) > 0 && i < batch*length; i += len(positions) {
		if err := addEmbedding(y[i*n:], n, positions, tensor.Elements[float32](inv.In(3)), "position_ids"); err != nil {
			return err
		}
	}
	if segments := elementsOr[int32](inv, 1); segments != nil {
		if err := addEmbedding(y, n, segments, tensor.Elements[float32](inv.In(4)), "segment_ids"); err != nil {
			return err
		}
	}
	if sum := outElements[float32](inv, 2); sum != nil {
		copy(sum, y)
	}
	if counts := outElements[int32](inv, 1); counts != nil {
		clear(counts)
		for i, m := range elementsOr[int32](inv, 7) {
			if m == 1 {
				counts[i/length]++
			}
		}
	}
	return norm.Layer(ctx, k.pool, n, k.epsilon, y, tensor.Elements[float32](inv.In(5)), tensor.Elements[float32](inv.In(6)), y, nil, nil)
}

// addEmbedding adds a table's row for each id.
func addEmbedding(y []float32, n int, ids []int32, rows []float32, what string) error {
	if n == 0 {
		return nil
	}
	for i, id := range ids {
		if id < 0 || int(id) >= len(rows)/n {
			return fmt.Errorf("%s[%d] is %d, allowed are 0 to %d", what, i, id, len(rows)/n-1)
		}
		row := rows[int(id)*n:][:n]
		for j, v := range y[i*n:][:n] {
			y[i*n+j] = v + row[j]
		}
	}
	return nil
}
