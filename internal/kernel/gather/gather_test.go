package gather

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
	"gort/tensor"
)

var (
	bg     = context.Background()
	dtypes = []tensor.DType{tensor.Uint8, tensor.Float16, tensor.Float32, tensor.Int64, tensor.Complex128, tensor.String}
)

// counted returns a tensor with the elements 0, 1, 2 …
func counted(d tensor.DType, shape ...int) *tensor.Tensor {
	list := make([]int64, tensor.Shape(shape).Size())
	for i := range list {
		list[i] = int64(i % 200)
	}
	x := tensor.Must(tensor.FromSlice(list, shape...))
	if d == tensor.Complex128 {
		c := tensor.Must(tensor.New(d, shape...))
		for i, v := range list {
			tensor.Elements[complex128](c)[i] = complex(0, float64(v))
		}
		return c
	}
	return tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{}))
}

// printed keeps the elements of tensors as strings: tests compare those.
var printed = map[*tensor.Tensor][]string{}

func value(x *tensor.Tensor, at int) string {
	list, ok := printed[x]
	if !ok {
		list = make([]string, x.Size())
		switch x.DType() {
		case tensor.String:
			copy(list, tensor.Elements[string](x))
		case tensor.Complex128:
			for i, v := range tensor.Elements[complex128](x) {
				list[i] = fmt.Sprint(v)
			}
		default:
			f, err := tensor.Float64s(x)
			if err != nil {
				panic(err)
			}
			for i, v := range f {
				list[i] = fmt.Sprint(v)
			}
		}
		printed[x] = list
	}
	return list[at]
}

func index(r *rand.Rand, size int, kind tensor.DType, shape ...int) *tensor.Tensor {
	list := make([]int64, tensor.Shape(shape).Size())
	for i := range list {
		list[i] = int64(r.IntN(2*size) - size)
	}
	return tensor.Must(tensor.Convert(tensor.Must(tensor.FromSlice(list, shape...)), kind, tensor.ConvertOptions{}))
}

func at(t *tensor.Tensor, i, size int) int {
	var v int64
	if t.DType() == tensor.Int32 {
		v = int64(tensor.Elements[int32](t)[i])
	} else {
		v = tensor.Elements[int64](t)[i]
	}
	if v < 0 {
		v += int64(size)
	}
	return int(v)
}

func unravel(at int, shape []int) []int {
	x := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		x[k] = at % shape[k]
		at /= shape[k]
	}
	return x
}

func ravel(x, shape []int) int {
	at := 0
	for i, n := range shape {
		at = at*n + x[i]
	}
	return at
}

func TestGather(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(1, 1))
	for _, d := range dtypes {
		for _, kind := range []tensor.DType{tensor.Int32, tensor.Int64} {
			for _, shape := range [][]int{{6}, {3, 4}, {2, 5, 3}, {2, 3, 2, 2}, {20, 30}} {
				for axis := range shape {
					for _, is := range [][]int{{}, {3}, {2, 2}, {0}} {
						data, idx := counted(d, shape...), index(r, shape[axis], kind, is...)
						os := append(append(append([]int{}, shape[:axis]...), is...), shape[axis+1:]...)
						out := tensor.Must(tensor.New(d, os...))
						if err := Gather(bg, pool, out, data, idx, axis); err != nil {
							t.Fatal(err)
						}
						for i := 0; i < out.Size(); i += 1 + out.Size()/50 {
							x := unravel(i, os)
							k := at(idx, ravel(x[axis:axis+len(is)], is), shape[axis])
							from := append(append(append([]int{}, x[:axis]...), k), x[axis+len(is):]...)
							if got, want := value(out, i), value(data, ravel(from, shape)); got != want {
								t.Fatalf("%v %v axis %d indices %v: element %v is %s, want %s", d, shape, axis, is, x, got, want)
							}
						}
					}
				}
			}
		}
	}
}

