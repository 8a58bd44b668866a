package strided

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gort/internal/parallel"
	"gort/tensor"
)

// dtypes has one element type of each width.
var dtypes = []tensor.DType{tensor.Uint8, tensor.Float16, tensor.Float32, tensor.Int64, tensor.Complex128, tensor.String, tensor.Int4, tensor.Uint2}

// numbered returns a tensor whose elements are all told apart, as far as the type can.
func numbered(t testing.TB, d tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	x := tensor.Must(tensor.New(d, shape...))
	if d == tensor.String {
		s := tensor.Elements[string](x)
		for i := range s {
			s[i] = fmt.Sprint("s", i)
		}
		return x
	}
	r := rand.New(rand.NewPCG(1, uint64(x.Size())))
	b, err := x.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return x
}

// equal compares the bits of elements, NaN included.
func equal(t testing.TB, got, want *tensor.Tensor) bool {
	t.Helper()
	if !got.Shape().Equal(want.Shape()) {
		t.Fatalf("shape %v, want %v", got.Shape(), want.Shape())
	}
	got, want = got.Contiguous(), want.Contiguous()
	if got.DType() == tensor.String {
		return slices.Equal(tensor.Elements[string](got), tensor.Elements[string](want))
	}
	if got.DType().Packed() {
		g, _ := tensor.Unpack(got)
		w, _ := tensor.Unpack(want)
		return slices.Equal(g, w)
	}
	g, _ := got.Bytes()
	w, _ := want.Bytes()
	return string(g) == string(w)
}

var shapes = [][]int{
	{}, {1}, {7}, {0, 3}, {3, 5}, {16, 16}, {17, 33}, {8, 1, 9}, {2, 3, 4}, {5, 1, 1, 6}, {2, 3, 4, 5},
	{3, 2, 2, 3, 2}, {2, 2, 2, 2, 2, 2, 2}, {70, 130}, {3, 129, 67}, {300, 5, 2}, {1, 20000}, {40, 40, 40}, {2, 90, 8, 16},
}

// The tensor package copies strided windows element by element: an independent answer.
func TestTransposeAgainstElementCopy(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	r := rand.New(rand.NewPCG(2, 3))
	for _, d := range dtypes {
		for _, shape := range shapes {
			src := numbered(t, d, shape...)
			for range 3 {
				perm := r.Perm(len(shape))
				view, err := src.Transpose(append([]int{}, perm...)...)
				if err != nil {
					t.Fatal(err)
				}
				if len(perm) == 0 {
					perm = nil
				}
				dst := tensor.Must(tensor.New(d, view.Shape()...))
				if err := Copy(context.Background(), pool, dst, src, Transposed(src, perm)); err != nil {
					t.Fatal(err)
				}
				if !equal(t, dst, view) {
					t.Errorf("%v %v by %v is wrong", d, shape, perm)
				}
			}
		}
	}
}

func TestTransposeReadsStridedInput(t *testing.T) {
	for _, d := range dtypes {
		base := numbered(t, d, 6, 7, 8)
		view, err := base.Slice(1, 6, 3, -2)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := view.Transpose(2, 0, 1)
		dst := tensor.Must(tensor.New(d, 8, 6, 3))
		if err := Copy(context.Background(), nil, dst, view, Transposed(view, []int{2, 0, 1})); err != nil {
			t.Fatal(err)
		}
		if !equal(t, dst, want) {
			t.Errorf("%v is wrong", d)
		}
	}
}

func TestExpand(t *testing.T) {
	for _, d := range dtypes {
		for _, c := range [][2][]int{
			{{}, {4, 5}}, {{1}, {7}}, {{3, 1}, {3, 4}}, {{1, 4}, {3, 4}}, {{3, 1, 5}, {2, 3, 4, 5}}, {{1, 3, 1}, {6, 3, 70}},
			{{2, 1, 1, 2}, {2, 300, 40, 2}}, {{1, 3}, {0, 3}}, {{4, 1}, {4, 1}}, {{5, 1, 3, 1}, {5, 2, 3, 1}},
		} {
			src := numbered(t, d, c[0]...)
			want, err := src.BroadcastTo(c[1]...)
			if err != nil {
				t.Fatal(err)
			}
			dst := tensor.Must(tensor.New(d, c[1]...))
			if err := Copy(context.Background(), nil, dst, src, Expanded(src, c[1])); err != nil {
				t.Fatal(err)
			}
			if !equal(t, dst, want) {
				t.Errorf("%v %v to %v is wrong", d, c[0], c[1])
			}
		}
	}
}

