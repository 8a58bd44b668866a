package cpu

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"gort/ep"
	"gort/internal/kernel/ml"
	"gort/op"
	"gort/tensor"
)

var mlmapBindings = []Binding{
	{Domain: "ai.onnx.ml", Op: "CastMap", New: newCastMap},
	{Domain: "ai.onnx.ml", Op: "CategoryMapper", New: newCategoryMapper},
	{Domain: "ai.onnx.ml", Op: "DictVectorizer", New: newDictVectorizer},
	{Domain: "ai.onnx.ml", Op: "LabelEncoder", To: 1, New: newLabelEncoder1},
	{Domain: "ai.onnx.ml", Op: "LabelEncoder", From: 2, New: newLabelEncoder},
	{Domain: "ai.onnx.ml", Op: "ZipMap", New: newZipMap},
}

// mapInput returns input 0, a map whose values are one tensor.
func mapInput(inv *ep.Invocation) (*tensor.Map, *tensor.Tensor, error) {
	m, ok := inv.InValue(0).(*tensor.Map)
	if !ok {
		return nil, nil, fmt.Errorf("input 0 is %T, must be a map", inv.InValue(0))
	}
	values, ok := m.Values.(*tensor.Tensor)
	if !ok || values.Rank() != 1 || m.Keys == nil || values.Size() != m.Keys.Size() {
		return nil, nil, fmt.Errorf("input 0 is %v, must map each key to one number or string", m)
	}
	return m, values.Contiguous(), nil
}

// newCastMap orders a map's values by their keys; with SPARSE the key is the
// position.
func newCastMap(b *Build) (ep.Kernel, error) {
	to, sparse, size := b.OutDType(0), b.String("map_form") == "SPARSE", b.Int("max_map")
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		m, values, err := mapInput(inv)
		if err != nil {
			return err
		}
		if to == tensor.String && values.DType() == tensor.Float32 {
			values, err = tensor.FromSlice(written(tensor.Elements[float32](values)))
		} else {
			values, err = tensor.Convert(values, to, tensor.ConvertOptions{})
		}
		if err != nil {
			return err
		}
		keys, err := op.Int64s(m.Keys)
		if err != nil {
			return err
		}
		from, at := make([]int, len(keys)), make([]int, len(keys))
		for i := range from {
			from[i] = i
		}
		sort.Slice(from, func(i, j int) bool { return keys[from[i]] < keys[from[j]] })
		n := len(keys)
		for i, f := range from {
			at[i] = i
			if sparse {
				if n = size; keys[f] < 0 || keys[f] >= int64(size) {
					return fmt.Errorf("the map has key %d, allowed are 0 to %d", keys[f], size-1)
				}
				at[i] = int(keys[f])
			}
		}
		if sparse {
			n = size
		}
		out, err := inv.NewOut(0, to, 1, n)
		if out == nil || err != nil {
			return err
		}
		switch to {
		case tensor.Float32:
			place(tensor.Elements[float32](out), tensor.Elements[float32](values), at, from, 0)
		case tensor.Int64:
			place(tensor.Elements[int64](out), tensor.Elements[int64](values), at, from, 0)
		case tensor.String:
			place(tensor.Elements[string](out), tensor.Elements[string](values), at, from, "0.f")
		}
		return nil
	}), nil
}

// written writes numbers with six decimals, as ONNX Runtime's CastMap does; the
// specification does not say how.
func written(list []float32) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(float64(v), 'f', 6, 64), "+"))
	}
	return out
}

// place puts src[from[i]] at dst[at[i]] and pad everywhere else.
func place[T any](dst, src []T, at, from []int, pad T) {
	for i := range dst {
		dst[i] = pad
	}
	for i, f := range from {
		dst[at[i]] = src[f]
	}
}

func newCategoryMapper(b *Build) (ep.Kernel, error) {
	return newSwap(b, b.Strings("cats_strings"), b.Ints("cats_int64s"))
}

func newLabelEncoder1(b *Build) (ep.Kernel, error) {
	list := b.Strings("classes_strings")
	index := make([]int64, len(list))
	for i := range index {
		index[i] = int64(i)
	}
	return newSwap(b, list, index)
}

// newSwap maps strings to numbers or numbers to strings, as input 0 is.
func newSwap(b *Build, list []string, numbers []int64) (ep.Kernel, error) {
	if b.DType(0) == tensor.String {
		return newTableKernel(ml.NewTable(list, numbers, b.Int64("default_int64"))), nil
	}
	return newTableKernel(ml.NewTable(numbers, list, b.String("default_string"))), nil
}

type tableElement interface {
	comparable
	tensor.Element
}

func newTableKernel[K tableElement, V tensor.Element](t *ml.Table[K, V]) ep.Kernel {
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		t.Encode(tensor.Elements[K](inv.In(0)), tensor.Elements[V](inv.Out(0)))
		return nil
	})
}

