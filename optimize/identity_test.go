package optimize_test

import (
	"testing"

	"gort/optimize"
)

func TestIdentities(t *testing.T) {
	check(t, []rewrite{
		{"Identity", "in x float[N]\ny = Identity(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"a chain", "in x float[N]\na = Identity(x)\nb = Identity(a)\nc = Identity(b)\nz = Relu(c)\nout z", "z = Relu(x)\nout z"},
		{"an output of the graph", "in x float[N]\na = Relu(x)\ny = Identity(a)\nout y a y", "a = Relu(x)\nout a, a, a"},
		{"an input as an output", "in x float[N]\ny = Identity(x)\nz = Neg(x)\nout z y", "z = Neg(x)\nout z, x"},
		{"a sequence", "in x float[N]\ns = SequenceConstruct(x)\ni = Identity(s)\ny = ConcatFromSequence<axis=0>(i)\nout y",
			"s = SequenceConstruct(x)\ny = ConcatFromSequence(s)\nout y"},
		{"Cast to its type", "in x float[N]\ny = Cast<to=1>(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"CastLike", "in x float[N]\nin w float[M]\ny = CastLike(x, w)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Reshape to its shape", "in x float[2,3]\nconst s int64[2] 2 3\ny = Reshape(x, s)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Reshape to its shape with an unknown size", "in x float[N,3]\ns = Shape(x)\ny = Reshape(x, s)\nz = Relu(y)\nout z", "s = Shape(x)\nz = Relu(x)\nout z"},
		{"Flatten of a matrix", "in x float[N,3]\ny = Flatten(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Expand to its shape", "in x float[2,3]\nconst s int64[2] 2 1\ny = Expand(x, s)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Squeeze of no axes", "in x float[2,3]\nconst a int64[0] 0\ny = Squeeze(x, a)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Transpose that turns nothing", "in x float[2,3]\ny = Transpose<perm=[0 1]>(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Concat of one", "in x float[N]\ny = Concat<axis=0>(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Sum, Max, Min and Mean of one", "in x float[N]\na = Sum(x)\nb = Max(a)\nc = Min(b)\nd = Mean(c)\nz = Relu(d)\nout z", "z = Relu(x)\nout z"},
		{"Tile by ones", "in x float[N,3]\nconst r int64[2] 1 1\ny = Tile(x, r)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Pad by nothing", "in x float[N,3]\nconst p int64[4] 0\ny = Pad(x, p)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"times one", "in x float[N]\nconst one float[] 1\ny = Mul(x, one)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"one times", "in x float[N]\nconst one float[1] 1\ny = Mul(one, x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"by one", "in x float[N]\nconst one float[] 1\ny = Div(x, one)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"integers plus and minus zero", "in x int64[N]\nconst no int64[] 0\na = Add(x, no)\nb = Add(no, a)\nc = Sub(b, no)\nz = Neg(c)\nout z", "z = Neg(x)\nout z"},
		{"a captured one", `
			in c bool[]
			in x float[N]
			const one float[] 1
			y = If<then_branch=@then, else_branch=@else>(c) captures x one
			out y
			graph then:
			  capture x
			  capture one
			  r = Mul(x, one)
			  s = Relu(r)
			  out s
			graph else:
			  capture x
			  r = Identity(x)
			  out r`,
			`y = If(c) captures x
			out y
			graph then:
			s = Relu(x)
			out s
			graph else:
			out x`},
		{"Dropout", "in x float[N]\ny = Dropout(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Dropout with a ratio and a mask nobody reads", "in x float[N]\nconst r float[] 0.5\ny, m = Dropout(x, r)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Dropout told not to train", "in x float[N]\nconst t bool[] 0\ny = Dropout(x, _, t)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Dropout of opset 7", "opset 7\nin x float[N]\ny = Dropout(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
		{"Dropout of opset 6 in test mode", "opset 6\nin x float[N]\ny = Dropout<is_test=1>(x)\nz = Relu(y)\nout z", "z = Relu(x)\nout z"},
	}, optimize.Identities{})
}

func TestIdentitiesLeave(t *testing.T) {
	check(t, []rewrite{
		{name: "Cast to another type", before: "in x float[N]\ny = Cast<to=11>(x)\nout y"},
		{name: "Cast of an unknown type", before: "in x ?\ny = Cast<to=1>(x)\nout y"},
		{name: "Reshape to another shape of as many elements", before: "in x float[2,3]\nconst s int64[2] 3 2\ny = Reshape(x, s)\nout y"},
		{name: "Reshape where two sizes are not known", before: "in x float[?,3]\ns = Shape(x)\ny = Reshape(x, s)\nout y"},
		{name: "Reshape of other symbols", before: "in x float[N,M]\nin s int64[2]\ny = Reshape(x, s)\nout y"},
		{name: "Flatten of a cube", before: "in x float[2,3,4]\ny = Flatten(x)\nout y"},
		{name: "Expand to more", before: "in x float[1,3]\nconst s int64[2] 2 3\ny = Expand(x, s)\nout y"},
		{name: "Transpose without an order", before: "in x float[3,3]\ny = Transpose(x)\nout y"},
		{name: "Concat of two", before: "in x float[N]\ny = Concat<axis=0>(x, x)\nout y"},
		{name: "Tile by two", before: "in x float[N,3]\nconst r int64[2] 1 2\ny = Tile(x, r)\nout y"},
		{name: "Pad by one", before: "in x float[N,3]\nconst p int64[4] 0 0 0 1\ny = Pad(x, p)\nout y"},
		{name: "Pad by what is given", before: "in x float[N,3]\nin p int64[4]\ny = Pad(x, p)\nout y"},
		{name: "one by", before: "in x float[N]\nconst one float[] 1\ny = Div(one, x)\nout y"},
		{name: "integers from zero", before: "in x int64[N]\nconst no int64[] 0\ny = Sub(no, x)\nout y"},
		{name: "times nearly one", before: "in x float[N]\nconst k float[] 1.0000001\ny = Mul(x, k)\nout y"},
		{name: "times ones that add a dimension", before: "in x float[N]\nconst one float[1,1] 1\ny = Mul(x, one)\nout y"},
		{name: "times ones that repeat", before: "in x float[1]\nconst one float[3] 1\ny = Mul(x, one)\nout y"},
		{name: "floats plus zero, which makes of -0 a 0", before: "in x float[N]\nconst no float[] 0\ny = Add(x, no)\nout y"},
		{name: "floats minus zero", before: "in x float[N]\nconst no float[] -0\ny = Sub(x, no)\nout y"},
		{name: "times one of opset 6", before: "opset 6\nin x float[N]\nconst one float[1] 1\ny = Mul<broadcast=1>(x, one)\nout y"},
		{name: "Dropout with a mask that is read", before: "in x float[N]\ny, m = Dropout(x)\nz = Relu(y)\nout z m"},
		{name: "Dropout that trains", before: "in x float[N]\nconst t bool[] 1\ny = Dropout(x, _, t)\nz = Relu(y)\nout z"},
		{name: "Dropout that may train", before: "in x float[N]\nin t bool[]\ny = Dropout(x, _, t)\nz = Relu(y)\nout z"},
		{name: "Dropout of opset 6", before: "opset 6\nin x float[N]\ny = Dropout(x)\nz = Relu(y)\nout z"},
		{name: "Max of two that are one", before: "in x float[N]\ny = Max(x, x)\nout y"},
		{name: "another domain's Identity", before: "in x float[N]\ny = com.example.Identity(x)\nout y"},
	}, optimize.Identities{})
}

// What is declared of a removed value is not forgotten: nobody else may know it.
func TestIdentitiesKeepWhatIsDeclared(t *testing.T) {
	g := parse(t, `
		in x float[N]
		v = NonZero(x)
		y = Identity(v)
		z = Shape(y)
		out z`)
	y, _ := g.Lookup("y")
	g.Value(y).Type = parseType("int64[1,7]")
	round(t, g, 0, optimize.Identities{})
	v, _ := g.Lookup("v")
	if got := g.Value(v).Type.String(); got != "tensor(int64)[1,7]" {
		t.Errorf("v is declared as %s, want tensor(int64)[1,7]", got)
	}
	round(t, g, 0, optimize.FoldShapes{}, optimize.Dead{})
	wantGraph(t, g, "out [1 7]")
}
