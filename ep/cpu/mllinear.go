package cpu

import (
	"context"

	"gort/ep"
	"gort/internal/kernel/ml"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var mllinearBindings = []Binding{
	{Domain: "ai.onnx.ml", Op: "LinearClassifier", New: newLinearClassifier},
	{Domain: "ai.onnx.ml", Op: "LinearRegressor", New: newLinearRegressor},
	{Domain: "ai.onnx.ml", Op: "SVMClassifier", New: newSVMClassifier},
	{Domain: "ai.onnx.ml", Op: "SVMRegressor", New: newSVMRegressor},
}

// postTransform reads the attribute of that name.
func postTransform(b *Build) (ml.Transform, error) {
	t, err := ml.ParseTransform(b.String("post_transform"))
	if err != nil {
		return t, b.AttrErrorf("post_transform", "%v", err)
	}
	return t, nil
}

func newLinearClassifier(b *Build) (ep.Kernel, error) {
	t, err := postTransform(b)
	if err != nil {
		return nil, err
	}
	names := labels{b.Ints("classlabels_ints"), b.Strings("classlabels_strings")}
	targets, columns := op.LinearTargets(b.Attrs)
	w := b.Floats("coefficients")
	model, pool := ml.NewLinear(w, b.Floats("intercepts"), targets, len(w)/targets), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, rows, _, err := samples[float32](inv.In(0))
		if err != nil {
			return err
		}
		scores := make([]float32, rows*targets)
		if err := model.Run(ctx, pool, x, rows, scores); err != nil {
			return err
		}
		y, z := inv.Out(0), floatsOf(inv.Out(1))
		for i := range rows {
			row := scores[i*targets : (i+1)*targets]
			if targets == 1 {
				names.store(y, i, class(row[0] > 0))
			} else {
				names.store(y, i, ml.Best(row))
			}
			switch {
			case z == nil:
			case columns > targets:
				ml.Pair(t, true, row[0], z[2*i:2*i+2])
			default:
				ml.Apply(t, row)
				copy(z[i*targets:], row)
			}
		}
		return nil
	}), nil
}

// floatsOf returns the elements of an output that may not be asked for.
func floatsOf(t *tensor.Tensor) []float32 {
	if t == nil {
		return nil
	}
	return tensor.Elements[float32](t)
}

// class is 1 for yes and 0 for no.
func class(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func newLinearRegressor(b *Build) (ep.Kernel, error) {
	t, err := postTransform(b)
	if err != nil {
		return nil, err
	}
	w, targets, pool := b.Floats("coefficients"), b.Int("targets"), b.Pool
	model := ml.NewLinear(w, b.Floats("intercepts"), targets, len(w)/targets)
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, rows, _, err := samples[float32](inv.In(0))
		if err != nil {
			return err
		}
		y := tensor.Elements[float32](inv.Out(0))
		if err := model.Run(ctx, pool, x, rows, y); err != nil {
			return err
		}
		for i := range rows {
			ml.Apply(t, y[i*targets:(i+1)*targets])
		}
		return nil
	}), nil
}

// svmClassifier has pairs of classes decided by support vectors, or without any
// vectors a linear score for each class.
type svmClassifier struct {
	pool      *parallel.Pool
	labels    labels
	transform ml.Transform
	classes   int
	svc       ml.SVC
	linear    *ml.Linear // nil when there are support vectors
	positive  bool       // no coefficient is negative
}

func newSVMClassifier(b *Build) (ep.Kernel, error) {
	k := &svmClassifier{pool: b.Pool, labels: labels{b.Ints("classlabels_ints"), b.Strings("classlabels_strings")}, positive: true}
	k.classes = max(len(k.labels.ints), len(k.labels.strings))
	var err error
	if k.transform, err = postTransform(b); err != nil {
		return nil, err
	}
	k.svc = ml.SVC{
		Vectors: b.Floats("support_vectors"), PerClass: b.IntsAsInt("vectors_per_class"), Coefficients: b.Floats("coefficients"),
		Rho: b.Floats("rho"), ProbA: b.Floats("prob_a"), ProbB: b.Floats("prob_b"),
	}
	for _, c := range k.svc.Coefficients {
		k.positive = k.positive && c >= 0
	}
	if k.svc.Kernel, err = ml.ParseSVMKernel(b.String("kernel_type"), b.Floats("kernel_params")); err != nil {
		return nil, b.AttrErrorf("kernel_type", "%v", err)
	}
	if n := k.svc.Count(); n > 0 {
		if len(k.svc.PerClass) != k.classes {
			return nil, b.AttrErrorf("vectors_per_class", "has %d elements, there are %d classes", len(k.svc.PerClass), k.classes)
		}
		k.svc.Features = len(k.svc.Vectors) / n
		if err := k.svc.Check(); err != nil {
			return nil, b.AttrErrorf("coefficients", "does not fit: %v", err)
		}
		return k, nil
	}
	if len(k.svc.Rho) == 0 || len(k.svc.Coefficients) < k.classes {
		return nil, b.AttrErrorf("rho", "has %d elements and coefficients %d; a linear model needs one, and features for each of %d classes", len(k.svc.Rho), len(k.svc.Coefficients), k.classes)
	}
	bias := make([]float32, k.classes)
	for i := range bias {
		bias[i] = k.svc.Rho[0]
	}
	k.linear = ml.NewLinear(k.svc.Coefficients, bias, k.classes, len(k.svc.Coefficients)/k.classes)
	return k, nil
}

