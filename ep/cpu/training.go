package cpu

import (
	"context"
	"fmt"
	"math"

	"gort/ep"
	"gort/tensor"
)

const trainingDomain = "ai.onnx.preview.training"

var trainingBindings = []Binding{
	{Domain: trainingDomain, Op: "Adagrad", New: newAdagrad},
	{Domain: trainingDomain, Op: "Adam", New: newAdam},
	{Domain: trainingDomain, Op: "Momentum", New: newMomentum},
}

// update computes the new values of one element: v holds value, gradient and
// states, and receives new value and states. rate is the learning rate, t the
// number of updates so far.
type update func(rate, t float64, v []float64) (out [3]float64)

// optimizer applies an update to groups of tensors of this many each.
func optimizer(groups int, f update) (ep.Kernel, error) {
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		rate, err := tensor.Float64s(inv.In(0))
		if err != nil {
			return err
		}
		t, err := scalarOf(inv, 1, 0)
		if err != nil {
			return err
		}
		if len(rate) != 1 {
			return fmt.Errorf("input 0 (R) has %d elements, must be a scalar", len(rate))
		}
		n := (len(inv.Inputs) - 2) / groups
		for i := range n {
			if err := step(inv, n, i, groups, rate[0], float64(t), f); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// step updates the i-th of n values.
func step(inv *ep.Invocation, n, i, groups int, rate, t float64, f update) error {
	in := make([][]float64, groups)
	for g := range in {
		x := inv.In(2 + g*n + i)
		if x == nil || !x.Shape().Equal(inv.In(2+i).Shape()) {
			return fmt.Errorf("input %d does not have the shape of value %d", 2+g*n+i, i)
		}
		var err error
		if in[g], err = tensor.Float64s(x); err != nil {
			return err
		}
	}
	out := make([][]float64, groups-1)
	for g := range out {
		out[g] = make([]float64, len(in[0]))
	}
	v := make([]float64, groups)
	for j := range in[0] {
		for g := range v {
			v[g] = in[g][j]
		}
		r := f(rate, t, v)
		for g := range out {
			out[g][j] = r[g]
		}
	}
	for g := range out {
		if y := inv.Out(g*n + i); y != nil {
			if err := storeFloats(y, out[g]); err != nil {
				return err
			}
		}
	}
	return nil
}

// newAdagrad follows Duchi et al. (2011):
//
//	g' = g + norm*x; h' = h + g'**2; x' = x - rate/(1 + t*decay) * g' / (sqrt(h') + epsilon)
func newAdagrad(b *Build) (ep.Kernel, error) {
	decay, epsilon, norm := float64(b.Float("decay_factor")), float64(b.Float("epsilon")), float64(b.Float("norm_coefficient"))
	return optimizer(3, func(rate, t float64, v []float64) (out [3]float64) {
		g := v[1] + norm*v[0]
		out[1] = v[2] + g*g
		out[0] = v[0] - rate/(1+t*decay)*g/(math.Sqrt(out[1])+epsilon)
		return out
	})
}

// newAdam follows Kingma and Ba (2015): the means of gradient and squared
// gradient are corrected for starting at zero when t > 0.
func newAdam(b *Build) (ep.Kernel, error) {
	alpha, beta, epsilon := float64(b.Float("alpha")), float64(b.Float("beta")), float64(b.Float("epsilon"))
	norm, post := float64(b.Float("norm_coefficient")), float64(b.Float("norm_coefficient_post"))
	return optimizer(4, func(rate, t float64, v []float64) (out [3]float64) {
		g := v[1] + norm*v[0]
		out[1] = alpha*v[2] + (1-alpha)*g
		out[2] = beta*v[3] + (1-beta)*g*g
		if t > 0 {
			rate *= math.Sqrt(1-math.Pow(beta, t)) / (1 - math.Pow(alpha, t))
		}
		out[0] = (1 - post) * (v[0] - rate*out[1]/(math.Sqrt(out[2])+epsilon))
		return out
	})
}

// newMomentum is gradient descent with momentum, standard or Nesterov's; the
// gradient counts fully in the first update.
func newMomentum(b *Build) (ep.Kernel, error) {
	alpha, beta, norm := float64(b.Float("alpha")), float64(b.Float("beta")), float64(b.Float("norm_coefficient"))
	nesterov := b.String("mode") == "nesterov"
	return optimizer(3, func(rate, t float64, v []float64) (out [3]float64) {
		g, factor := v[1]+norm*v[0], beta
		if t <= 0 {
			factor = 1
		}
		out[1] = alpha*v[2] + factor*g
		if nesterov {
			out[0] = v[0] - rate*(g+alpha*out[1])
		} else {
			out[0] = v[0] - rate*out[1]
		}
		return out
	})
}
