package optimize_test

import (
	"testing"

	"gort/optimize"
)

func TestDead(t *testing.T) {
	check(t, []rewrite{
		{"a chain that nothing reads", "in x float[N]\nconst k float[] 1\na = Exp(x)\nb = Add(a, k)\nc = Neg(b)\ny = Relu(x)\nout y", "y = Relu(x)\nout y"},
		{"a side of a chain", "in x float[N]\na = Exp(x)\nb = Neg(a)\ny = Relu(a)\nout y", "a = Exp(x)\ny = Relu(a)\nout y"},
		{"random numbers that nothing reads", "in x float[N]\nr = RandomNormal<shape=[2]>()\ny = Relu(x)\nout y", "y = Relu(x)\nout y"},
		{"a node that reads one value twice", "in x float[N]\na = Exp(x)\nb = Add(a, a)\ny = Relu(x)\nout y", "y = Relu(x)\nout y"},
		{"a node with a subgraph, and what it captures", `
			in c bool[]
			in x float[N]
			a = Exp(x)
			z = If<then_branch=@then, else_branch=@else>(c) captures a
			y = Relu(x)
			out y
			graph then:
			  capture a
			  out a
			graph else:
			  capture a
			  r = Neg(a)
			  out r`,
			"y = Relu(x)\nout y"},
		{"in a branch", `
			in c bool[]
			in x float[N]
			y = If<then_branch=@then, else_branch=@else>(c) captures x
			out y
			graph then:
			  capture x
			  const k float[] 1
			  a = Add(x, k)
			  out x
			graph else:
			  capture x
			  r = Neg(x)
			  out r`,
			`y = If(c) captures x
			out y
			graph then:
			out x
			graph else:
			r = Neg(x)
			out r`},
	}, optimize.Dead{})
}

// What only dead nodes of a branch captured dies with them.
func TestDeadCaptures(t *testing.T) {
	check(t, []rewrite{{"captures", `
		in c bool[]
		in x float[N]
		a = Exp(x)
		b = Neg(a)
		y = If<then_branch=@then, else_branch=@else>(c) captures b x
		out y
		graph then:
		  capture b
		  capture x
		  d = Neg(b)
		  r = Relu(x)
		  out r
		graph else:
		  capture x
		  out x`,
		`y = If(c) captures x
		out y
		graph then:
		r = Relu(x)
		out r
		graph else:
		out x`}}, optimize.Dead{})
}

func TestDeadLeaves(t *testing.T) {
	check(t, []rewrite{
		{name: "inputs that nothing reads", before: "in x float[N]\nin unread float[N]\ny = Relu(x)\nout y"},
		{name: "a node of whose outputs one is read", before: "in x float[4]\na, b = Split<num_outputs=2>(x)\nout b"},
		{name: "constants that are outputs", before: "const k float[] 1\nout k"},
		{name: "what a subgraph captures", before: `
			in c bool[]
			in x float[N]
			a = Exp(x)
			y = If<then_branch=@then, else_branch=@else>(c) captures a
			out y
			graph then:
			  capture a
			  out a
			graph else:
			  capture a
			  r = Neg(a)
			  out r`},
	}, optimize.Dead{})
}