// Run implements ep.Kernel.
func (k *svmClassifier) Run(ctx context.Context, inv *ep.Invocation) error {
	x, rows, features, err := samples[float32](inv.In(0))
	if err != nil {
		return err
	}
	y, z := inv.Out(0), floatsOf(inv.Out(1))
	if k.linear != nil {
		return k.runLinear(ctx, x, rows, y, z)
	}
	n, pairs := k.svc.Count(), k.svc.Pairs()
	kernels := make([]float32, rows*n)
	if err := k.svc.Kernel.Dots(ctx, k.pool, x, rows, features, k.svc.Vectors, n, kernels); err != nil {
		return err
	}
	probable := len(k.svc.ProbA) > 0
	return k.pool.For(ctx, rows, max(1, 16<<10/(n*k.classes+1)), func(lo, hi int) {
		decisions, votes, scores := make([]float32, pairs), make([]int, k.classes), make([]float32, k.classes)
		for i := lo; i < hi; i++ {
			clear(votes)
			k.svc.Decide(kernels[i*n:(i+1)*n], decisions, votes)
			best := 0
			for c, v := range votes {
				if v > votes[best] {
					best = c
				}
			}
			k.labels.store(y, i, best)
			switch {
			case z == nil:
			case probable:
				k.svc.Probabilities(decisions, scores)
				ml.Apply(k.transform, scores)
				copy(z[i*k.classes:], scores)
			case pairs == 1:
				ml.Pair(k.transform, k.transform != ml.None, decisions[0], z[2*i:2*i+2])
			default:
				ml.Apply(k.transform, decisions)
				copy(z[i*pairs:], decisions)
			}
		}
	})
}

func (k *svmClassifier) runLinear(ctx context.Context, x []float32, rows int, y *tensor.Tensor, z []float32) error {
	if z == nil {
		z = make([]float32, rows*k.classes)
	}
	if err := k.linear.Run(ctx, k.pool, x, rows, z); err != nil {
		return err
	}
	for i := range rows {
		row := z[i*k.classes : (i+1)*k.classes]
		best := ml.Best(row)
		// Two classes: the better score alone decides when it is a probability or margin.
		if top := row[best]; k.classes == 2 && (k.positive && top >= 0.5 || !k.positive && top > 0) {
			best = 1
		}
		k.labels.store(y, i, best)
		ml.Apply(k.transform, row)
	}
	return nil
}

func newSVMRegressor(b *Build) (ep.Kernel, error) {
	kernel, err := ml.ParseSVMKernel(b.String("kernel_type"), b.Floats("kernel_params"))
	if err != nil {
		return nil, b.AttrErrorf("kernel_type", "%v", err)
	}
	rho, coefficients, vectors := b.Floats("rho"), b.Floats("coefficients"), b.Floats("support_vectors")
	n, oneClass, pool := b.Int("n_supports"), b.Bool("one_class"), b.Pool
	if len(rho) == 0 || len(coefficients) == 0 {
		return nil, b.AttrErrorf("rho", "has %d elements and coefficients %d, both need some", len(rho), len(coefficients))
	}
	features := len(coefficients)
	if n > 0 {
		features = len(vectors) / n
	}
	linear := ml.NewLinear(coefficients[:max(n, 1)], rho[:1], 1, max(n, 1))
	if n == 0 {
		linear = ml.NewLinear(coefficients, rho[:1], 1, features)
	}
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		x, rows, have, err := samples[float32](inv.In(0))
		if err != nil {
			return err
		}
		y := tensor.Elements[float32](inv.Out(0))
		if n > 0 {
			kernels := make([]float32, rows*n)
			if err := kernel.Dots(ctx, pool, x, rows, have, vectors, n, kernels); err != nil {
				return err
			}
			x = kernels
		}
		if err := linear.Run(ctx, pool, x, rows, y); err != nil {
			return err
		}
		if oneClass {
			for i, v := range y {
				y[i] = float32(2*class(v > 0) - 1)
			}
		}
		return nil
	}), nil
}
