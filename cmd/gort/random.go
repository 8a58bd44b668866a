package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"gort/graph"
	"gort/tensor"
)

// randomValue makes a value of a declared type: floats in [0,1), signed integers
// 0 or 1 (which index anything that has two elements), bytes over their whole
// range, bools, and one-letter strings. Sequences are empty, optionals hold
// nothing. The same name and seed give the same elements.
func randomValue(name string, t graph.Type, shape tensor.Shape, seed uint64) (tensor.Value, error) {
	switch t.Kind {
	case tensor.KindTensor:
		if !t.DType.Valid() {
			return nil, fmt.Errorf("input %q has no element type in the model; give a value", name)
		}
		h := fnv.New64a()
		h.Write([]byte(name))
		return randomTensor(t.DType, shape, rand.New(rand.NewPCG(seed, h.Sum64())))
	case tensor.KindSequence:
		return &tensor.Sequence{Elem: elemType(t)}, nil
	case tensor.KindOptional:
		return &tensor.Optional{Elem: elemType(t)}, nil
	}
	return nil, fmt.Errorf("input %q is %v, which can not be made up; give a value", name, t)
}

func elemType(t graph.Type) tensor.Type {
	if t.Elem == nil {
		return tensor.Type{}
	}
	return t.Elem.WithoutShape()
}

func randomTensor(d tensor.DType, shape tensor.Shape, r *rand.Rand) (*tensor.Tensor, error) {
	switch {
	case d == tensor.String:
		return fillSlice(shape, func() string { return string(rune('a' + r.IntN(26))) })
	case d == tensor.Bool:
		return fillSlice(shape, func() bool { return r.IntN(2) == 1 })
	case d == tensor.Uint8:
		return fillSlice(shape, func() uint8 { return uint8(r.IntN(256)) })
	case d == tensor.Int8:
		return fillSlice(shape, func() int8 { return int8(r.IntN(256) - 128) })
	case d == tensor.Float32:
		return fillSlice(shape, r.Float32)
	case d.Class() == tensor.ClassInt || d.Class() == tensor.ClassUint:
		return fillConverted(d, shape, func() int64 { return int64(r.IntN(2)) })
	}
	return fillConverted(d, shape, r.Float32)
}

func fillSlice[T tensor.Element](shape tensor.Shape, next func() T) (*tensor.Tensor, error) {
	t, err := tensor.New(tensor.DTypeOf[T](), shape...)
	if err != nil {
		return nil, err
	}
	data := tensor.Elements[T](t)
	for i := range data {
		data[i] = next()
	}
	return t, nil
}

func fillConverted[T tensor.Element](d tensor.DType, shape tensor.Shape, next func() T) (*tensor.Tensor, error) {
	t, err := fillSlice(shape, next)
	if err != nil {
		return nil, err
	}
	return tensor.Convert(t, d, tensor.ConvertOptions{})
}
