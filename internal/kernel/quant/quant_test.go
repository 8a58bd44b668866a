package quant

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// layouts are tensors with scales for the whole, an axis or blocks.
var layouts = []struct {
	shape, scales []int
	axis, block   int
}{
	{[]int{3, 1500}, []int{}, 0, 0},
	{[]int{5000}, []int{1}, 0, 0},
	{[]int{4, 3, 5}, []int{3}, 1, 0},
	{[]int{4, 700}, []int{700}, 1, 0},
	{[]int{4, 3, 5}, []int{4}, 0, 0},
	{[]int{2, 7, 5}, []int{2, 3, 5}, 1, 3},
	{[]int{2, 7}, []int{2, 2}, 1, 4},
	{[]int{3, 2, 600}, []int{3, 1, 600}, 1, 2},
	{[]int{0, 4}, []int{4}, 1, 0},
}

// scaleOf finds an element's scale from the definition of the granularities.
func scaleOf(shape, scales []int, axis, block, i int) int {
	if product(scales) == 1 {
		return 0
	}
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	if block == 0 {
		return at[axis]
	}
	at[axis] /= block
	k := 0
	for d := range at {
		k = k*scales[d] + at[d]
	}
	return k
}

func TestQuantizeAndBack(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range layouts {
		l, err := NewLayout(c.shape, c.scales, c.axis, c.block)
		if err != nil {
			t.Fatal(err)
		}
		n, k := product(c.shape), product(c.scales)
		x, scale, zero := make([]float32, n), make([]float32, k), make([]int32, k)
		for i := range scale {
			scale[i] = float32(int(1)<<r.IntN(4)) / 4 // exact quotients, so that ties occur
			zero[i] = int32(r.IntN(256) - 128)
		}
		for i := range x {
			x[i] = float32(r.IntN(2000)-1000) / 8
		}
		for _, zeros := range [][]int32{nil, zero} {
			y := make([]int8, n)
			if err := Quantize(t.Context(), pool, l, x, scale, nil, zeros, -128, 127, y); err != nil {
				t.Fatal(err)
			}
			back := make([]float32, n)
			if err := Dequantize(t.Context(), pool, l, y, scale, zeros, back); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				s := scaleOf(c.shape, c.scales, c.axis, c.block, i)
				z := 0.0
				if zeros != nil {
					z = float64(zero[s])
				}
				want := min(max(math.RoundToEven(float64(x[i])/float64(scale[s]))+z, -128), 127)
				if float64(y[i]) != want {
					t.Fatalf("%v: element %d (%g/%g, zero %g) is %d, want %g", c, i, x[i], scale[s], z, y[i], want)
				}
				if float64(back[i]) != (want-z)*float64(scale[s]) {
					t.Fatalf("%v: element %d comes back as %g, want %g", c, i, back[i], (want-z)*float64(scale[s]))
				}
			}
		}
	}
}

func TestLayoutErrors(t *testing.T) {
	for _, c := range []struct {
		shape, scales []int
		axis, block   int
	}{
		{[]int{2, 3}, []int{2}, 1, 0},
		{[]int{2, 3}, []int{3}, 2, 0},
		{[]int{2, 3}, []int{2, 3}, 1, 0},
		{[]int{2, 7}, []int{2, 2}, 1, 3},
		{[]int{2, 7}, []int{2}, 1, 3},
	} {
		if _, err := NewLayout(c.shape, c.scales, c.axis, c.block); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}

// The ends of the 16-bit types, infinities and ties.
func TestQuantizeEdges(t *testing.T) {
	l, err := NewLayout([]int{8}, nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	inf := float32(math.Inf(1))
	x := []float32{-1e30, 1e30, 0.5, 1.5, 2.5, -0.5, inf, -inf}
	y := make([]uint16, 8)
	if err := Quantize(t.Context(), nil, l, x, []float32{1}, nil, []int32{32768}, 0, 65535, y); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint16{0, 65535, 32768, 32770, 32770, 32768, 65535, 0} {
		if y[i] != want {
			t.Errorf("%g becomes %d, want %d", x[i], y[i], want)
		}
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		x     []float32
		scale float32
		zero  uint8
	}{
		{[]float32{0, 2, -3, -2.5, 1.34, 0.5}, 5.0 / 255, 153}, // the example of the specification
		{[]float32{-1, -2.1, -1.3, -2.5, -3.34, -4}, 4.0 / 255, 255},
		{[]float32{1, 2, 4}, 4.0 / 255, 0},
		{[]float32{0, 0}, 1, 0},
		{nil, 1, 0},
	} {
		if s, z := Range(c.x); s != c.scale || z != c.zero {
			t.Errorf("%v: scale %g and zero point %d, want %g and %d", c.x, s, z, c.scale, c.zero)
		}
	}
}

func TestRequantize(t *testing.T) {
	sums := []int32{3, 5, -3, 1 << 30, -1 << 30}
	y := make([]int8, 5)
	Requantize(sums, []float32{0.5}, 10, -128, 127, y) // 1.5, 2.5, -1.5
	for i, want := range []int8{12, 12, 8, 127, -128} {
		if y[i] != want {
			t.Errorf("%d becomes %d, want %d", sums[i], y[i], want)
		}
	}
}

func TestMatMul(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for _, c := range []struct{ a, b []int }{
		{[]int{4, 3}, []int{3, 5}}, {[]int{2, 1, 4, 3}, []int{3, 3, 5}}, {[]int{3}, []int{2, 3, 5}}, {[]int{4, 3}, []int{3}}, {[]int{2, 4, 0}, []int{0, 5}},
	} {
		p, err := NewProduct(c.a, c.b)
		if err != nil {
			t.Fatal(err)
		}
		a, b := make([]uint8, product(c.a)), make([]int8, product(c.b))
		for i := range a {
			a[i] = uint8(r.UintN(256))
		}
		for i := range b {
			b[i] = int8(r.IntN(256) - 128)
		}
		za, zb := []uint8{7}, []int8{-3}
		for i := range p.Products() {
			sums := make([]int32, p.M*p.N)
			if err := MatMul(t.Context(), nil, p, i, a, za, b, zb, nil, sums); err != nil {
				t.Fatal(err)
			}
			// The stacks of the cases broadcast from the right.
			ai, bi := i, i
			if n := len(a) / max(1, p.M*p.K); n > 0 {
				ai = i * n / p.Products()
			}
			if n := len(b) / max(1, p.K*p.N); n > 0 {
				bi = i % n
			}
			for m := range p.M {
				for n := range p.N {
					want := int32(0)
					for k := range p.K {
						want += (int32(a[(ai*p.M+m)*p.K+k]) - 7) * (int32(b[(bi*p.K+k)*p.N+n]) + 3)
					}
					if sums[m*p.N+n] != want {
						t.Fatalf("%v: product %d element %d,%d is %d, want %d", c, i, m, n, sums[m*p.N+n], want)
					}
				}
			}
		}
	}
	for _, c := range [][2][]int{{{2, 3}, {4, 5}}, {{}, {3}}, {{2, 2, 3}, {3, 3, 5}}} {
		if _, err := NewProduct(c[0], c[1]); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}
