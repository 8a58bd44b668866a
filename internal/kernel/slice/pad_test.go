package slice

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
	"gort/tensor"
)

// naive says which of n elements stands at i by walking there: off an end, back
// to where each mode has the next one.
func naive(mode Mode, i, n int) int {
	switch mode {
	case Constant:
		if i < 0 || i >= n {
			return -1
		}
		return i
	case Edge:
		return min(max(i, 0), n-1)
	case Wrap:
		for i < 0 {
			i += n
		}
		for i >= n {
			i -= n
		}
		return i
	}
	if n == 1 {
		return 0
	}
	for i < 0 || i >= n {
		if i < 0 {
			i = -i
		} else {
			i = 2*(n-1) - i
		}
	}
	return i
}

func TestPadAgainstNaive(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 600 {
		d, mode := dtypes[trial%len(dtypes)], Mode(r.IntN(4))
		rank := 1 + r.IntN(4)
		shape, before, out, keep, first := make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank), make([]int, rank)
		for i := range rank {
			shape[i] = 1 + r.IntN(4)
			if r.IntN(2) == 0 {
				before[i] = r.IntN(9) - 2
			}
			after := 0
			if r.IntN(2) == 0 {
				after = r.IntN(9) - 2
			}
			// What negative padding takes away is not there for the mode to repeat.
			first[i] = max(-before[i], 0)
			keep[i] = shape[i] - first[i] - max(-after, 0)
			if keep[i] < 1 {
				before[i], after, first[i], keep[i] = 0, 0, 0, shape[i]
			}
			out[i] = shape[i] + before[i] + after
		}
		in, got := counted(t, d, shape...), dirty(t, d, out...)
		filling := "0"
		var value *tensor.Tensor
		if d == tensor.String {
			filling = ""
		}
		if d == tensor.Complex128 {
			filling = "(0+0i)"
		}
		if r.IntN(2) == 0 {
			value = tensor.Must(counted(t, d, 2).Slice(0, 1, 1, 1)).Clone()
			filling = elems(t, value)[0]
		}
		if err := Pad(bg, pool, got, in, before, mode, value); err != nil {
			t.Fatal(err)
		}
		check(t, fmt.Sprint("pad ", before, " mode ", mode), got, in, filling, func(x []int) int {
			for i := range x {
				k := naive(mode, x[i]-max(before[i], 0), keep[i])
				if k < 0 {
					return -1
				}
				x[i] = first[i] + k
			}
			return place(shape, x)
		})
	}
}

func TestPadOfNothing(t *testing.T) {
	in := counted(t, tensor.Float32, 0, 2)
	out := dirty(t, tensor.Float32, 3, 2)
	if err := Pad(bg, nil, out, in, []int{1, 0}, Constant, nil); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(elems(t, out)); got != "[0 0 0 0 0 0]" {
		t.Errorf("got %s", got)
	}
	for _, mode := range []Mode{Reflect, Edge, Wrap} {
		if err := Pad(bg, nil, out, in, []int{1, 0}, mode, nil); err == nil {
			t.Errorf("mode %d repeats nothing without an error", mode)
		}
	}
}