// Random moves with gaps on both sides; what is not named stays.
func TestCopyRandomMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for trial := range 400 {
		d := dtypes[trial%len(dtypes)]
		rank := 1 + r.IntN(4)
		var dstShape, srcShape, n, dst, src []int
		var m Move
		dstT, srcT := 1, 1
		for range rank {
			size := 1 + r.IntN(6)
			dstShape = append(dstShape, size+r.IntN(3))
			srcShape = append(srcShape, size+r.IntN(3))
			n = append(n, size)
		}
		for i := rank - 1; i >= 0; i-- {
			dst = append([]int{dstT}, dst...)
			src = append([]int{srcT}, src...)
			dstT *= dstShape[i]
			srcT *= srcShape[i]
		}
		for i := range rank { // some dimensions backwards
			if r.IntN(3) == 0 {
				m.SrcAt += (n[i] - 1) * src[i]
				src[i] = -src[i]
			}
		}
		order := r.Perm(rank)
		for _, i := range order {
			m.Add(n[i], dst[i], src[i])
		}
		to, from := numbered(t, d, dstShape...), numbered(t, d, srcShape...)
		want := to.Clone()
		wv, err1 := want.View(n, dst, 0)
		fv, err2 := from.View(n, src, m.SrcAt)
		if err := errors.Join(err1, err2, tensor.Copy(wv, fv)); err != nil {
			t.Fatal(err)
		}
		if err := Copy(context.Background(), nil, to, from, m); err != nil {
			t.Fatal(err)
		}
		if !equal(t, to, want) {
			t.Fatalf("trial %d: %v n %v dst %v src %v order %v is wrong", trial, d, n, dst, src, order)
		}
	}
}

func TestCopyStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := tensor.Must(tensor.New(tensor.Float32, 1000, 1000))
	dst := tensor.Must(tensor.New(tensor.Float32, 1000, 1000))
	if err := Copy(ctx, nil, dst, src, Transposed(src, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestSmallCopiesDoNotAllocate(t *testing.T) {
	src, dst := numbered(t, tensor.Float32, 16, 4, 16), tensor.Must(tensor.New(tensor.Float32, 16, 16, 4))
	strides := []int{64, 1, 16}
	got := testing.AllocsPerRun(100, func() {
		var m Move
		m.AddShape(dst.Shape(), []int{64, 4, 1}, strides)
		if err := Copy(context.Background(), nil, dst, src, m); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations a copy, want none", got)
	}
}

func BenchmarkTranspose(b *testing.B) {
	for _, c := range []struct {
		shape, perm []int
		d           tensor.DType
	}{
		{[]int{1, 224, 224, 3}, []int{0, 3, 1, 2}, tensor.Float32},
		{[]int{1, 3, 224, 224}, []int{0, 2, 3, 1}, tensor.Float32},
		{[]int{1, 128, 12, 64}, []int{0, 2, 1, 3}, tensor.Float32},
		{[]int{1, 12, 128, 64}, []int{0, 1, 3, 2}, tensor.Float32},
		{[]int{1024, 1024}, []int{1, 0}, tensor.Float32},
		{[]int{1024, 1024}, []int{1, 0}, tensor.Uint8},
		{[]int{1024, 1024}, []int{1, 0}, tensor.Float16},
		{[]int{1024, 1024}, []int{1, 0}, tensor.Float64},
		{[]int{1024, 1024}, []int{0, 1}, tensor.Float32},
	} {
		b.Run(fmt.Sprint(c.d, c.shape, c.perm), func(b *testing.B) {
			src := numbered(b, c.d, c.shape...)
			v, _ := src.Transpose(c.perm...)
			dst := tensor.Must(tensor.New(c.d, v.Shape()...))
			b.SetBytes(2 * int64(src.NumBytes()))
			for b.Loop() {
				if err := Copy(context.Background(), nil, dst, src, Transposed(src, c.perm)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
