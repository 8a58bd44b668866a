package slice

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gort/internal/kernel/strided"
	"gort/internal/parallel"
	"gort/tensor"
)

var bg = context.Background()

// dtypes has one element type of each width.
var dtypes = []tensor.DType{tensor.Uint8, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Complex128, tensor.String, tensor.Uint4, tensor.Int2}

// counted returns a tensor with the elements 0, 1, 2 … as far as the type goes.
func counted(t testing.TB, d tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	n := tensor.Shape(shape).Size()
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i % 251)
	}
	f := tensor.Must(tensor.FromSlice(list, shape...))
	if d.Class() == tensor.ClassComplex {
		c := tensor.Must(tensor.New(d, shape...))
		for i := range n {
			tensor.Elements[complex128](c)[i] = complex(float64(list[i]), 1)
		}
		return c
	}
	return tensor.Must(tensor.Convert(f, d, tensor.ConvertOptions{}))
}

// elems prints each element: how tests compare whatever the type.
func elems(t testing.TB, x *tensor.Tensor) []string {
	t.Helper()
	out := make([]string, x.Size())
	switch {
	case x.DType() == tensor.String:
		copy(out, tensor.Elements[string](x))
	case x.DType() == tensor.Complex128:
		for i, v := range tensor.Elements[complex128](x) {
			out[i] = fmt.Sprint(v)
		}
	default:
		f, err := tensor.Float64s(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range f {
			out[i] = fmt.Sprint(v)
		}
	}
	return out
}

// each calls f with every index of a shape, in row-major order.
func each(shape []int, f func(at int, index []int)) {
	index := make([]int, len(shape))
	for at := range tensor.Shape(shape).Size() {
		rest := at
		for k := len(shape) - 1; k >= 0; k-- {
			index[k] = rest % shape[k]
			rest /= shape[k]
		}
		f(at, index)
	}
}

func place(shape, index []int) int {
	at := 0
	for i, n := range shape {
		at = at*n + index[i]
	}
	return at
}

// check compares an output with source(index), which gives the element of in
// that belongs there, or -1 for the filling.
func check(t *testing.T, what string, out, in *tensor.Tensor, filling string, source func(index []int) int) {
	t.Helper()
	got, from := elems(t, out), elems(t, in)
	each(out.Shape(), func(at int, index []int) {
		want := filling
		if k := source(index); k >= 0 {
			want = from[k]
		}
		if got[at] != want {
			t.Fatalf("%s: %v %v to %v: element %v is %s, want %s", what, in.DType(), in.Shape(), out.Shape(), index, got[at], want)
		}
	})
}

func dirty(t testing.TB, d tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	x := tensor.Must(tensor.New(d, shape...))
	if d == tensor.String {
		for i := range x.Size() {
			tensor.Elements[string](x)[i] = "dirt"
		}
		return x
	}
	b, _ := x.Bytes()
	for i := range b {
		b[i] = 0xff
	}
	return x
}

func TestConcat(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for _, d := range dtypes {
		for axis := range 3 {
			shape := []int{3, 4, 5}
			var in []*tensor.Tensor
			total := 0
			for _, n := range []int{2, 0, 1, 7} {
				s := append([]int{}, shape...)
				s[axis] = n
				in = append(in, counted(t, d, s...))
				total += n
			}
			s := append([]int{}, shape...)
			s[axis] = total
			out := dirty(t, d, s...)
			if err := Concat(bg, pool, out, append(in, nil), axis); err != nil {
				t.Fatal(err)
			}
			got := elems(t, out)
			each(s, func(at int, index []int) {
				i, k := 0, index[axis]
				for k >= in[i].Shape()[axis] {
					k -= in[i].Shape()[axis]
					i++
				}
				index[axis] = k
				if want := elems(t, in[i])[place(in[i].Shape(), index)]; got[at] != want {
					t.Fatalf("%v axis %d element %d is %s, want %s", d, axis, at, got[at], want)
				}
			})
		}
	}
}

func TestConcatTooMuch(t *testing.T) {
	out, in := counted(t, tensor.Float32, 3), counted(t, tensor.Float32, 2)
	if err := Concat(bg, nil, out, []*tensor.Tensor{in, in}, 0); err == nil {
		t.Error("no error for inputs larger than the output")
	}
}

func TestPartAndSliced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		d := dtypes[trial%len(dtypes)]
		shape := []int{1 + r.IntN(5), 1 + r.IntN(6), 1 + r.IntN(7)}
		in := counted(t, d, shape...)
		ranges := make([]Range, 3)
		size := make([]int, 3)
		for i, n := range shape {
			step := r.IntN(7) - 3
			if step == 0 {
				step = 1
			}
			first := r.IntN(n)
			most := (n - 1 - first) / max(step, 1)
			if step < 0 {
				most = first / -step
			}
			ranges[i] = Range{first, r.IntN(most + 2), step}
			size[i] = ranges[i].Count
		}
		out := dirty(t, d, size...)
		if err := strided.Copy(bg, nil, out, in, Sliced(shape, ranges)); err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("sliced ", ranges), out, in, "", func(index []int) int {
			for i := range index {
				index[i] = ranges[i].First + index[i]*ranges[i].Step
			}
			return place(shape, index)
		})
	}
}