func TestGatherInParallel(t *testing.T) {
	pool := parallel.New(4)
	defer pool.Close()
	const rows, width = 50, 1000
	for _, block := range []int{1, 8} {
		data, idx := make([]float32, rows*width), make([]int64, 7*width)
		for i := range data {
			data[i] = float32(i)
		}
		n := width / block
		for i := range idx {
			idx[i] = int64(i * 13 % n)
		}
		src := tensor.Must(tensor.FromSlice(data, rows, n, block))
		out := tensor.Must(tensor.New(tensor.Float32, rows, len(idx), block))
		if err := Gather(bg, pool, out, src, tensor.Must(tensor.FromSlice(idx)), 1); err != nil {
			t.Fatal(err)
		}
		for i, v := range tensor.Elements[float32](out) {
			b, k, o := i%block, i/block%len(idx), i/block/len(idx)
			if want := data[(o*n+int(idx[k]))*block+b]; v != want {
				t.Fatalf("block %d: element %d is %v, want %v", block, i, v, want)
			}
		}
	}
}

func TestOutOfRangeNamesIndexAndAxis(t *testing.T) {
	data, out := counted(tensor.Float32, 3, 4), tensor.Must(tensor.New(tensor.Float32, 3, 2))
	for _, bad := range []int64{4, -5, math.MaxInt64, math.MinInt64} {
		idx := tensor.Must(tensor.FromSlice([]int64{1, bad}))
		wide := tensor.Must(tensor.FromSlice([]int64{1, bad, 0, 0, 0, 0}, 3, 2))
		for name, err := range map[string]error{
			"Gather":          Gather(bg, nil, out, data, idx, 1),
			"Elements":        Elements(bg, nil, out, data, wide, 1),
			"ScatterElements": ScatterElements(bg, data.Clone(), wide, out, 1),
		} {
			var e *OutOfRange
			if !errors.As(err, &e) || e.Position != 1 || e.Value != bad || e.Size != 4 || e.Axis != 1 {
				t.Errorf("%s of %d: %v", name, bad, err)
			}
		}
		tuple := tensor.Must(tensor.FromSlice([]int64{0, bad}, 1, 2))
		one := tensor.Must(tensor.New(tensor.Float32, 1))
		for name, err := range map[string]error{
			"Slices":        Slices(bg, nil, one, data, tuple, 0),
			"ScatterSlices": ScatterSlices(bg, data.Clone(), tuple, one),
		} {
			var e *OutOfRange
			if !errors.As(err, &e) || e.Position != 1 || e.Value != bad || e.Axis != 1 || e.Size != 4 {
				t.Errorf("%s of %d: %v", name, bad, err)
			}
		}
	}
}

func TestElementsAndScatterElements(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, d := range dtypes {
		for _, kind := range []tensor.DType{tensor.Int32, tensor.Int64} {
			for _, c := range [][2][]int{{{5}, {7}}, {{4, 6}, {4, 2}}, {{4, 6}, {9, 5}}, {{2, 3, 4}, {2, 2, 3}}, {{2, 3, 4}, {1, 8, 4}}, {{3, 3}, {0, 3}}} {
				for axis := range c[0] {
					fits := true
					for i := range c[0] {
						fits = fits && (i == axis || c[1][i] <= c[0][i])
					}
					if !fits {
						continue
					}
					data, idx := counted(d, c[0]...), index(r, c[0][axis], kind, c[1]...)
					out := tensor.Must(tensor.New(d, c[1]...))
					if err := Elements(bg, nil, out, data, idx, axis); err != nil {
						t.Fatal(err)
					}
					updates := counted(d, append([]int{2}, c[1]...)...)
					updates = tensor.Must(updates.Slice(0, 1, 1, 1)).Clone()
					updates = tensor.Must(updates.Reshape(c[1]...))
					scattered := data.Clone()
					if err := ScatterElements(bg, scattered, idx, updates, axis); err != nil {
						t.Fatal(err)
					}
					want := map[int]string{}
					for i := range out.Size() {
						x := unravel(i, c[1])
						x[axis] = at(idx, i, c[0][axis])
						k := ravel(x, c[0])
						if got := value(out, i); got != value(data, k) {
							t.Fatalf("%v %v axis %d: element %d is %s, want %s", d, c, axis, i, got, value(data, k))
						}
						want[k] = value(updates, i)
					}
					for i := range scattered.Size() {
						w, written := want[i]
						if !written {
							w = value(data, i)
						}
						if got := value(scattered, i); got != w {
							t.Fatalf("scatter %v %v axis %d: element %d is %s, want %s", d, c, axis, i, got, w)
						}
					}
				}
			}
		}
	}
}

func TestSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, d := range dtypes {
		for _, c := range []struct {
			data, at []int
			batch    int
		}{{[]int{4, 5}, []int{3, 2}, 0}, {[]int{4, 5}, []int{3, 1}, 0}, {[]int{2, 3, 4}, []int{2, 2, 1}, 1}, {[]int{2, 3, 4}, []int{2, 3, 2, 1}, 2}, {[]int{4, 5, 2}, []int{2, 2, 2}, 0}, {[]int{3}, []int{0, 1}, 0}} {
			depth := c.at[len(c.at)-1]
			data := counted(d, c.data...)
			idx := index(r, 2, [...]tensor.DType{tensor.Int64, tensor.Int32}[r.IntN(2)], c.at...)
			os := append(append([]int{}, c.at[:len(c.at)-1]...), c.data[c.batch+depth:]...)
			out := tensor.Must(tensor.New(d, os...))
			if err := Slices(bg, nil, out, data, idx, c.batch); err != nil {
				t.Fatal(err)
			}
			for i := range out.Size() {
				x := unravel(i, os)
				tuple := x[:len(c.at)-1]
				from := append([]int{}, x[:c.batch]...)
				for k := range depth {
					from = append(from, at(idx, ravel(append(append([]int{}, tuple...), k), c.at), c.data[c.batch+k]))
				}
				from = append(from, x[len(c.at)-1:]...)
				if got, want := value(out, i), value(data, ravel(from, c.data)); got != want {
					t.Fatalf("%v %+v: element %v is %s, want %s", d, c, x, got, want)
				}
			}
		}
	}
}

func TestScatterSlices(t *testing.T) {
	for _, d := range dtypes {
		data := counted(d, 4, 2)
		idx := tensor.Must(tensor.FromSlice([]int64{2, -4, 2}, 3, 1))
		updates := tensor.Must(counted(d, 8, 2).Slice(0, 5, 3, 1)).Clone() // 10 … 15
		if err := ScatterSlices(bg, data, idx, updates); err != nil {
			t.Fatal(err)
		}
		want := counted(d, 8, 2)
		for i, from := range []int{12, 13, 2, 3, 14, 15, 6, 7} {
			if got := value(data, i); got != value(want, from) {
				t.Errorf("%v: element %d is %s, want %s", d, i, got, value(want, from))
			}
		}
	}
}

func TestReductions(t *testing.T) {
	// Element 1 starts as 3 and gets 5, 2; element 0 starts as 7 and gets 4.
	for r, want := range map[Reduction][2]float64{Add: {11, 10}, Mul: {28, 30}, Min: {4, 2}, Max: {7, 5}} {
		for _, d := range ReducedTypes() {
			if d == tensor.Bool {
				continue
			}
			conv := func(list ...float32) *tensor.Tensor {
				return tensor.Must(tensor.Convert(tensor.Must(tensor.FromSlice(list)), d, tensor.ConvertOptions{}))
			}
			data, updates := conv(7, 3), conv(5, 4, 2)
			nd := data.Clone()
			idx := tensor.Must(tensor.FromSlice([]int32{1, 0, -1}))
			tuples := tensor.Must(tensor.FromSlice([]int64{1, 0, -1}, 3, 1))
			if err := errors.Join(ReduceElements(bg, data, idx, updates, 0, r), ReduceSlices(bg, nd, tuples, updates, r)); err != nil {
				t.Fatal(err)
			}
			for _, x := range []*tensor.Tensor{data, nd} {
				if f, _ := tensor.Float64s(x); f[0] != want[0] || f[1] != want[1] {
					t.Errorf("%v reduction %d: got %v, want %v", d, r, f, want)
				}
			}
		}
	}
	nan := float32(math.NaN())
	for _, r := range []Reduction{Min, Max} {
		data := tensor.Must(tensor.FromSlice([]float32{1}))
		idx := tensor.Must(tensor.FromSlice([]int64{0, 0}))
		if err := ReduceElements(bg, data, idx, tensor.Must(tensor.FromSlice([]float32{nan, 2})), 0, r); err != nil {
			t.Fatal(err)
		}
		if v := tensor.Elements[float32](data)[0]; v == v {
			t.Errorf("reduction %d loses NaN: %v", r, v)
		}
	}
	for r, want := range map[Reduction][2]bool{Add: {true, true}, Mul: {false, true}, Min: {false, true}, Max: {true, true}} {
		data := tensor.Must(tensor.FromSlice([]bool{true, true}))
		idx := tensor.Must(tensor.FromSlice([]int64{0, 1}))
		if err := ReduceElements(bg, data, idx, tensor.Must(tensor.FromSlice([]bool{false, true})), 0, r); err != nil {
			t.Fatal(err)
		}
		if b := tensor.Elements[bool](data); b[0] != want[0] || b[1] != want[1] {
			t.Errorf("bool reduction %d: got %v, want %v", r, b, want)
		}
	}
}

