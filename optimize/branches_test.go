package optimize_test

import (
	"testing"

	"gort/optimize"
)

// bothBranches is an If over c with Relu and Neg of x.
const bothBranches = `
	y = If<then_branch=@then, else_branch=@else>(c) captures x
	out y
	graph then:
	  capture x
	  r = Relu(x)
	  out r
	graph else:
	  capture x
	  r = Neg(x)
	  out r`

func TestBranches(t *testing.T) {
	check(t, []rewrite{
		{"true", "in x float[N]\nconst c bool[] 1" + bothBranches, "y = Relu(x)\nout y"},
		{"false", "in x float[N]\nconst c bool[] 0" + bothBranches, "y = Neg(x)\nout y"},
		{"a vector of one", "in x float[N]\nconst c bool[1] 1" + bothBranches, "y = Relu(x)\nout y"},
		{"several outputs and captures", `
			in x float[N]
			in w float[N]
			const c bool[] 1
			a, b = If<then_branch=@then, else_branch=@else>(c) captures w x
			s = Add(a, b)
			out s b
			graph then:
			  capture x
			  capture w
			  p = Sub(x, w)
			  q = Neg(p)
			  out q p
			graph else:
			  capture w
			  out w w`,
			`b = Sub(x, w)
			a = Neg(b)
			s = Add(a, b)
			out s, b`},
		{"a branch that gives back what it captures, and a constant", `
			in x float[N]
			const c bool[] 0
			a, b = If<then_branch=@then, else_branch=@else>(c) captures x
			y = Relu(a)
			out y b
			graph then:
			  capture x
			  r = Neg(x)
			  out r r
			graph else:
			  capture x
			  const k float[2] 1 2
			  out x k`,
			`y = Relu(x)
			out y, [1 2]`},
		{"a branch that captures nothing", `
			in x float[N]
			const c bool[] 1
			a = If<then_branch=@then, else_branch=@else>(c) captures x
			y = Add(x, a)
			out y
			graph then:
			  const k float[] 2
			  r = Neg(k)
			  out r
			graph else:
			  capture x
			  out x`,
			`a = Neg(2)
			y = Add(x, a)
			out y`},
		{"an output that nothing asks for", `
			in x float[N]
			const c bool[] 1
			_, b = If<then_branch=@then, else_branch=@else>(c) captures x
			out b
			graph then:
			  capture x
			  r = Neg(x)
			  q = Exp(x)
			  out r q
			graph else:
			  capture x
			  out x x`,
			`b = Exp(x)
			out b`},
		{"an If in the branch of an If", `
			in x float[N]
			const c bool[] 1
			y = If<then_branch=@outer, else_branch=@other>(c) captures x c
			out y
			graph outer:
			  capture x
			  capture c
			  z = If<then_branch=@then, else_branch=@else>(c) captures x
			  out z
			graph other:
			  capture x
			  r = Exp(x)
			  out r
			graph then:
			  capture x
			  r = Relu(x)
			  out r
			graph else:
			  capture x
			  r = Neg(x)
			  out r`,
			`y = Relu(x)
			out y`},
		{"inside a loop", `
			in m int64[]
			in x float[N]
			const c bool[] 1
			y = Loop<body=@body>(m, _, x) captures c
			out y
			graph body:
			  in i int64[]
			  in go bool[]
			  in x float[N]
			  capture c
			  z = If<then_branch=@then, else_branch=@else>(c) captures x
			  out go z
			graph then:
			  capture x
			  r = Relu(x)
			  out r
			graph else:
			  capture x
			  r = Neg(x)
			  out r`,
			`y = Loop(m, _, x)
			out y
			graph body:
			z = Relu(x)
			out go, z`},
	}, optimize.Branches{}, optimize.Dead{})
}

func TestBranchesLeaves(t *testing.T) {
	check(t, []rewrite{
		{name: "a condition that is given", before: "in x float[N]\nin c bool[]" + bothBranches},
		{name: "a loop", before: `
			const m int64[] 1
			in x float[N]
			y = Loop<body=@body>(m, _, x)
			out y
			graph body:
			  in i int64[]
			  in go bool[]
			  in v float[N]
			  r = Relu(v)
			  out go r`},
	}, optimize.Branches{})
}