func TestTiled(t *testing.T) {
	for _, d := range dtypes {
		for _, c := range [][2][]int{{{3}, {4}}, {{2, 3}, {3, 2}}, {{2, 1, 3}, {1, 5, 2}}, {{2, 3}, {1, 1}}, {{2, 3}, {0, 2}}, {{0, 3}, {2, 2}}, {{4, 4}, {2, 1}}} {
			in := counted(t, d, c[0]...)
			shape := make([]int, len(c[0]))
			for i := range shape {
				shape[i] = c[0][i] * c[1][i]
			}
			out := dirty(t, d, shape...)
			if err := strided.Copy(bg, nil, out, in, Tiled(c[0], c[1])); err != nil {
				t.Fatal(err)
			}
			check(t, "tiled", out, in, "", func(index []int) int {
				for i := range index {
					index[i] %= c[0][i]
				}
				return place(c[0], index)
			})
		}
	}
}

// The formulas of the specification: channel, row and column of a pixel.
func TestDepthAndSpace(t *testing.T) {
	for _, d := range dtypes {
		for _, b := range []int{1, 2, 3} {
			n, ch, h, w := 2, 2, 3, 2
			deep := []int{n, ch * b * b, h, w}
			flat := []int{n, ch, h * b, w * b}
			in := counted(t, d, deep...)
			for _, columnFirst := range []bool{false, true} {
				out := dirty(t, d, flat...)
				if err := strided.Copy(bg, nil, out, in, DepthToSpaced(deep, b, columnFirst)); err != nil {
					t.Fatal(err)
				}
				check(t, fmt.Sprint("depth to space ", b, columnFirst), out, in, "", func(x []int) int {
					i, j := x[2]%b, x[3]%b
					c := (i*b+j)*ch + x[1]
					if columnFirst {
						c = x[1]*b*b + i*b + j
					}
					return place(deep, []int{x[0], c, x[2] / b, x[3] / b})
				})
				if columnFirst {
					continue
				}
				back := dirty(t, d, deep...)
				if err := strided.Copy(bg, nil, back, out, SpaceToDepthed(flat, b)); err != nil {
					t.Fatal(err)
				}
				check(t, "and back", back, in, "", func(x []int) int { return place(deep, x) })
			}
		}
	}
}

func TestCentre(t *testing.T) {
	for _, d := range dtypes {
		for _, c := range [][2][]int{{{4, 5}, {2, 2}}, {{4, 5}, {7, 9}}, {{4, 5}, {3, 8}}, {{3}, {3}}, {{2}, {5}}, {{5, 2}, {0, 2}}, {{0}, {3}}} {
			in, out := counted(t, d, c[0]...), dirty(t, d, c[1]...)
			if err := Centre(bg, nil, out, in); err != nil {
				t.Fatal(err)
			}
			zero := elems(t, tensor.Must(tensor.New(d, 1)))[0]
			check(t, "centre", out, in, zero, func(x []int) int {
				for i := range x {
					from, to := c[0][i], c[1][i]
					if to > from {
						x[i] -= (to - from) / 2
					} else {
						x[i] += (from - to) / 2
					}
					if x[i] < 0 || x[i] >= from {
						return -1
					}
				}
				return place(c[0], x)
			})
		}
	}
}

func TestReverseSequence(t *testing.T) {
	for _, d := range dtypes {
		for time := range 2 {
			shape := []int{4, 5, 3}
			lens := []int64{0, 1, 3, 2, 4}
			if time == 1 {
				lens = []int64{5, 0, 2, 4}
			}
			in, out := counted(t, d, shape...), dirty(t, d, shape...)
			if err := ReverseSequence(bg, nil, out, in, lens, time); err != nil {
				t.Fatal(err)
			}
			check(t, "reversed", out, in, "", func(x []int) int {
				if n := int(lens[x[1-time]]); x[time] < n {
					x[time] = n - 1 - x[time]
				}
				return place(shape, x)
			})
		}
	}
	in := counted(t, tensor.Float32, 2, 2)
	for _, lens := range [][]int64{{3, 1}, {-1, 1}} {
		if err := ReverseSequence(bg, nil, in, in, lens, 0); err == nil {
			t.Errorf("no error for lengths %v", lens)
		}
	}
}

func TestTrilu(t *testing.T) {
	for _, d := range dtypes {
		if d.Packed() {
			continue
		}
		zero := elems(t, tensor.Must(tensor.New(d, 1)))[0]
		shape := []int{2, 3, 4}
		in := counted(t, d, shape...)
		for _, upper := range []bool{false, true} {
			for _, k := range []int64{-1 << 63, -4, -3, -1, 0, 1, 3, 4, 1<<63 - 1} {
				out := dirty(t, d, shape...)
				if err := Trilu(bg, nil, out, in, k, upper); err != nil {
					t.Fatal(err)
				}
				check(t, fmt.Sprint("trilu ", k, upper), out, in, zero, func(x []int) int {
					off := int64(x[2] - x[1])
					if upper && off >= k || !upper && off <= k {
						return place(shape, x)
					}
					return -1
				})
			}
		}
	}
}

func TestStack(t *testing.T) {
	for _, d := range dtypes {
		var s Stack
		parts := []*tensor.Tensor{counted(t, d, 3, 1), dirty(t, d, 3, 1), counted(t, d, 3, 1)}
		want := []string{}
		for _, p := range parts {
			want = append(want, elems(t, p)...)
			if err := s.Push(p); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Tensor()
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Shape(), elems(t, got)) != fmt.Sprint(tensor.Shape{3, 3, 1}, want) {
			t.Errorf("%v: got %v %v, want %v", d, got.Shape(), elems(t, got), want)
		}
		if err := s.Push(counted(t, d, 2, 1)); err == nil {
			t.Errorf("%v: no error for another shape", d)
		}
	}
}
