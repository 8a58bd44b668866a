package op_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// moveCase is a node of the operators that move elements, what is known of its
// inputs, and what its shape function says of the outputs.
type moveCase struct {
	op    string
	opset int
	attrs []graph.Attr
	in    []op.Fact
	// want describes the outputs, as moveFact reads inputs; an error starts with
	// ! and goes on with a part of its text, and | for each further output.
	want string
}

// moveFact reads what is known of a value: "float[N,3,?]", "float" of unknown
// rank, "int64[2]=5,N" with elements, "" for an omitted input.
func moveFact(s string) op.Fact {
	if s == "" {
		return op.Fact{}
	}
	text, elems, hasElems := strings.Cut(s, "=")
	name, dims, ranked := strings.Cut(text, "[")
	d, err := tensor.ParseDType(name)
	if err != nil {
		panic(err)
	}
	var shape graph.Shape
	if ranked {
		var list []graph.Dim
		for _, f := range strings.Split(strings.TrimSuffix(dims, "]"), ",") {
			n, err := strconv.Atoi(f)
			switch {
			case f == "":
			case f == "?":
				list = append(list, graph.Dim{})
			case err != nil:
				list = append(list, graph.Symbol(f))
			default:
				list = append(list, graph.Known(n))
			}
		}
		shape = graph.ShapeOf(list...)
	}
	f := op.Fact{Type: graph.TensorType(d, shape)}
	if !hasElems {
		return f
	}
	if d == tensor.Bool {
		f.Const = tensor.Scalar(elems == "1")
		return f
	}
	f.Ints = &op.Ints{Scalar: shape.HasRank(0)}
	for _, e := range strings.Split(elems, ",") {
		n, err := strconv.ParseInt(e, 10, 64)
		switch {
		case e == "":
		case e == "?":
			f.Ints.Elems = append(f.Ints.Elems, op.Int{})
		case err != nil:
			f.Ints.Elems = append(f.Ints.Elems, op.DimInt(graph.Symbol(e)))
		default:
			f.Ints.Elems = append(f.Ints.Elems, op.KnownInt(n))
		}
	}
	return f
}

func moveFacts(list ...string) []op.Fact {
	out := make([]op.Fact, len(list))
	for i, s := range list {
		out[i] = moveFact(s)
	}
	return out
}

// printFact is the inverse of moveFact.
func printFact(f op.Fact) string {
	if !f.Type.IsTensor() {
		return f.Type.String()
	}
	s := f.Type.DType.ONNX()
	if f.Type.Shape.IsRanked() {
		s += f.Type.Shape.String()
	}
	if f.Ints == nil {
		return s
	}
	s += "="
	for i, e := range f.Ints.Elems {
		if i > 0 {
			s += ","
		}
		s += e.Dim().String()
		if v, ok := e.Value(); ok && v < 0 {
			s = s[:len(s)-1] + strconv.FormatInt(v, 10)
		}
	}
	return s
}

func inferMove(t testing.TB, domain string, c moveCase, outputs int) ([]op.Fact, error) {
	t.Helper()
	g := graph.New("case")
	spec := graph.NodeSpec{Name: "n", Domain: domain, Op: c.op, Opset: c.opset, Attrs: c.attrs}
	for i, f := range c.in {
		id := graph.NoValue
		if f.Type.IsKnown() {
			var err error
			if id, err = g.AddValue(fmt.Sprint("in", i), f.Type); err != nil {
				t.Fatal(err)
			}
		}
		spec.Inputs = append(spec.Inputs, id)
	}
	for i := range outputs {
		id, err := g.AddValue(fmt.Sprint("out", i), graph.Type{})
		if err != nil {
			t.Fatal(err)
		}
		spec.Outputs = append(spec.Outputs, id)
	}
	id, err := g.AddNode(spec)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]op.Fact, outputs)
	env := &op.Env{Registry: op.Standard()}
	return out, env.Node(g.Node(id), c.in, nil, out)
}

func runMoveCases(t *testing.T, cases []moveCase) {
	t.Helper()
	runMoveCasesOf(t, "", cases)
}

func runMoveCasesOf(t *testing.T, domain string, cases []moveCase) {
	t.Helper()
	for _, c := range cases {
		want, failing := strings.CutPrefix(c.want, "!")
		outputs := 1 + strings.Count(c.want, " | ")
		if failing {
			want = strings.TrimRight(want, "| ")
		}
		got, err := inferMove(t, domain, c, outputs)
		if failing {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s-%d %v: error %v, want one with %q", c.op, c.opset, c.in, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s-%d: %v", c.op, c.opset, err)
			continue
		}
		var parts []string
		for _, f := range got {
			parts = append(parts, printFact(f))
		}
		if s := strings.Join(parts, " | "); s != c.want {
			t.Errorf("%s-%d: got %s, want %s", c.op, c.opset, s, c.want)
		}
	}
}

func attrs(pairs ...any) []graph.Attr {
	var out []graph.Attr
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, graph.NewAttr(pairs[i].(string), pairs[i+1]))
	}
	return out
}