func TestScatterCache(t *testing.T) {
	// Two batches, one head, four places of two numbers.
	past, update := counted(tensor.Int64, 2, 1, 4, 2), tensor.Must(tensor.FromSlice([]int64{100, 101, 102, 103, 104, 105, 106, 107}, 2, 1, 2, 2))
	for _, c := range []struct {
		at       []int64
		circular bool
		want     string
	}{
		{nil, false, "[100 101 102 103 4 5 6 7 104 105 106 107 12 13 14 15]"},
		{[]int64{1, 2}, false, "[0 1 100 101 102 103 6 7 8 9 10 11 104 105 106 107]"},
		{[]int64{3, 9}, true, "[102 103 2 3 4 5 100 101 8 9 104 105 106 107 14 15]"},
	} {
		got := past.Clone()
		if err := ScatterCache(bg, nil, got, update, c.at, 2, c.circular); err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(tensor.Elements[int64](got)); s != c.want {
			t.Errorf("at %v: got %s, want %s", c.at, s, c.want)
		}
	}
	for _, at := range [][]int64{{3, 0}, {0, -1}} {
		if err := ScatterCache(bg, nil, past.Clone(), update, at, 2, false); err == nil {
			t.Errorf("no error at %v", at)
		}
	}
	if err := ScatterCache(bg, nil, past.Clone(), update, []int64{0, -1}, 2, true); err == nil {
		t.Error("no error for a negative index into a circular cache")
	}
}

func TestCompress(t *testing.T) {
	for _, d := range dtypes {
		in := counted(d, 2, 4, 2)
		condition := []bool{false, true, true}
		if n, err := CountTrue(condition, 4); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		out := tensor.Must(tensor.New(d, 2, 2, 2))
		if err := Compress(bg, nil, out, in, condition, 1); err != nil {
			t.Fatal(err)
		}
		for i, from := range []int{2, 3, 4, 5, 10, 11, 12, 13} {
			if value(out, i) != value(in, from) {
				t.Errorf("%v: element %d is %s, want %s", d, i, value(out, i), value(in, from))
			}
		}
	}
	if _, err := CountTrue([]bool{false, false, true}, 2); err == nil {
		t.Error("no error for a true condition beyond the axis")
	}
}

func TestOneHot(t *testing.T) {
	for _, d := range dtypes {
		values := counted(d, 2) // off 0, on 1
		idx := []int64{0, -1, 3, -4, 2, 1}
		out := tensor.Must(tensor.New(d, 2, 3, 3)) // depth 3 in the middle
		if err := OneHot(bg, nil, out, idx, values, 1); err != nil {
			t.Fatal(err)
		}
		for i := range 18 {
			x := unravel(i, []int{2, 3, 3})
			k := idx[x[0]*3+x[2]]
			if k < 0 {
				k += 3
			}
			want := value(values, 0)
			if k == int64(x[1]) {
				want = value(values, 1)
			}
			if got := value(out, i); got != want {
				t.Errorf("%v: element %v is %s, want %s", d, x, got, want)
			}
		}
	}
}
