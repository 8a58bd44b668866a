package slice

import (
	"fmt"
	"testing"

	"gort/internal/kernel/strided"
	"gort/tensor"
)

func TestUnfolded(t *testing.T) {
	for _, d := range dtypes {
		for _, c := range []struct {
			shape            []int
			axis, size, step int
		}{{[]int{7}, 0, 3, 1}, {[]int{7}, 0, 3, 2}, {[]int{2, 5, 3}, 1, 2, 2}, {[]int{2, 5, 3}, 0, 2, 1}, {[]int{2, 5, 3}, 2, 1, 5}, {[]int{0, 4}, 1, 4, 1}} {
			in := counted(t, d, c.shape...)
			shape := append(append([]int{}, c.shape...), c.size)
			shape[c.axis] = (c.shape[c.axis]-c.size)/c.step + 1
			out := tensor.Must(tensor.New(d, shape...))
			if err := strided.Copy(bg, nil, out, in, Unfolded(in.Shape(), c.axis, c.size, c.step)); err != nil {
				t.Fatal(err)
			}
			from, to := elems(t, in), elems(t, out)
			for i, got := range to {
				rest, at, stride := i/c.size, 0, 1
				for a := len(c.shape) - 1; a >= 0; a-- {
					k := rest % shape[a]
					rest /= shape[a]
					if a == c.axis {
						k = k*c.step + i%c.size
					}
					at += k * stride
					stride *= c.shape[a]
				}
				if got != from[at] {
					t.Fatalf("%v %s: element %d is %s, want %s", d, fmt.Sprint(c), i, got, from[at])
				}
			}
		}
	}
}
