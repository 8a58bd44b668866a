package optimize_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"gort/graph"
	"gort/optimize"
)

// optimized runs a level over a graph.
func optimized(t testing.TB, g *graph.Graph, level optimize.Level) {
	t.Helper()
	env := newEnv()
	if err := optimize.Run(t.Context(), g, env, optimize.Options{Level: level, Evaluator: interpreter(t, env)}); err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatalf("level %v leaves a graph that is not valid: %v\n%s", level, err, text(t, g))
	}
}

func TestLevels(t *testing.T) {
	const before = `
		in x float[N,3,4]
		const one float[] 1
		const last int64[1] 12
		s = Shape<start=1>(x)
		f = Cast<to=1>(s)
		p = ReduceProd<keepdims=0>(f)
		n = Neg(one)
		u = Identity(x)
		a = Mul(u, n)
		b = Mul(u, n)
		unread = Exp(a)
		y = Add(a, b)
		out y p`
	for _, c := range []struct {
		level optimize.Level
		want  string
	}{
		{optimize.LevelOff, text(t, parse(t, before))},
		{optimize.LevelBasic, `s = Shape(x)
f = Cast(s)
p = ReduceProd(f)
a = Mul(x, -1)
b = Mul(x, -1)
y = Add(a, b)
out y, p`},
		{optimize.LevelAll, `a = Mul(x, -1)
y = Add(a, a)
out y, 12`},
	} {
		g := parse(t, before)
		optimized(t, g, c.level)
		if got := text(t, g); got != c.want {
			t.Errorf("level %v gives\n%s\nwant\n%s", c.level, got, c.want)
		}
		optimized(t, g, c.level)
		if got := text(t, g); got != c.want {
			t.Errorf("level %v gives the second time\n%s\nwant\n%s", c.level, got, c.want)
		}
	}
}

// One pass opens up what an earlier one needs: the shape makes the condition
// constant, the branch that is taken an identity.
func TestRoundsAreRepeated(t *testing.T) {
	g := parse(t, `
		in x float[2,3]
		const four int64[] 4
		r = Size(x)
		c = Greater(r, four)
		y = If<then_branch=@then, else_branch=@else>(c) captures x
		z = Relu(y)
		out z
		graph then:
		  capture x
		  s = Shape(x)
		  r = Reshape(x, s)
		  out r
		graph else:
		  capture x
		  r = Neg(x)
		  out r`)
	optimized(t, g, optimize.LevelAll)
	wantGraph(t, g, "z = Relu(x)\nout z")
}

// A graph that inference refuses is not touched: whoever builds it reports why.
func TestRunLeavesWhatInferenceRefuses(t *testing.T) {
	g := parse(t, `
		in x float[2,3]
		const target int64[1] 4
		u = Identity(x)
		y = Reshape(u, target)
		out y`)
	before := text(t, g)
	optimized(t, g, optimize.LevelAll)
	wantGraph(t, g, before)
}

// The outputs keep their places, also when they become one value.
func TestOutputsKeepTheirPlaces(t *testing.T) {
	g := parse(t, `
		in x float[N]
		in w float[N]
		const k float[] 3
		a = Exp(w)
		b = Exp(w)
		n = Neg(k)
		i = Identity(x)
		out i n b w a i`)
	optimized(t, g, optimize.LevelAll)
	wantGraph(t, g, "a = Exp(w)\nout x, -3, a, w, a, x")
	if got, want := g.Inputs(), []graph.ValueID{0, 1}; !slices.Equal(got, want) {
		t.Errorf("the inputs are %v, want %v", got, want)
	}
}

// The result depends on nothing but the graph: not on the order of a map.
func TestRunIsDeterministic(t *testing.T) {
	const before = `
		in c bool[]
		const shape int64[1] 10
		const more int64[1] 11
		y = If<then_branch=@then, else_branch=@else>(c) captures shape more
		out y
		graph then:
		  capture shape
		  r = ConstantOfShape(shape)
		  out r
		graph else:
		  capture more
		  r = ConstantOfShape(more)
		  out r`
	first := ""
	for range 20 {
		g := parse(t, before)
		env := newEnv()
		// There is room for one of the two.
		if err := optimize.Run(t.Context(), g, env, optimize.Options{Evaluator: interpreter(t, env), Growth: 50}); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = text(t, g)
		}
		if got := text(t, g); got != first {
			t.Fatalf("the graph is once\n%s\nand once\n%s", first, got)
		}
	}
}

func TestRunStopsWhenTheContextIsDone(t *testing.T) {
	g := parse(t, "in x float[N]\ny = Identity(x)\nout y")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := optimize.Run(ctx, g, newEnv(), optimize.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestLevelNames(t *testing.T) {
	for l, want := range map[optimize.Level]string{optimize.LevelAll: "all", optimize.LevelBasic: "basic", optimize.LevelOff: "off"} {
		if l.String() != want {
			t.Errorf("level %d is named %q, want %q", l, l, want)
		}
	}
	var names []string
	for _, p := range optimize.Passes(optimize.LevelAll) {
		names = append(names, p.Name())
	}
	if want := []string{"fold", "fold-shapes", "branches", "identities", "duplicates", "dead"}; !slices.Equal(names, want) {
		t.Errorf("the passes are %q, want %q", names, want)
	}
}
