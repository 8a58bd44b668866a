package eptest

import (
	"encoding/binary"
	"errors"
	"math"

	"gort/ep"
	"gort/tensor"
)

var argmaxChecks = []check{
	{name: "argmax", run: checkArgmax},
	{name: "argmax refuses bad operands", run: checkArgmaxRefusals},
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// argmaxCases are rows of scores; every value is exact in each element type.
var argmaxCases = []struct {
	name   string
	scores []float32
	index  uint32
	mask   ep.ErrorMask
}{
	{"one score", []float32{-3}, 0, 0},
	{"first", []float32{5, 1, 2}, 0, 0},
	{"last", []float32{1, 2, 5}, 2, 0},
	{"first of equals", []float32{1, 7, 3, 7, 7}, 1, 0},
	{"all equal", []float32{2, 2, 2, 2}, 0, 0},
	{"all negative", []float32{-4, -2, -8}, 1, 0},
	{"zeros of both signs", []float32{float32(math.Copysign(0, -1)), 0}, 0, 0},
	{"infinity", []float32{1, inf, 3, inf}, 1, 0},
	{"negative infinity only", []float32{-inf, -inf}, 0, 0},
	{"NaN first", []float32{nan, 1, 2}, 2, ep.ErrorNaN},
	{"NaN after the maximum", []float32{1, 9, nan, 3}, 1, ep.ErrorNaN},
	{"NaN and negative infinity", []float32{nan, -inf}, 1, ep.ErrorNaN},
}

func checkArgmax(x *subject) {
	a, ok := x.p.(ep.Argmaxer)
	if !ok {
		return
	}
	if a.ArgmaxResultSize() < 8 {
		x.Fatalf("ArgmaxResultSize is %d, the index and the mask need 8 bytes", a.ArgmaxResultSize())
	}
	long := make([]float32, 5003)
	long[4999], long[5001] = 2, 2
	cases := append(argmaxCases[:len(argmaxCases):len(argmaxCases)], struct {
		name   string
		scores []float32
		index  uint32
		mask   ep.ErrorMask
	}{"long", long, 4999, 0})
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		for _, c := range cases {
			for _, before := range []int{0, 3} { // scores that do not belong to the row
				index, mask, err := x.argmax(a, d, c.scores, before)
				if err != nil || index != c.index || mask != c.mask {
					x.Errorf("Argmax of %v, %s, %d scores before: index %d, mask %v, error %v; want %d, %v", d, c.name, before, index, mask, err, c.index, c.mask)
				}
			}
		}
		if _, mask, err := x.argmax(a, d, []float32{nan, nan}, 0); err != nil || mask&ep.ErrorNaN == 0 {
			x.Errorf("Argmax of %v, NaN only: mask %v, error %v; want %v", d, mask, err, ep.ErrorNaN)
		}
	}
}

func (x *subject) argmax(a ep.Argmaxer, d tensor.DType, scores []float32, before int) (uint32, ep.ErrorMask, error) {
	x.Helper()
	row := make([]float32, before, before+len(scores)+1)
	for i := range row {
		row[i] = 100
	}
	row = append(append(row, scores...), 100)
	t, err := tensor.FromSlice(row, len(row))
	if err != nil {
		x.Fatalf("%v", err)
	}
	if t, err = tensor.Convert(t, d, tensor.ConvertOptions{}); err != nil {
		x.Fatalf("%v", err)
	}
	raw, err := t.Bytes()
	if err != nil {
		x.Fatalf("%v", err)
	}
	in, out := x.alloc(len(raw), 64), x.alloc(a.ArgmaxResultSize(), 64)
	x.put(in, raw)
	x.put(out, make([]byte, out.Len()))
	counts := func() (n ep.AllocationCounts) {
		if c, ok := x.p.(ep.AllocationCounter); ok {
			n = c.AllocationCounts()
		}
		return n
	}
	was := counts()
	if err := a.Argmax(x.ctx, out, in, before*d.Bytes(1), len(scores), d); err != nil {
		return 0, 0, err
	}
	if counts() != was {
		x.Errorf("Argmax allocates device memory: counts go from %+v to %+v", was, counts())
	}
	res := x.get(out)
	x.free(in)
	x.free(out)
	return binary.LittleEndian.Uint32(res), ep.ErrorMask(binary.LittleEndian.Uint32(res[4:])), nil
}

func checkArgmaxRefusals(x *subject) {
	a, ok := x.p.(ep.Argmaxer)
	if !ok {
		return
	}
	in, out, small := x.filled(64, 0), x.filled(a.ArgmaxResultSize(), 0), x.filled(a.ArgmaxResultSize()-1, 0)
	x.want(a.Argmax(x.ctx, small, in, 0, 16, tensor.Float32), ep.ErrRange, "Argmax into a result that is too small")
	x.want(a.Argmax(x.ctx, out, in, 0, 17, tensor.Float32), ep.ErrRange, "Argmax of 17 of 16 scores")
	x.want(a.Argmax(x.ctx, out, in, 8, 15, tensor.Float32), ep.ErrRange, "Argmax of 15 of 14 scores")
	x.want(a.Argmax(x.ctx, out, in, -4, 1, tensor.Float32), ep.ErrRange, "Argmax from offset -4")
	x.want(a.Argmax(x.ctx, out, in, 0, math.MaxInt, tensor.Float32), ep.ErrRange, "Argmax of %d scores", math.MaxInt)
	x.want(a.Argmax(x.ctx, out, in, 0, 0, tensor.Float32), ep.ErrRange, "Argmax of no scores")
	if err := a.Argmax(x.ctx, out, in, 0, 8, tensor.Int64); err == nil {
		x.Errorf("Argmax of int64 succeeds; float32, float16 and bfloat16 are what it takes")
	} else if e := (*ep.Error)(nil); !errors.As(err, &e) {
		x.Errorf("Argmax of int64: error %q is no *ep.Error", err)
	}
	x.free(in)
	x.want(a.Argmax(x.ctx, out, in, 0, 16, tensor.Float32), ep.ErrFreed, "Argmax of freed scores")
}
