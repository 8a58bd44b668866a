package optimize_test

import (
	"context"
	"errors"
	"testing"

	"gort/graph"
	"gort/optimize"
	"gort/tensor"
)

func TestFold(t *testing.T) {
	check(t, []rewrite{
		{"a chain of constants", `
			in x float[N]
			const a float[] 2
			const b float[] 3
			s = Add(a, b)
			p = Mul(s, b)
			y = Add(x, p)
			out y`,
			`y = Add(x, 15)
			out y`},
		{"a node without inputs", `
			in x float[N]
			c = Constant<value_float=1.5>()
			y = Add(x, c)
			out y`,
			`y = Add(x, 1.5)
			out y`},
		{"several outputs, of which one is not read", `
			in x float[N]
			const w float[4] 1 2 3 4
			a, b = Split<num_outputs=2>(w)
			y = Add(x, b)
			out y`,
			`y = Add(x, [3 4])
			out y`},
		{"an omitted input", `
			in x float[N]
			const w float[3] 1 5 9
			const most float[] 6
			c = Clip(w, _, most)
			y = Add(x, c)
			out y`,
			`y = Add(x, [1 5 6])
			out y`},
		{"a result that is an output of the graph", `
			in x float[N]
			const a float[] 2
			z = Neg(a)
			y = Relu(x)
			out z y z`,
			`y = Relu(x)
			out -2, y, -2`},
		{"a constant that something else reads too", `
			in x float[N]
			const a float[] 2
			n = Neg(a)
			s = Add(x, n)
			y = Mul(s, a)
			out y`,
			`s = Add(x, -2)
			y = Mul(s, 2)
			out y`},
		{"one value twice as an input", `
			in x float[N]
			const a float[] 2
			s = Add(a, a)
			y = Add(x, s)
			out y`,
			`y = Add(x, 4)
			out y`},
		{"inside a branch", `
			in c bool[]
			in x float[N]
			y = If<then_branch=@then, else_branch=@else>(c) captures x
			out y
			graph then:
			  capture x
			  const a float[] 2
			  n = Neg(a)
			  r = Add(x, n)
			  out r
			graph else:
			  capture x
			  r = Relu(x)
			  out r`,
			`y = If(c) captures x
			out y
			graph then:
			r = Add(x, -2)
			out r
			graph else:
			r = Relu(x)
			out r`},
		{"a captured constant", `
			in c bool[]
			in x float[N]
			const a float[] 2
			y = If<then_branch=@then, else_branch=@else>(c) captures x a
			out y
			graph then:
			  capture x
			  capture a
			  n = Neg(a)
			  r = Add(x, n)
			  out r
			graph else:
			  capture x
			  r = Relu(x)
			  out r`,
			`y = If(c) captures x
			out y
			graph then:
			r = Add(x, -2)
			out r
			graph else:
			r = Relu(x)
			out r`},
		{"what stays the same in a loop, not what it carries", `
			in m int64[]
			const start float[] 1
			const step float[] 2
			y = Loop<body=@body>(m, _, start) captures step
			out y
			graph body:
			  in i int64[]
			  in go bool[]
			  in v float[]
			  capture step
			  const half float[] 0.5
			  inside = Mul(step, half)
			  next = Add(v, inside)
			  on = Identity(go)
			  out on next`,
			`y = Loop(m, _, 1)
			out y
			graph body:
			next = Add(v, 1)
			on = Identity(go)
			out on, next`},
		{"NaN", `
			in x float[N]
			const a float[] NaN
			const b float[] 1
			s = Add(a, b)
			y = Add(x, s)
			out y`,
			`y = Add(x, NaN)
			out y`},
		{"negative zero", `
			in x float[N]
			const a float[] 0
			n = Neg(a)
			y = Add(x, n)
			out y`,
			`y = Add(x, -0)
			out y`},
	}, optimize.Fold{})
}

func TestFoldLeaves(t *testing.T) {
	check(t, []rewrite{
		{name: "what depends on an input", before: `
			in x float[N]
			const a float[] 2
			y = Add(x, a)
			out y`},
		{name: "what differs from run to run", before: `
			a = RandomNormal<shape=[2]>()
			const like float[2] 1
			b = RandomUniformLike(like)
			y = Add(a, b)
			out y`},
		{name: "sequences", before: `
			const a float[2] 1
			s = SequenceConstruct(a, a)
			y = ConcatFromSequence<axis=0>(s)
			out y`},
		{name: "subgraphs", before: `
			const c bool[] 1
			y = If<then_branch=@then, else_branch=@else>(c)
			out y
			graph then:
			  const a float[] 1
			  out a
			graph else:
			  const b float[] 2
			  out b`},
	}, optimize.Fold{})
}

// A default that a caller may override is no constant.
func TestFoldLeavesDefaults(t *testing.T) {
	g := parse(t, `
		in x float[2]
		y = Neg(x)
		out y`)
	id, _ := g.Lookup("x")
	g.Value(id).Const = parseConst(t, "float[2]", []string{"1"})
	if round(t, g, 0, optimize.Fold{}) {
		t.Errorf("folded a default: %s", text(t, g))
	}
}

