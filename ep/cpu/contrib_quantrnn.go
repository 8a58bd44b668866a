package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/rnn"
	"gort/tensor"
)

// Inputs of DynamicQuantizeLSTM beyond those of LSTM.
const (
	rnnScaleW = iota + rnnP + 1
	rnnZeroW
	rnnScaleR
	rnnZeroR
)

// quantizedLSTM is DynamicQuantizeLSTM: LSTM with matrices of 8 bits, each transposed.
// Inputs and states are quantized to 8 bits before each product.
type quantizedLSTM[W byteType] struct{ recurrent[float32] }

var quantizedLSTMs = ByType{tensor.Uint8: newQuantizedLSTM[uint8], tensor.Int8: newQuantizedLSTM[int8]}

func newQuantizedLSTM[W byteType](b *Build) (ep.Kernel, error) {
	k := &quantizedLSTM[W]{}
	err := k.read(b, rnn.LSTM)
	k.hiddenAt = 1
	return k, err
}

// matrices packs a matrix for each direction.
func (k *quantizedLSTM[W]) matrices(w, scale, zero *tensor.Tensor) ([]*rnn.Weight[float32], error) {
	s := w.Shape()
	if len(s) != 3 || s[0] != len(k.layer.Reverse) {
		return nil, fmt.Errorf("a matrix has shape %v, must have 3 dimensions, the first %d", s, len(k.layer.Reverse))
	}
	data, units, zeros := tensor.Elements[W](w.Contiguous()), tensor.Elements[float32](scale.Contiguous()), tensor.Elements[W](zero.Contiguous())
	for _, n := range []int{len(units), len(zeros)} {
		if n != s[0] && n != s[0]*s[2] {
			return nil, fmt.Errorf("a matrix %v has %d scales and %d zero points, must have %d or %d", s, len(units), len(zeros), s[0], s[0]*s[2])
		}
	}
	out := make([]*rnn.Weight[float32], s[0])
	for d := range out {
		n := s[1] * s[2]
		out[d] = rnn.NewQuantizedWeight(data[d*n:][:n], s[2], s[1], part(zeros, d, s[0]), part(units, d, s[0]))
	}
	return out, nil
}

// part returns the i-th of n equal parts.
func part[T any](list []T, i, n int) []T {
	size := len(list) / n
	return list[i*size:][:size]
}

// stacked makes one weight a direction what a layer takes: a list of them.
func stacked(list []*rnn.Weight[float32]) [][]*rnn.Weight[float32] {
	out := make([][]*rnn.Weight[float32], len(list))
	for d := range list {
		out[d] = list[d : d+1]
	}
	return out
}

// Prepack implements ep.Prepacker.
func (k *quantizedLSTM[W]) Prepack(_ context.Context, consts []*tensor.Tensor) ([]bool, error) {
	done := make([]bool, len(consts))
	constant := func(list ...int) bool {
		for _, i := range list {
			if i >= len(consts) || consts[i] == nil {
				return false
			}
		}
		for _, i := range list {
			done[i] = true
		}
		return true
	}
	var err error
	if constant(rnnW, rnnScaleW, rnnZeroW) {
		if k.w, err = k.matrices(consts[rnnW], consts[rnnScaleW], consts[rnnZeroW]); err != nil {
			return nil, err
		}
	}
	if constant(rnnR, rnnScaleR, rnnZeroR) {
		r, err := k.matrices(consts[rnnR], consts[rnnScaleR], consts[rnnZeroR])
		if err != nil {
			return nil, err
		}
		k.r, k.hidden = stacked(r), consts[rnnR].Shape()[k.hiddenAt]
	}
	return done, nil
}

// Run implements ep.Kernel.
func (k *quantizedLSTM[W]) Run(ctx context.Context, inv *ep.Invocation) error {
	w, r := k.w, k.r
	var err error
	if w == nil {
		if w, err = k.matrices(inv.In(rnnW), inv.In(rnnScaleW), inv.In(rnnZeroW)); err != nil {
			return err
		}
	}
	if r == nil {
		list, err := k.matrices(inv.In(rnnR), inv.In(rnnScaleR), inv.In(rnnZeroR))
		if err != nil {
			return err
		}
		r = stacked(list)
	}
	return k.run(ctx, inv, k.call(inv), w, r)
}
