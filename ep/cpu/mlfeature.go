package cpu

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/internal/kernel/ml"
	"gort/tensor"
)

var mlfeatureBindings = []Binding{
	{Domain: "ai.onnx.ml", Op: "ArrayFeatureExtractor", New: ByType{
		tensor.Float32: newExtract[float32], tensor.Float64: newExtract[float64],
		tensor.Int32: newExtract[int32], tensor.Int64: newExtract[int64], tensor.String: newExtract[string],
	}.Input(0)},
	{Domain: "ai.onnx.ml", Op: "Binarizer", New: ByType{
		tensor.Float32: newBinarizer[float32], tensor.Float64: newBinarizer[float64],
		tensor.Int32: newBinarizer[int32], tensor.Int64: newBinarizer[int64],
	}.Input(0)},
	{Domain: "ai.onnx.ml", Op: "FeatureVectorizer", New: newFeatureVectorizer},
	{Domain: "ai.onnx.ml", Op: "Imputer", New: ByType{
		tensor.Float32: newImputer[float32], tensor.Float64: newImputer[float64],
		tensor.Int32: newImputer[int32], tensor.Int64: newImputer[int64],
	}.Input(0)},
	{Domain: "ai.onnx.ml", Op: "Normalizer", New: ByType{
		tensor.Float32: newNormalizer[float32], tensor.Float64: newNormalizer[float64],
		tensor.Int32: newNormalizer[int32], tensor.Int64: newNormalizer[int64],
	}.Input(0)},
	{Domain: "ai.onnx.ml", Op: "Scaler", New: ByType{
		tensor.Float32: newScaler[float32], tensor.Float64: newScaler[float64],
		tensor.Int32: newScaler[int32], tensor.Int64: newScaler[int64],
	}.Input(0)},
	{Domain: "ai.onnx.ml", Op: "OneHotEncoder", New: ByType{
		tensor.Float32: newOneHotNumbers[float32], tensor.Float64: newOneHotNumbers[float64],
		tensor.Int32: newOneHotNumbers[int32], tensor.Int64: newOneHotNumbers[int64], tensor.String: newOneHotStrings,
	}.Input(0)},
}

func newExtract[T tensor.Element](*Build) (ep.Kernel, error) {
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		s := x.Shape()
		return ml.Extract(tensor.Elements[T](x), s[len(s)-1], tensor.Elements[int64](inv.In(1)), tensor.Elements[T](inv.Out(0)))
	}), nil
}

func newBinarizer[T ml.Numeric](b *Build) (ep.Kernel, error) {
	threshold := b.Float("threshold")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		ml.Binarize(tensor.Elements[T](inv.In(0)), threshold, tensor.Elements[T](inv.Out(0)))
		return nil
	}), nil
}

func newFeatureVectorizer(b *Build) (ep.Kernel, error) {
	sizes := b.IntsAsInt("inputdimensions")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		out := inv.Out(0)
		rows, width := out.Shape()[0], out.Shape()[1]
		y := tensor.Elements[float32](out)
		if rows == 0 {
			return nil
		}
		at := 0
		for i := range inv.Inputs {
			x := inv.In(i)
			size := x.Size() / rows
			if sizes != nil {
				size = sizes[i]
			}
			switch x.DType() {
			case tensor.Float32:
				ml.Vectorize(tensor.Elements[float32](x), rows, size, y[at:], width)
			case tensor.Float64:
				ml.Vectorize(tensor.Elements[float64](x), rows, size, y[at:], width)
			case tensor.Int32:
				ml.Vectorize(tensor.Elements[int32](x), rows, size, y[at:], width)
			case tensor.Int64:
				ml.Vectorize(tensor.Elements[int64](x), rows, size, y[at:], width)
			}
			at += size
		}
		return nil
	}), nil
}

func newImputer[T ml.Numeric](b *Build) (ep.Kernel, error) {
	var values []T
	var replaced T
	if d := tensor.DTypeOf[T](); d == tensor.Float32 || d == tensor.Float64 {
		replaced = T(b.Float("replaced_value_float"))
		for _, v := range b.Floats("imputed_value_floats") {
			values = append(values, T(v))
		}
	} else {
		replaced = T(b.Int64("replaced_value_int64"))
		if int64(replaced) != b.Int64("replaced_value_int64") {
			return nil, b.AttrErrorf("replaced_value_int64", "is %d, beyond %v", b.Int64("replaced_value_int64"), d)
		}
		for _, v := range b.Ints("imputed_value_int64s") {
			if int64(T(v)) != v {
				return nil, b.AttrErrorf("imputed_value_int64s", "has %d, beyond %v", v, d)
			}
			values = append(values, T(v))
		}
	}
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		ml.Impute(tensor.Elements[T](inv.In(0)), replaced, values, tensor.Elements[T](inv.Out(0)))
		return nil
	}), nil
}

func newNormalizer[T ml.Numeric](b *Build) (ep.Kernel, error) {
	norm, err := ml.ParseNorm(b.String("norm"))
	if err != nil {
		return nil, b.AttrErrorf("norm", "%v", err)
	}
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		x := inv.In(0)
		s := x.Shape()
		ml.Normalize(norm, tensor.Elements[T](x), s[len(s)-1], tensor.Elements[float32](inv.Out(0)))
		return nil
	}), nil
}

func newScaler[T ml.Numeric](b *Build) (ep.Kernel, error) {
	offset, scale := b.Floats("offset"), b.Floats("scale")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		ml.Scale(tensor.Elements[T](inv.In(0)), offset, scale, tensor.Elements[float32](inv.Out(0)))
		return nil
	}), nil
}

// newOneHotNumbers truncates numbers to integers to look them up.
func newOneHotNumbers[T ml.Numeric](b *Build) (ep.Kernel, error) {
	return newOneHotEncoder(b, b.Ints("cats_int64s"), func(v T) int64 { return int64(v) })
}

func newOneHotStrings(b *Build) (ep.Kernel, error) {
	return newOneHotEncoder(b, b.Strings("cats_strings"), func(s string) string { return s })
}

func newOneHotEncoder[T tensor.Element, K comparable](b *Build, list []K, key func(T) K) (ep.Kernel, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("no categories are given for %v", b.DType(0))
	}
	categories := make(map[K]int, len(list))
	for i, c := range list {
		categories[c] = i
	}
	zeros := b.Bool("zeros")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		return ml.OneHot(tensor.Elements[T](inv.In(0)), key, categories, len(list), zeros, tensor.Elements[float32](inv.Out(0)))
	}), nil
}