func TestReshapeShapes(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"Reshape", 14, nil, moveFacts("float[2,3,4]", "int64[2]=0,-1"), "float[2,12]"},
		{"Reshape", 14, nil, moveFacts("float[N,3,4]", "int64[2]=0,-1"), "float[N,12]"},
		{"Reshape", 14, nil, moveFacts("float[N,3,4]", "int64[2]=-1,12"), "float[N,12]"},
		{"Reshape", 14, nil, moveFacts("float[N,3,4]", "int64[3]=N,-1,2"), "float[N,6,2]"},
		{"Reshape", 14, nil, moveFacts("float", "int64[3]"), "float[?,?,?]"},
		{"Reshape", 14, nil, moveFacts("float[2]", "int64"), "float"},
		{"Reshape", 14, nil, moveFacts("int64[1]=N", "int64[0]="), "int64[]=N"},
		{"Reshape", 14, attrs("allowzero", 1), moveFacts("float[0,3]", "int64[2]=3,0"), "float[3,0]"},
		{"Reshape", 1, attrs("shape", []int{6, -1}), moveFacts("float[2,3,4]"), "float[6,4]"},
		{"Reshape", 14, nil, moveFacts("float[2,3]", "int64[1]=7"), "!cannot reshape"},
		{"Reshape", 14, nil, moveFacts("float[2,3]", "int64[2]=-1,-1"), "!both -1"},
		{"Reshape", 14, nil, moveFacts("float[2,3]", "int64[1]=-2"), "!is -2"},
		{"Reshape", 14, nil, moveFacts("float[2,3]", "int64[2]=-1,4"), "!not be whole"},
		{"Reshape", 14, nil, moveFacts("float[2,3]", "int64[3]=-1,4611686018427387904,4611686018427387904"), "!too large"},
		{"Reshape", 14, nil, moveFacts("float[4611686018427387904,4611686018427387904]", "int64[2]=-1,4"), "!too large"},
		{"Reshape", 14, nil, moveFacts("float[0,3,4]", "int64[2]=0,-1"), "float[0,12]"},
		{"Reshape", 14, attrs("allowzero", 1), moveFacts("float[2,3]", "int64[2]=0,-1"), "!could be any"},
		{"Flatten", 13, nil, moveFacts("float[2,3,4]"), "float[2,12]"},
		{"Flatten", 13, attrs("axis", 0), moveFacts("float[N,1]"), "float[1,N]"},
		{"Flatten", 13, attrs("axis", -1), moveFacts("float[2,N,4]"), "float[?,4]"},
		{"Flatten", 13, nil, moveFacts("float"), "float[?,?]"},
		{"Flatten", 13, attrs("axis", 3), moveFacts("float[2,3]"), "!is 3"},
		{"Flatten", 13, nil, moveFacts("float[2,4611686018427387904,4611686018427387904]"), "float[2,?]"},
		{"Squeeze", 13, nil, moveFacts("float[1,3,1]", "int64[1]=-1"), "float[1,3]"},
		{"Squeeze", 13, nil, moveFacts("float[1,3,1]"), "float[3]"},
		{"Squeeze", 13, nil, moveFacts("float[N,1]"), "float"},
		{"Squeeze", 11, attrs("axes", []int{0}), moveFacts("int64[1]=N"), "int64[]=N"},
		{"Squeeze", 13, nil, moveFacts("float[1,3]", "int64[1]=1"), "!not 1"},
		{"Squeeze", 13, nil, moveFacts("float[1,3]", "int64[1]=2"), "!out of range"},
		{"Unsqueeze", 13, nil, moveFacts("float[3,4]", "int64[2]=0,-1"), "float[1,3,4,1]"},
		{"Unsqueeze", 11, attrs("axes", []int{0}), moveFacts("int64[]=N"), "int64[1]=N"},
		{"Unsqueeze", 13, nil, moveFacts("float[3]", "int64[2]=0,0"), "!named twice"},
		{"Unsqueeze", 13, nil, moveFacts("float[3]", "int64[1]=-3"), "!out of range"},
		{"Expand", 13, nil, moveFacts("float[3,1]", "int64[3]=2,1,6"), "float[2,3,6]"},
		{"Expand", 13, nil, moveFacts("float[1,N]", "int64[2]=M,1"), "float[M,N]"},
		{"Expand", 13, nil, moveFacts("int64[1]=7", "int64[1]=3"), "int64[3]=7,7,7"},
		{"Expand", 13, nil, moveFacts("float[3]", "int64[1]=4"), "!do not broadcast"},
		{"Expand", 13, nil, moveFacts("float[3]", "int64[1]=-1"), "!is -1"},
		{"Transpose", 13, nil, moveFacts("float[2,N,4]"), "float[4,N,2]"},
		{"Transpose", 13, attrs("perm", []int{1, 0, 2}), moveFacts("float[2,N,4]"), "float[N,2,4]"},
		{"Transpose", 13, attrs("perm", []int{1, 0}), moveFacts("float"), "float[?,?]"},
		{"Transpose", 13, attrs("perm", []int{0, 0}), moveFacts("float[2,3]"), "!no permutation"},
		{"Transpose", 13, attrs("perm", []int{0}), moveFacts("float[2,3]"), "!must name each"},
		{"Shape", 15, nil, moveFacts("float[2,N,?]"), "int64[3]=2,N,?"},
		{"Shape", 15, attrs("start", -2, "end", 9), moveFacts("float[2,N,4]"), "int64[2]=N,4"},
		{"Shape", 15, attrs("start", 2, "end", 1), moveFacts("float[2,N,4]"), "int64[0]="},
		{"Shape", 1, nil, moveFacts("float"), "int64[?]"},
		{"Size", 13, nil, moveFacts("float[2,3]"), "int64[]=6"},
		{"Size", 13, nil, moveFacts("float[0,N]"), "int64[]=0"},
		{"Size", 13, nil, moveFacts("float[2,N]"), "int64[]=?"},
		{"Identity", 16, nil, moveFacts("int64[2]=N,3"), "int64[2]=N,3"},
	})
}

func tensorOf(list []int64) *tensor.Tensor { return tensor.Must(tensor.FromSlice(list)) }
