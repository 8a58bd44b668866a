package cpu

import (
	"context"
	"fmt"
	"sync/atomic"

	"gort/ep"
	"gort/internal/kernel/fft"
	"gort/op"
	"gort/tensor"
)

var (
	dftTypes  = ByType{tensor.Float32: newDFT[float32], tensor.Float64: newDFT[float64]}
	stftTypes = ByType{tensor.Float32: newSTFT[float32], tensor.Float64: newSTFT[float64]}
)

var signalBindings = []Binding{
	{Op: "DFT", Types: map[string]op.DTypes{"T1": wideFloats}, ViaFloat32: true, New: dftTypes.Input(0)},
	{Op: "STFT", Types: map[string]op.DTypes{"T1": wideFloats}, ViaFloat32: true, New: stftTypes.Input(0)},
	{Op: "MelWeightMatrix", New: newMelWeightMatrix},
	{Op: "HannWindow", New: newWindow(fft.Hann)},
	{Op: "HammingWindow", New: newWindow(fft.Hamming)},
	{Op: "BlackmanWindow", New: newWindow(fft.Blackman)},
}

// lastFFT keeps the tables of the last length.
type lastFFT struct{ plan atomic.Pointer[fft.Plan] }

func (l *lastFFT) get(n int) *fft.Plan {
	p := l.plan.Load()
	if p == nil || p.Len() != n {
		p = fft.NewPlan(n)
		l.plan.Store(p)
	}
	return p
}

// scalarOf returns a small integer input, or def when it is omitted.
func scalarOf(inv *ep.Invocation, i int, def int64) (int64, error) {
	t := inv.In(i)
	if t == nil {
		return def, nil
	}
	list, err := tensor.Int64s(t)
	if err != nil {
		return 0, err
	}
	if len(list) != 1 {
		return 0, fmt.Errorf("input %d has %d elements, must be a scalar", i, len(list))
	}
	return list[0], nil
}

func newDFT[T fft.Float](b *Build) (ep.Kernel, error) {
	inverse, oneSided := b.Bool("inverse"), b.Bool("onesided")
	axisAttr := int64(-2)
	if b.Since() < 20 {
		axisAttr = b.Int64("axis")
	}
	var plans lastFFT
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, y := inv.In(0), inv.Out(0)
		in := x.Shape()
		axis, err := scalarOf(inv, 2, axisAttr)
		if err != nil {
			return err
		}
		d, ok := op.DFTAxis(axis, len(in))
		if !ok || y == nil {
			return fmt.Errorf("axis is %d for input %v", axis, in)
		}
		n, err := scalarOf(inv, 1, int64(op.DFTLength(in[d], inverse, oneSided)))
		if err != nil {
			return err
		}
		out := y.Shape()
		l := &fft.Lines{Outer: in[:d].Size(), In: in[d], Out: out[d], Inner: in[d+1 : len(in)-1].Size(),
			PartsIn: in[len(in)-1], PartsOut: out[len(out)-1], Inverse: inverse, OneSided: oneSided, Real: inverse && oneSided}
		if n < 1 || l.Out > int(n) {
			return fmt.Errorf("dft_length is %d for an output %v", n, out)
		}
		if y.Size() == 0 {
			return nil
		}
		return fft.DFT(ctx, b.Pool, plans.get(int(n)), l, tensor.Elements[T](x), tensor.Elements[T](y))
	}), nil
}

func newSTFT[T fft.Float](b *Build) (ep.Kernel, error) {
	var plans lastFFT
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, y := inv.In(0), inv.Out(0)
		if y == nil {
			return fmt.Errorf("the output's shape does not follow from frame_step, window and frame_length")
		}
		in, out := x.Shape(), y.Shape()
		window := elementsOr[T](inv, 2)
		def := int64(in[1])
		if window != nil {
			def = int64(len(window))
		}
		length, err := scalarOf(inv, 3, def)
		if err != nil {
			return err
		}
		step, err := scalarOf(inv, 1, 1)
		if err != nil {
			return err
		}
		f := &fft.Frames{Batch: in[0], Length: in[1], Parts: in[2:].Size(), Count: out[1], Step: int(step), Bins: out[2]}
		if y.Size() == 0 {
			return nil
		}
		return fft.STFT(ctx, b.Pool, plans.get(int(length)), f, tensor.Elements[T](x), window, tensor.Elements[T](y))
	}), nil
}

// storeFloats converts numbers to an output's element type.
func storeFloats(y *tensor.Tensor, v []float64) error {
	t, err := tensor.FromSlice(v, y.Shape()...)
	if err != nil {
		return err
	}
	return tensor.ConvertInto(y, t, tensor.ConvertOptions{})
}

func newMelWeightMatrix(*Build) (ep.Kernel, error) {
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		var ints [3]int64
		for i := range ints {
			var err error
			if ints[i], err = scalarOf(inv, i, 0); err != nil {
				return err
			}
		}
		var edges [2]float64
		for i := range edges {
			v, err := tensor.Float64s(inv.In(3 + i))
			if err != nil {
				return err
			}
			if len(v) != 1 {
				return fmt.Errorf("input %d has %d elements, must be a scalar", 3+i, len(v))
			}
			edges[i] = v[0]
		}
		y := inv.Out(0)
		if y == nil {
			return fmt.Errorf("the output's shape does not follow from num_mel_bins and dft_length")
		}
		w := make([]float64, y.Size())
		if err := fft.Mel(int(ints[0]), int(ints[1]), int(ints[2]), edges[0], edges[1], w); err != nil {
			return err
		}
		return storeFloats(y, w)
	}), nil
}

func newWindow(c fft.Cosines) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		periodic := b.Bool("periodic")
		return Func(func(_ context.Context, inv *ep.Invocation) error {
			y := inv.Out(0)
			if y == nil {
				return fmt.Errorf("the output's shape does not follow from the size")
			}
			w := make([]float64, y.Size())
			c.Fill(w, periodic)
			return storeFloats(y, w)
		}), nil
	}
}