// Results may together exceed what they make superfluous by no more than the
// allowed growth, in the order of execution.
func TestFoldGrowth(t *testing.T) {
	const before = `
		const shape int64[1] 100
		const more int64[1] 100
		a = ConstantOfShape(shape)
		b = ConstantOfShape(more)
		out a b`
	for _, c := range []struct {
		growth int64
		want   string
		left   int64
	}{
		{391, "a = ConstantOfShape([100])\nb = ConstantOfShape([100])\nout a, b", 391},
		{392, "b = ConstantOfShape([100])\nout float32:100, b", 0},
		{783, "b = ConstantOfShape([100])\nout float32:100, b", 391},
		{784, "out float32:100, float32:100", 0},
		{0, "out float32:100, float32:100", optimize.DefaultGrowth - 784},
	} {
		g := parse(t, before)
		env := newEnv()
		_, left, err := optimize.RunRound(t.Context(), g, env, optimize.Options{Evaluator: interpreter(t, env), Growth: c.growth}, optimize.Fold{})
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, g); got != c.want || left != c.left {
			t.Errorf("growth %d: %d bytes are left of\n%s\nwant %d of\n%s", c.growth, left, got, c.left, c.want)
		}
	}
}

// What takes the place of larger constants needs no allowance and gives none.
func TestFoldThatShrinks(t *testing.T) {
	g := parse(t, `
		in x float[]
		const w float[1000] 1
		s = ReduceSum<keepdims=0>(w)
		y = Add(x, s)
		out y`)
	env := newEnv()
	_, left, err := optimize.RunRound(t.Context(), g, env, optimize.Options{Evaluator: interpreter(t, env), Growth: 1}, optimize.Fold{})
	if err != nil {
		t.Fatal(err)
	}
	wantGraph(t, g, "y = Add(x, 1000)\nout y")
	if left != 1 {
		t.Errorf("%d bytes of growth are left, want 1", left)
	}
}

// A result that no memory holds is not even tried.
func TestFoldOfHugeResults(t *testing.T) {
	for _, shape := range []string{"1152921504606846976", "4611686018427387904", "9223372036854775806"} {
		g := parse(t, `
			const shape int64[1] 1
			const small float[1] 1
			a = ConstantOfShape(shape)
			out a`)
		id, _ := g.Lookup("shape")
		n := mustInt(t, shape)
		g.Value(id).Const = tensor.Must(tensor.FromSlice([]int64{n}))
		eval := &countingEvaluator{}
		if _, _, err := optimize.RunRound(t.Context(), g, newEnv(), optimize.Options{Evaluator: eval}, optimize.Fold{}); err != nil {
			t.Fatal(err)
		}
		if eval.calls != 0 {
			t.Errorf("ConstantOfShape([%s]) was evaluated", shape)
		}
	}
}

// countingEvaluator computes nothing and counts what it is asked.
type countingEvaluator struct {
	calls int
	err   error
}

func (e *countingEvaluator) Evaluate(context.Context, *graph.Node, []tensor.Value) ([]tensor.Value, error) {
	e.calls++
	return nil, e.err
}

// What nothing computes, or a kernel refuses, stays; it is not tried twice.
func TestFoldLeavesWhatIsNotComputed(t *testing.T) {
	g := parse(t, `
		const a float[] 1
		b = Neg(a)
		c = Neg(a)
		d = Add(b, c)
		out d`)
	before := text(t, g)
	eval, refusing := &countingEvaluator{}, &countingEvaluator{err: errors.New("not this one")}
	env := newEnv()
	for _, e := range []optimize.Evaluator{eval, refusing, nil} {
		changed, _, err := optimize.RunRound(t.Context(), g, env, optimize.Options{Evaluator: e}, optimize.Fold{})
		if err != nil || changed || text(t, g) != before {
			t.Errorf("changed is %v, %v:\n%s\nwant the graph as it was:\n%s", changed, err, text(t, g), before)
		}
	}
	if eval.calls != 2 || refusing.calls != 2 {
		t.Errorf("%d and %d nodes were evaluated, want b and c", eval.calls, refusing.calls)
	}
}

// A function of the model may bear the name of an operator; what it computes is
// not known here.
func TestFoldLeavesFunctionsOfThatName(t *testing.T) {
	body := parse(t, `
		in v float
		r = RandomNormalLike(v)
		out r`)
	f := &graph.Function{Key: graph.FunctionKey{Name: "Neg"}, Opsets: map[string]int{"": 21}, Graph: body}
	env := newEnv(f)
	g := parse(t, `
		const a float[] 1
		b = Neg(a)
		out b`)
	changed, _, err := optimize.RunRound(t.Context(), g, env, optimize.Options{Evaluator: interpreter(t, env)}, optimize.Fold{}, optimize.Duplicates{})
	if err != nil || changed {
		t.Errorf("changed is %v, %v: %s", changed, err, text(t, g))
	}
}
