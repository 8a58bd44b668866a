package eptest

import (
	"iter"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// shaping gives input i of a query its shape.
type shaping func(i int) graph.Shape

// sides are the dimensions of shapes by rank: small, and with equal last sides,
// so that products, convolutions and normalizations fit.
var sides = [][]int{{}, {6}, {6, 6}, {2, 6, 6}, {2, 6, 6, 6}, {2, 6, 6, 6, 6}}

func ofRank(r int) shaping { return func(int) graph.Shape { return graph.Fixed(sides[r]...) } }

// firstThen is a rank for the first input and one for all others.
func firstThen(first, others int) shaping {
	return func(i int) graph.Shape {
		if i == 0 {
			return graph.Fixed(sides[first]...)
		}
		return graph.Fixed(sides[others]...)
	}
}

var shapings = []shaping{
	func(int) graph.Shape { return graph.Shape{} },
	ofRank(0), ofRank(1), ofRank(2), ofRank(3), ofRank(4), ofRank(5),
	firstThen(2, 1), firstThen(3, 1), firstThen(4, 1), firstThen(1, 0), firstThen(3, 0),
	func(int) graph.Shape { return graph.ShapeOf(graph.Symbol("batch"), graph.Known(6), graph.Dim{}) },
}

// plausible yields queries about a definition that its own checks and its shape
// function accept: each element type its constraints allow with nothing known of
// shapes, and a few with shapes of every common form.
func plausible(r *op.Registry, def *op.Def) iter.Seq[*ep.Query] {
	return func(yield func(*ep.Query) bool) {
		types := 1
		for _, set := range def.Signature().Types {
			types = max(types, len(set.List()))
		}
		for i, s := range shapings {
			variants := types
			if i > 0 {
				variants = min(types, 3)
			}
			for v := range variants {
				for _, full := range []bool{false, true} {
					q, err := newQuery(r, def, s, v, full)
					if err == nil && !yield(q) {
						return
					}
				}
			}
		}
	}
}

// newQuery makes one query. variant picks among the types each type variable
// allows; full gives optional operands too.
func newQuery(r *op.Registry, def *op.Def, shape shaping, variant int, full bool) (*ep.Query, error) {
	sig, g := def.Signature(), graph.New("query")
	pick := func(p *op.Param) graph.Type {
		list := sig.Types[p.Type].List()
		return graph.FromTensorType(list[variant%len(list)])
	}
	spec := graph.NodeSpec{Name: "node", Domain: def.Domain, Op: def.Name, Opset: def.Since}
	var facts []op.Fact
	for i := range count(sig.Inputs, full) {
		t := pick(sig.Input(i))
		if t.IsTensor() {
			t.Shape = shape(i)
		}
		spec.Inputs = append(spec.Inputs, g.NewValue(t))
		facts = append(facts, op.Fact{Type: t})
	}
	for range max(count(sig.Outputs, full), 1) {
		spec.Outputs = append(spec.Outputs, g.NewValue(graph.Type{}))
	}
	attrs, err := requiredAttrs(def, facts, len(spec.Outputs))
	if err != nil {
		return nil, err
	}
	spec.Attrs = attrs
	id, err := g.AddNode(spec)
	if err != nil {
		return nil, err
	}
	n, out := g.Node(id), make([]op.Fact, len(spec.Outputs))
	if err := (&op.Env{Registry: r}).NodeDef(def, n, facts, nil, out); err != nil {
		return nil, err
	}
	q := &ep.Query{Node: n, Def: def, Opset: def.Since}
	for _, f := range facts {
		q.Inputs = append(q.Inputs, ep.Operand{Present: true, Type: f.Type})
	}
	for _, f := range out {
		q.Outputs = append(q.Outputs, ep.Operand{Present: true, Type: f.Type})
	}
	return q, nil
}

// count is how many operands to give: as few as allowed, or all, repeated ones twice.
func count(params []op.Param, full bool) int {
	n, least := 0, 0
	for _, p := range params {
		switch {
		case p.Arity == op.Variadic && full:
			n += 2
		case p.Arity == op.Variadic:
			n += max(p.Min, 1)
			least = n
		default:
			n++
			if p.Arity == op.Single {
				least = n
			}
		}
	}
	if full {
		return n
	}
	return least
}

// attrValues are the values of required attributes for which zero is no example.
var attrValues = map[string]any{
	"to": 1, "equation": "...->...", "kernel_shape": []int{2, 2}, "blocksize": 2, "size": 3, "num_groups": 2,
	"shape": []int{6}, "pooled_shape": []int{2, 2}, "scales": []float32{1, 1, 1, 1}, "k": 1,
	"q_num_heads": 2, "kv_num_heads": 2, "num_heads": 2, "groups": 2, "opset": 13, "border": []int{0, 0, 0, 0}, "min_gram_length": 1, "max_gram_length": 2, "mode": "TF", "K": 4, "N": 4, "block_size": 16,
	"mrope_section": []int{1, 1, 1}, "signal_ndim": 1, "onesided": 1, "ngram_size": 2, "mincharnum": 1,
	"width_scale": float32(2), "height_scale": float32(2), "starts": []int{0}, "ends": []int{1},
}

// operatorAttrs are attributes of which an operator needs one though its
// definition requires none.
var operatorAttrs = map[string][]graph.Attr{
	"BitShift":         {graph.NewAttr("direction", "LEFT")},
	"Cast":             {graph.NewAttr("to", "FLOAT")}, // version 1
	"Constant":         {graph.NewAttr("value", one())},
	"LpPool":           {graph.NewAttr("kernel_shape", []int{2, 2})},
	"DictVectorizer":   {graph.NewAttr("string_vocabulary", []string{"a"}), graph.NewAttr("int64_vocabulary", []int{1})},
	"Imputer":          {graph.NewAttr("imputed_value_floats", []float32{1})},
	"LabelEncoder":     {graph.NewAttr("keys_strings", []string{"a"}), graph.NewAttr("values_int64s", []int{1})},
	"LinearClassifier": {graph.NewAttr("coefficients", []float32{1}), graph.NewAttr("classlabels_ints", []int{1})},
	"LinearRegressor":  {graph.NewAttr("coefficients", []float32{1})},
	"OneHotEncoder":    {graph.NewAttr("cats_int64s", []int{1})},
	"Scaler":           {graph.NewAttr("offset", []float32{1}), graph.NewAttr("scale", []float32{1})},
	"SVMRegressor":     {graph.NewAttr("coefficients", []float32{1}), graph.NewAttr("rho", []float32{0})},
	"TreeEnsemble":     {graph.NewAttr("nodes_trueleafs", []int{1}), graph.NewAttr("nodes_falseleafs", []int{1})},
	"ZipMap":           {graph.NewAttr("classlabels_int64s", []int{1})},
}

func one() *tensor.Tensor {
	t, err := tensor.FromSlice([]float32{1}, 1)
	if err != nil {
		panic(err)
	}
	return t
}

// requiredAttrs are values for a definition's required attributes.
func requiredAttrs(def *op.Def, in []op.Fact, outputs int) ([]graph.Attr, error) {
	var out []graph.Attr
	given := map[string]bool{}
	for _, a := range operatorAttrs[def.Name] {
		if formal := def.Signature().Attr(a.Name); formal != nil && formal.Kind == a.Kind {
			out = append(out, a)
			given[a.Name] = true
		}
	}
	for _, a := range def.Signature().Attrs {
		if !a.Required || given[a.Name] {
			continue
		}
		if v, ok := attrValues[a.Name]; ok && graph.NewAttr(a.Name, v).Kind == a.Kind {
			out = append(out, graph.NewAttr(a.Name, v))
			continue
		}
		switch a.Kind {
		case graph.AttrInt:
			v := 0
			if a.Name == "num_scan_inputs" {
				v = scanInputs(def, in)
			}
			out = append(out, graph.NewAttr(a.Name, v))
		case graph.AttrFloat:
			out = append(out, graph.NewAttr(a.Name, float32(1)))
		case graph.AttrString:
			out = append(out, graph.NewAttr(a.Name, ""))
		case graph.AttrInts:
			out = append(out, graph.NewAttr(a.Name, []int{0}))
		case graph.AttrFloats:
			out = append(out, graph.NewAttr(a.Name, []float32{1}))
		case graph.AttrStrings:
			out = append(out, graph.NewAttr(a.Name, []string{"a"}))
		case graph.AttrTensor:
			out = append(out, graph.NewAttr(a.Name, one()))
		case graph.AttrGraph:
			g, err := body(def, in, outputs)
			if err != nil {
				return nil, err
			}
			out = append(out, graph.NewAttr(a.Name, g))
		}
	}
	return out, nil
}

// scanInputs: all inputs of a Scan are scanned; version 8 has the lengths before them.
func scanInputs(def *op.Def, in []op.Fact) int {
	if def.Since < 9 {
		return len(in) - 1
	}
	return len(in)
}

// body is a subgraph that suits the operator: it hands its inputs on, or gives
// constants when it has none.
func body(def *op.Def, in []op.Fact, outputs int) (*graph.Graph, error) {
	g := graph.New("body")
	input := func(t graph.Type) (graph.ValueID, error) {
		id := g.NewValue(t)
		return id, g.AddInput(id)
	}
	give := func(ids ...graph.ValueID) error {
		for _, id := range ids {
			if err := g.AddOutput(id); err != nil {
				return err
			}
		}
		return nil
	}
	var ids []graph.ValueID
	take := func(types ...graph.Type) error {
		for _, t := range types {
			id, err := input(t)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	}
	switch def.Name {
	case "If":
		for range outputs {
			t, err := tensor.FromSlice([]float32{1})
			if err != nil {
				return nil, err
			}
			id, err := g.AddConst("", t)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return g, give(ids...)
	case "Loop":
		if err := take(graph.TensorType(tensor.Int64, graph.Fixed()), graph.TensorType(tensor.Bool, graph.Fixed())); err != nil {
			return nil, err
		}
		for range max(len(in)-2, 0) {
			if err := take(graph.Type{}); err != nil {
				return nil, err
			}
		}
		return g, give(ids[1:]...)
	case "Scan":
		for range scanInputs(def, in) {
			if err := take(graph.Type{}); err != nil {
				return nil, err
			}
		}
		return g, give(ids...)
	}
	for range in { // SequenceMap and its like: one element of each
		if err := take(graph.Type{}); err != nil {
			return nil, err
		}
	}
	return g, give(ids[:min(outputs, len(ids))]...)
}