func newLabelEncoder(b *Build) (ep.Kernel, error) {
	name, keys, err := op.LabelList(b.Attrs, "keys")
	if err != nil {
		return nil, b.AttrErrorf(name, "%v", err)
	}
	switch keys.DType() {
	case tensor.Float32:
		return newLabelTable[float32](b, keys)
	case tensor.Float64:
		return newLabelTable[float64](b, keys)
	case tensor.Int16:
		return newLabelTable[int16](b, keys)
	case tensor.Int32:
		return newLabelTable[int32](b, keys)
	case tensor.Int64:
		return newLabelTable[int64](b, keys)
	case tensor.String:
		return newLabelTable[string](b, keys)
	}
	return nil, b.AttrErrorf(name, "holds %v, allowed are float, double, int16, int32, int64 and string", keys.DType())
}

func newLabelTable[K tableElement](b *Build, keys *tensor.Tensor) (ep.Kernel, error) {
	name, values, err := op.LabelList(b.Attrs, "values")
	if err != nil {
		return nil, b.AttrErrorf(name, "%v", err)
	}
	def := b.Tensor("default_tensor")
	if def != nil && (def.DType() != values.DType() || def.Size() != 1) {
		return nil, b.AttrErrorf("default_tensor", "is %v, must be one %v as the values are", def, values.DType())
	}
	switch values.DType() {
	case tensor.Float32:
		return newLabelKernel[K](keys, values, def, b.Float("default_float")), nil
	case tensor.Float64:
		return newLabelKernel[K](keys, values, def, float64(b.Float("default_float"))), nil
	case tensor.Int16:
		return newLabelKernel[K](keys, values, def, int16(-1)), nil
	case tensor.Int32:
		return newLabelKernel[K](keys, values, def, int32(-1)), nil
	case tensor.Int64:
		return newLabelKernel[K](keys, values, def, b.Int64("default_int64")), nil
	case tensor.String:
		return newLabelKernel[K](keys, values, def, b.String("default_string")), nil
	}
	return nil, b.AttrErrorf(name, "holds %v, allowed are float, double, int16, int32, int64 and string", values.DType())
}

func newLabelKernel[K tableElement, V tensor.Element](keys, values, def *tensor.Tensor, fallback V) ep.Kernel {
	if def != nil {
		fallback = tensor.Elements[V](def.Contiguous())[0]
	}
	return newTableKernel(ml.NewTable(tensor.Elements[K](keys.Contiguous()), tensor.Elements[V](values.Contiguous()), fallback))
}

func newDictVectorizer(b *Build) (ep.Kernel, error) {
	if list := b.Strings("string_vocabulary"); len(list) > 0 {
		return newDictKernel(list), nil
	}
	return newDictKernel(b.Ints("int64_vocabulary")), nil
}

func newDictKernel[K tableElement](vocabulary []K) ep.Kernel {
	index := make(map[K]int, len(vocabulary))
	for i, k := range vocabulary {
		index[k] = i
	}
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		m, values, err := mapInput(inv)
		if err != nil {
			return err
		}
		keys, err := tensor.Data[K](m.Keys.Contiguous())
		if err != nil {
			return err
		}
		at, from := make([]int, len(keys)), make([]int, len(keys))
		for i, k := range keys {
			var known bool
			if at[i], known = index[k]; !known {
				return fmt.Errorf("the map has key %v, which is not in the vocabulary", k)
			}
			from[i] = i
		}
		out, err := inv.NewOut(0, values.DType(), 1, len(vocabulary))
		if out == nil || err != nil {
			return err
		}
		switch values.DType() {
		case tensor.Float32:
			place(tensor.Elements[float32](out), tensor.Elements[float32](values), at, from, 0)
		case tensor.Float64:
			place(tensor.Elements[float64](out), tensor.Elements[float64](values), at, from, 0)
		case tensor.Int64:
			place(tensor.Elements[int64](out), tensor.Elements[int64](values), at, from, 0)
		case tensor.String:
			place(tensor.Elements[string](out), tensor.Elements[string](values), at, from, "")
		default:
			return fmt.Errorf("the map's values are %v, allowed are float, double, int64 and string", values.DType())
		}
		return nil
	})
}

// newZipMap makes one map a row; the keys are shared by all of them.
func newZipMap(b *Build) (ep.Kernel, error) {
	var keys *tensor.Tensor
	var err error
	if list := b.Strings("classlabels_strings"); len(list) > 0 {
		keys, err = tensor.FromSlice(list)
	} else {
		keys, err = tensor.FromSlice(b.Ints("classlabels_int64s"))
	}
	if err != nil {
		return nil, err
	}
	n := keys.Size()
	return Func(func(_ context.Context, inv *ep.Invocation) error {
		// The maps outlive the input, whose memory is used again.
		x := tensor.Elements[float32](inv.In(0).Clone())
		seq := &tensor.Sequence{Elem: tensor.MapOf(keys.DType(), tensor.TensorOf(tensor.Float32))}
		for ; len(x) >= n; x = x[n:] {
			values, err := tensor.FromSlice(x[:n:n])
			if err != nil {
				return err
			}
			seq.Items = append(seq.Items, &tensor.Map{Keys: keys, Values: values})
		}
		return inv.SetOut(0, seq)
	}), nil
}
