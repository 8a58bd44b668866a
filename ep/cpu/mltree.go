package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/ml"
	"gort/internal/kernel/mltree"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

var mltreeBindings = []Binding{
	{Domain: "ai.onnx.ml", Op: "TreeEnsembleClassifier", New: newTreeClassifier},
	{Domain: "ai.onnx.ml", Op: "TreeEnsembleRegressor", New: newTreeRegressor},
	{Domain: "ai.onnx.ml", Op: "TreeEnsemble", Types: map[string]op.DTypes{"T": treeEnsembleTypes.Types()}, ViaFloat32: true, New: treeEnsembleTypes.Input(0)},
}

var treeEnsembleTypes = ByType{
	tensor.Float32: newTreeEnsemble[float32],
	tensor.Float64: newTreeEnsemble[float64],
}

// wideTrees reports whether an ensemble of the older operators compares and sums
// in double: when the input or a tensor attribute is double.
func wideTrees(b *Build) bool {
	if b.DType(0) == tensor.Float64 {
		return true
	}
	for _, name := range []string{"nodes_values_as_tensor", "class_weights_as_tensor", "target_weights_as_tensor", "base_values_as_tensor"} {
		if t := b.Tensor(name); t != nil && t.Size() > 0 && t.DType() == tensor.Float64 {
			return true
		}
	}
	return false
}

// samples is the input of a model as rows of T.
func samples[T mltree.Float](x *tensor.Tensor) (data []T, rows, features int, err error) {
	rows = 1
	switch s := x.Shape(); len(s) {
	case 1:
		features = s[0]
	case 2:
		rows, features = s[0], s[1]
	default:
		return nil, 0, 0, fmt.Errorf("input 0 has shape %v, must be [N, features] or [features]", s)
	}
	if own := tensor.DTypeOf[T](); x.DType() != own {
		if x, err = tensor.Convert(x, own, tensor.ConvertOptions{}); err != nil {
			return nil, 0, 0, err
		}
	}
	return tensor.Elements[T](x), rows, features, nil
}

// labels writes classes, counted from 0, as what they are called.
type labels struct {
	ints    []int64
	strings []string
}

// store sets elements of the label output; a class beyond the list is its number.
func (l *labels) store(out *tensor.Tensor, i, class int) {
	switch {
	case out == nil:
	case l.strings != nil:
		tensor.Elements[string](out)[i] = l.strings[min(class, len(l.strings)-1)]
	case len(l.ints) > 1:
		tensor.Elements[int64](out)[i] = l.ints[class]
	default:
		tensor.Elements[int64](out)[i] = int64(class)
	}
}

func newTreeClassifier(b *Build) (ep.Kernel, error) {
	if wideTrees(b) {
		return newTreeClassifierOf[float64](b)
	}
	return newTreeClassifierOf[float32](b)
}

type treeClassifier[T mltree.Float] struct {
	pool   *parallel.Pool
	forest *mltree.Forest[T]
	class  *mltree.Classifier[T]
	labels labels
}

func newTreeClassifierOf[T mltree.Float](b *Build) (ep.Kernel, error) {
	k := &treeClassifier[T]{pool: b.Pool, labels: labels{b.Ints("classlabels_int64s"), b.Strings("classlabels_strings")}}
	src, err := treeSource(b, "class", max(len(k.labels.ints), len(k.labels.strings)))
	if err != nil {
		return nil, err
	}
	if k.forest, err = buildForest[T](src); err != nil {
		return nil, err
	}
	base, err := treeBase[T](b, src.Targets)
	if err != nil {
		return nil, err
	}
	t, err := ml.ParseTransform(b.String("post_transform"))
	if err != nil {
		return nil, b.AttrErrorf("post_transform", "%v", err)
	}
	k.class = mltree.NewClassifier(src, base, t)
	return k, nil
}

