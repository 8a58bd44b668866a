package optimize_test

import (
	"testing"

	"gort/optimize"
)

func TestFoldShapes(t *testing.T) {
	check(t, []rewrite{
		{"a size", `
			in x float[N,3,4]
			in i int64[]
			const one int64[] 1
			s = Shape(x)
			n = Gather(s, one)
			y = Sub(i, n)
			out y`,
			`y = Sub(i, 3)
			out y`},
		{"a chain around a Reshape", `
			in x float[N,3,4]
			const rest int64[1] -1
			s = Shape<start=1>(x)
			target = Concat<axis=0>(s, rest)
			y = Reshape(x, target)
			out y`,
			`y = Reshape(x, [3 4 -1])
			out y`},
		{"arithmetic on sizes", `
			in x float[2,6,8]
			const halves int64[3] 1 2 2
			s = Shape(x)
			h = Div(s, halves)
			y = ConstantOfShape(h)
			out y`,
			`y = ConstantOfShape([2 3 4])
			out y`},
		{"the number of elements", `
			in x float[2,6,8]
			n = Size(x)
			out n`,
			`out 96`},
		{"another integer type", `
			in x float[2,6]
			s = Shape(x)
			i = Cast<to=6>(s)
			out i`,
			`out [2 6]`},
		{"sizes of an inner value", `
			in x float[2,3]
			in w float[3,5]
			m = MatMul(x, w)
			s = Shape(m)
			out s`,
			`out [2 5]`},
	}, optimize.FoldShapes{}, optimize.Dead{})
}

func TestFoldShapesLeaves(t *testing.T) {
	check(t, []rewrite{
		{name: "a size that is not known", before: `
			in x float[N,3]
			s = Shape(x)
			y = Reshape(x, s)
			out y`},
		{name: "a value of which a part is not known", before: `
			in x float[N,3,4]
			const all int64[1] 12
			s = Shape<start=0, end=1>(x)
			target = Concat<axis=0>(s, all)
			y = Reshape(x, target)
			out y`},
		{name: "values that are given", before: `
			in x int64[2]
			y = Neg(x)
			out y`},
		{name: "what a loop carries", before: `
			in m int64[]
			const start int64[] 1
			y = Loop<body=@body>(m, _, start)
			out y
			graph body:
			  in i int64[]
			  in go bool[]
			  in v int64[]
			  next = Add(v, v)
			  out go next`},
		{name: "the number of the iteration", before: `
			in m int64[]
			const start int64[] 1
			y = Loop<body=@body>(m, _, start)
			out y
			graph body:
			  in i int64[]
			  in go bool[]
			  in v int64[]
			  next = Neg(i)
			  out go next`},
	}, optimize.FoldShapes{}, optimize.Dead{})
}

// A body may only run while its condition holds, so what it computes of the
// condition alone is known.
func TestFoldShapesOfALoopsCondition(t *testing.T) {
	check(t, []rewrite{{"the condition", `
		in m int64[]
		const start float[] 1
		y = Loop<body=@body>(m, _, start)
		out y
		graph body:
		  in i int64[]
		  in go bool[]
		  in v float[]
		  on = Identity(go)
		  next = Add(v, v)
		  out on next`,
		`y = Loop(m, _, 1)
		out y
		graph body:
		next = Add(v, v)
		out [true], next`}}, optimize.FoldShapes{}, optimize.Dead{})
}
