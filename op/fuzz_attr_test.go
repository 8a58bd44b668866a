package op_test

import (
	"math"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// words are values of string attributes, by the attribute's name. Any other
// attribute is given its default or one of the last list.
var words = map[string][]string{
	"auto_pad":                       {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"},
	"direction":                      {"forward", "reverse", "bidirectional", "LEFT", "RIGHT"},
	"mode":                           {"constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "bilinear", "DCR", "CRD", "avg", "sum"},
	"coordinate_transformation_mode": {"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "pytorch_half_pixel", "output_half_pixel", "half_pixel_symmetric"},
	"keep_aspect_ratio_policy":       {"stretch", "not_larger", "not_smaller"},
	"reduction":                      {"none", "mean", "sum", "add", "mul", "max", "min"},
	"map_form":                       {"DENSE", "SPARSE"},
	"cast_to":                        {"TO_FLOAT", "TO_STRING", "TO_INT64"},
	"to":                             {"FLOAT", "INT64", "STRING", "nonsense"},
	"pixel_format":                   {"RGB", "BGR", "Grayscale"},
	"equation": {
		"ij,jk->ik", "bij,bjk->bik", "...ij,...jk->...ik", "ii->i", "ij->", "i,j", "...ii->...i", " i j , j k ", "", "->", ",", "ij,jk->iz", "i->ii", "...", "i...->...", "a,b,c->abc", "ij,j k->i,k", "....i->i", "ü->ü", "ij,jk->ikk",
	},
	"": {"", "NOTSET", "none", "nonsense", "ü"},
}

// attr makes up the value of an attribute, mostly of its own kind.
func (m *maker) attr(def *op.Def, a op.AttrDef, c *call) any {
	kind := a.Kind
	if m.oneIn(50) {
		kind = oneOf(m.dice, graph.AttrInt, graph.AttrFloat, graph.AttrString, graph.AttrInts, graph.AttrTensor, graph.AttrGraph)
	}
	switch kind {
	case graph.AttrInt:
		if a.Name == "to" || a.Name == "dtype" || a.Name == "output_dtype" {
			return int64(m.below(30)) - 1
		}
		return m.number()
	case graph.AttrFloat:
		return oneOf[float32](m.dice, 0.5, 0, -1, 1, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
	case graph.AttrString:
		if s, ok := a.Default.(string); ok && m.oneIn(6) {
			return s
		}
		if m.oneIn(12) {
			return oneOf(m.dice, words[""]...)
		}
		list, ok := words[a.Name]
		if !ok {
			list = words[""]
		}
		return oneOf(m.dice, list...)
	case graph.AttrInts:
		return m.numbers()
	case graph.AttrFloats:
		list := make([]float32, m.below(7))
		for i := range list {
			list[i] = oneOf[float32](m.dice, 0.5, 1, 2, 0, -1, 1e30, float32(math.NaN()))
		}
		return list
	case graph.AttrStrings:
		list := make([]string, m.below(4))
		for i := range list {
			list[i] = oneOf(m.dice, "Tanh", "Sigmoid", "a", "", "BRANCH_LEQ", "LEAF")
		}
		return list
	case graph.AttrTensor:
		return m.tensor()
	case graph.AttrTensors:
		list := make([]*tensor.Tensor, m.below(3))
		for i := range list {
			list[i] = m.tensor()
		}
		return list
	case graph.AttrSparse:
		return m.sparse()
	case graph.AttrType:
		return m.someType()
	case graph.AttrGraph:
		return m.subgraph(def, c)
	}
	return m.number()
}

func (m *maker) tensor() *tensor.Tensor {
	if t := m.constant(tensor.DTypes()[m.below(len(tensor.DTypes()))]); t != nil {
		return t
	}
	return tensor.Must(tensor.New(tensor.Float32, 1))
}

func (m *maker) sparse() *graph.Sparse {
	s := &graph.Sparse{Values: m.tensor(), Indices: m.constant(tensor.Int64)}
	for _, n := range m.numbers() {
		s.Dims = append(s.Dims, int(n))
	}
	return s
}

func (m *maker) someType() graph.Type {
	t := m.withShapes(graph.FromTensorType(tensor.TensorOf(tensor.DTypes()[m.below(len(tensor.DTypes()))])))
	switch m.below(4) {
	case 1:
		return graph.SequenceType(t)
	case 2:
		return graph.OptionalType(t)
	case 3:
		return graph.OptionalType(graph.SequenceType(t))
	}
	return t
}

// subgraph makes up a small body: its outputs are inputs, captures, constants
// and sums of them. Its inputs are as many as its operator gives it, mostly.
func (m *maker) subgraph(def *op.Def, c *call) *graph.Graph {
	g := graph.New("sub")
	inputs := 0
	switch def.Name {
	case "Loop", "Scan", "SequenceMap":
		inputs = len(c.in)
	}
	if m.oneIn(8) {
		inputs = m.below(5)
	}
	var pool []graph.ValueID
	for range inputs {
		var t graph.Type
		if m.oneIn(2) {
			t = graph.TensorType(oneOf(m.dice, tensor.Float32, tensor.Int64, tensor.Bool), graph.Shape{})
		}
		id := g.NewValue(t)
		noError(g.AddInput(id))
		pool = append(pool, id)
	}
	if n := len(c.implicit); n > 0 && m.oneIn(2) {
		id := g.NewValue(graph.Type{})
		g.Captures = append(g.Captures, graph.Capture{Implicit: m.below(n), Inner: id})
		pool = append(pool, id)
	}
	if t := m.constant(oneOf(m.dice, tensor.Bool, tensor.Int64, tensor.Float32)); t != nil {
		pool = append(pool, made(g.AddConst("", t)))
	}
	for range m.below(4) {
		out := g.NewValue(graph.Type{})
		spec := graph.NodeSpec{Op: oneOf(m.dice, "Add", "Concat", "Shape", "Reshape", "Identity"), Opset: 13, Outputs: []graph.ValueID{out}}
		for range oneOf(m.dice, 2, 2, 1, 2, 1) {
			if len(pool) > 0 {
				spec.Inputs = append(spec.Inputs, pool[m.below(len(pool))])
			}
		}
		if spec.Op == "Concat" {
			spec.Attrs = []graph.Attr{graph.NewAttr("axis", 0)}
		}
		made(g.AddNode(spec))
		pool = append(pool, out)
	}
	if len(pool) == 0 {
		return g
	}
	outputs := c.outputs
	if m.oneIn(3) {
		outputs = m.below(4)
	}
	if def.Name == "Loop" {
		outputs++
	}
	for range outputs {
		noError(g.AddOutput(pool[m.below(len(pool))]))
	}
	return g
}

func noError(err error) {
	if err != nil {
		panic(err)
	}
}

func made[T any](v T, err error) T {
	noError(err)
	return v
}
