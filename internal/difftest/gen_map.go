package difftest

import (
	"gort/tensor"
)

// mapGenerators call the operators of ai.onnx.ml that take a map. Nothing inside a
// model makes one of tensors (ZipMap makes sequences of maps, which no operator takes
// apart), so the program that runs ONNX Runtime has to read MapProto.
var mapGenerators = []Generator{
	{Domain: "ai.onnx.ml", Op: "CastMap", Make: castMap},
	{Domain: "ai.onnx.ml", Op: "DictVectorizer", Make: func(g *G) {
		t := g.Type("T1")
		if g.Forces("T2") {
			t = tensor.MapOf(tensor.Int64, tensor.TensorOf(g.DType("T2")))
			if g.DType("T2") == tensor.Int64 {
				t.Key = tensor.String
			}
		}
		names, numbers := []string{"a", "c", "b", "z", "ab", "日本", ""}, []int64{0, 7, -3, 1 << 40, 2, 12, 5}
		n := g.Between(1, len(names))
		order := g.Perm(len(names))[:n]
		words, keys := make([]string, n), make([]int64, n)
		for i, at := range order {
			words[i], keys[i] = names[at], numbers[at]
		}
		present := g.Perm(n)[:g.Between(1, n)]
		m := &tensor.Map{Values: g.Tensor(t.Elem.DType, len(present))}
		if t.Key == tensor.String {
			g.Attr("string_vocabulary", words)
			m.Keys = pickAt(words, present)
		} else {
			g.Attr("int64_vocabulary", keys)
			m.Keys = pickAt(keys, present)
		}
		g.In(m)
	}},
}

// pickAt returns the elements at these places.
func pickAt[T tensor.Element](list []T, at []int) *tensor.Tensor {
	out := make([]T, len(at))
	for i, p := range at {
		out[i] = list[p]
	}
	return tensor.Must(tensor.FromSlice(out))
}

// castTo are the values of cast_to.
var castTo = map[tensor.DType]string{tensor.Float32: "TO_FLOAT", tensor.Int64: "TO_INT64", tensor.String: "TO_STRING"}

func castMap(g *G) {
	from, to, size := g.Type("T1").Elem.DType, g.DType("T2"), g.Between(1, 12)
	if to != tensor.Float32 || g.Maybe() {
		g.Attr("cast_to", castTo[to])
	}
	sparse := g.Maybe()
	if sparse {
		g.Attr("map_form", "SPARSE")
		g.Attr("max_map", size)
	} else {
		g.MaybeAttr("map_form", "DENSE")
	}
	keys := make([]int64, size)
	for i := range keys {
		keys[i] = int64(i)
		if !sparse {
			keys[i] = int64(i-3) * 1000
		}
	}
	n := g.Between(1, size)
	m := &tensor.Map{Keys: pickAt(keys, g.Perm(size)[:n])}
	if from == tensor.Float32 {
		m.Values = g.Tensor(from, n)
	} else {
		list := []string{"7", "-3", "0", "12"}
		switch to {
		case tensor.Float32:
			list = append(list, "1.5", "-0.25", "3e2")
		case tensor.String:
			list = words
		}
		values := make([]string, n)
		for i := range values {
			values[i] = Pick(g, list...)
		}
		m.Values = tensor.Must(tensor.FromSlice(values))
	}
	g.In(m)
}