// treeBase reads the values that are added to the scores.
func treeBase[T mltree.Float](b *Build, targets int) ([]T, error) {
	list, err := floatsAttr(b, "base_values")
	if err != nil {
		return nil, err
	}
	if n := len(list); n != 0 && n != targets && (n != 1 || targets > 2) {
		return nil, b.AttrErrorf("base_values", "has %d elements, must have one for each of %d classes or targets, or none", n, targets)
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out, nil
}

// Run implements ep.Kernel.
func (k *treeClassifier[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, rows, features, err := samples[T](inv.In(0))
	if err != nil {
		return err
	}
	label, z := inv.Out(0), inv.Out(1)
	n := k.forest.Targets()
	if z == nil {
		return k.forest.Predict(ctx, k.pool, mltree.Sum, x, rows, features, func(row int, scores []T, voted []bool) {
			k.labels.store(label, row, k.class.Finish(scores, voted, make([]T, n)))
		})
	}
	// Scores of float32 are written in place; those of float64 by way of a row.
	dst := tensor.Elements[float32](z)
	return k.forest.Predict(ctx, k.pool, mltree.Sum, x, rows, features, func(row int, scores []T, voted []bool) {
		to := dst[row*n : (row+1)*n]
		if own, ok := any(to).([]T); ok {
			k.labels.store(label, row, k.class.Finish(scores, voted, own))
			return
		}
		wide := make([]T, n)
		k.labels.store(label, row, k.class.Finish(scores, voted, wide))
		for i, v := range wide {
			to[i] = float32(v)
		}
	})
}

func newTreeRegressor(b *Build) (ep.Kernel, error) {
	if wideTrees(b) {
		return newTreeRegressorOf[float64](b)
	}
	return newTreeRegressorOf[float32](b)
}

// treeRegressor is TreeEnsembleRegressor and TreeEnsemble.
type treeRegressor[T mltree.Float] struct {
	pool      *parallel.Pool
	forest    *mltree.Forest[T]
	aggregate mltree.Aggregate
	transform ml.Transform
	base      []T
}

func newTreeRegressorOf[T mltree.Float](b *Build) (ep.Kernel, error) {
	k := &treeRegressor[T]{pool: b.Pool}
	src, err := treeSource(b, "target", b.IntOr("n_targets", 1))
	if err != nil {
		return nil, err
	}
	if k.forest, err = buildForest[T](src); err != nil {
		return nil, err
	}
	if k.base, err = treeBase[T](b, src.Targets); err != nil {
		return nil, err
	}
	var ok bool
	if k.aggregate, ok = mltree.Aggregates[b.String("aggregate_function")]; !ok {
		return nil, b.AttrErrorf("aggregate_function", "is %q, allowed are AVERAGE, SUM, MIN, MAX", b.String("aggregate_function"))
	}
	if k.transform, err = ml.ParseTransform(b.String("post_transform")); err != nil {
		return nil, b.AttrErrorf("post_transform", "%v", err)
	}
	return k, nil
}

func newTreeEnsemble[T mltree.Float](b *Build) (ep.Kernel, error) {
	k := &treeRegressor[T]{pool: b.Pool}
	a, t := b.Int("aggregate_function"), b.Int("post_transform")
	if a < 0 || a > int(mltree.Max) {
		return nil, b.AttrErrorf("aggregate_function", "is %d, allowed are 0 to 3", a)
	}
	if t < 0 || t > int(ml.Probit) {
		return nil, b.AttrErrorf("post_transform", "is %d, allowed are 0 to 4", t)
	}
	k.aggregate, k.transform = mltree.Aggregate(a), ml.Transform(t)
	src, err := treeEnsembleSource(b)
	if err != nil {
		return nil, err
	}
	k.forest, err = buildForest[T](src)
	return k, err
}

// Run implements ep.Kernel.
func (k *treeRegressor[T]) Run(ctx context.Context, inv *ep.Invocation) error {
	x, rows, features, err := samples[T](inv.In(0))
	if err != nil {
		return err
	}
	n, y := k.forest.Targets(), inv.Out(0)
	var dst []float32
	var wide []T
	if y.DType() == tensor.DTypeOf[T]() {
		wide = tensor.Elements[T](y)
	} else {
		dst = tensor.Elements[float32](y)
	}
	return k.forest.Predict(ctx, k.pool, k.aggregate, x, rows, features, func(row int, scores []T, _ []bool) {
		for i := range scores {
			switch len(k.base) {
			case n:
				scores[i] += k.base[i]
			case 1:
				scores[i] += k.base[0]
			}
		}
		ml.Apply(k.transform, scores)
		if wide != nil {
			copy(wide[row*n:], scores)
			return
		}
		for i, v := range scores {
			dst[row*n+i] = float32(v)
		}
	})
}
