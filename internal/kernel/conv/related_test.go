package conv

import (
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

// The transpose is defined by <conv(a), b> = <a, transposed(b)> for all a and b.
func TestTransposedIsAdjoint(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := randomGeometry(r)
		p := NewPlan(g)
		a := randoms(r, g.Batch*g.Groups*g.In*product(g.Input))
		b := randoms(r, g.Batch*g.Groups*g.Out*product(g.Output))
		w := randoms(r, g.Groups*g.Out*g.In*product(g.Kernel))
		left := dot(naive(&g, a, w, nil), b)
		y := make([]float64, len(a))
		if err := Transposed(t.Context(), pool, p, b, w, nil, y); err != nil {
			t.Fatal(err)
		}
		if right := dot(a, y); math.Abs(left-right) > 1e-8*(1+math.Abs(left)) {
			t.Fatalf("%s\n<conv a, b> is %g, <a, transposed b> is %g", describe(seed, &g), left, right)
		}
		// In single precision, with a bias.
		bias := randoms(r, g.Groups*g.In)
		got := make([]float32, len(y))
		if err := Transposed(t.Context(), pool, p, narrow(b), narrow(w), narrow(bias), got); err != nil {
			t.Fatal(err)
		}
		plane := product(g.Input)
		for i := range got {
			want := y[i] + bias[i/plane%len(bias)]
			if math.Abs(float64(got[i])-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%s\nelement %d is %g, want %g", describe(seed, &g), i, got[i], want)
			}
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func TestInt8(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGeometry(r)
		p := NewPlan(g)
		x := make([]uint8, g.Batch*g.Groups*g.In*product(g.Input))
		w := make([]int8, g.Groups*g.Out*p.k)
		zero, zeros := uint8(r.UintN(256)), make([]int8, g.Groups*g.Out)
		xf, wf := make([]float64, len(x)), make([]float64, len(w))
		for i := range x {
			x[i] = uint8(r.UintN(256))
			xf[i] = float64(x[i]) - float64(zero)
		}
		for i := range zeros {
			zeros[i] = int8(r.IntN(256) - 128)
		}
		for i := range w {
			w[i] = int8(r.IntN(256) - 128)
			wf[i] = float64(w[i]) - float64(zeros[i/max(1, p.k)])
		}
		want := naive(&g, xf, wf, nil)
		got := make([]int32, len(want))
		err := Int8(t.Context(), pool, p, x, zero, PackInt8(g.Groups, g.Out, p.k, w, zeros), func(filter, pixel int, sums []int32) {
			copy(got[filter*p.pixels+pixel:], sums)
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if float64(got[i]) != want[i] {
				t.Fatalf("%s\nelement %d is %d, want %g", describe(seed, &g), i, got[i], want[i])
			}
		}
	}
}

// Without offsets a deformable convolution is a plain one; an offset by whole
// elements reads the image there.
func TestDeform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	g := Geometry{Batch: 2, Groups: 2, In: 2, Out: 3, Input: []int{6, 7}, Output: []int{6, 7},
		Kernel: []int{3, 3}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Begin: []int{1, 1}}
	p := NewDeformPlan(g)
	x, w, bias := randoms(r, 2*4*42), randoms(r, 6*2*9), randoms(r, 6)
	offset, mask := make([]float64, 2*2*9*2*42), make([]float64, 2*2*9*42)
	fill(mask, 0.5)
	y := make([]float64, 2*6*42)
	if err := Deform(t.Context(), nil, p, 2, x, w, offset, nil, mask, y); err != nil {
		t.Fatal(err)
	}
	for i, v := range naive(&g, x, w, nil) {
		if math.Abs(y[i]-v/2) > 1e-12 {
			t.Fatalf("element %d is %g, want %g", i, y[i], v/2)
		}
	}
	for i := range offset {
		if i/42%2 == 1 {
			offset[i] = 1 // one column to the right
		}
	}
	if err := Deform(t.Context(), nil, p, 2, x, w, offset, bias, nil, y); err != nil {
		t.Fatal(err)
	}
	moved := g
	moved.Begin = []int{1, 0}
	for i, v := range naive(&moved, x, w, bias) {
		if math.Abs(y[i]-v) > 1e-12 {
			t.Fatalf("moved: element %d is %g, want %g", i, y[i], v)
		}
	}
	fill(offset, math.NaN())
	if err := Deform(t.Context(), nil, p, 2, x, w, offset, nil, nil, y); err != nil || y[0] != 0 {
		t.Errorf("offsets that are no numbers: %g, %v, want 0", y[0], err)
	}
}

// A window of one element reads any position too: here the image transposed.
func TestDeformPointwise(t *testing.T) {
	const n = 3
	p := NewDeformPlan(Geometry{Batch: 1, Groups: 1, In: 1, Out: 1, Input: []int{n, n}, Output: []int{n, n},
		Kernel: []int{1, 1}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Begin: []int{0, 0}})
	x, y, offset := make([]float64, n*n), make([]float64, n*n), make([]float64, 2*n*n)
	for i := range x {
		x[i] = float64(i)
		offset[i], offset[n*n+i] = float64(i%n-i/n), float64(i/n-i%n)
	}
	if err := Deform(t.Context(), nil, p, 1, x, []float64{1}, offset, nil, nil, y); err != nil {
		t.Fatal(err)
	}
	for i, v := range y {
		if want := x[i%n*n+i/n]; v != want {
			t.Errorf("element %d is %g, want %g", i, v, want)
		}
	}
}

func TestCol2Im(t *testing.T) {
	// Blocks of 2 at the positions 0, 1 and 2 of 4 elements, ones everywhere: each
	// element counts its blocks.
	p := NewPlan(Geometry{Batch: 1, Groups: 1, In: 2, Out: 1, Input: []int{4}, Output: []int{3}, Kernel: []int{2}, Strides: []int{1}, Dilations: []int{1}, Begin: []int{0}})
	x := make([]int16, 2*2*3)
	fill(x, 1)
	y := make([]int16, 8)
	fill(y, 99)
	if err := Col2Im(t.Context(), nil, p, x, y); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int16{1, 2, 2, 1, 1, 2, 2, 1} {
		if y[i] != want {
			t.Errorf("element %d is %d, want %d", i, y[i], want)
		}
	}
}

// A sequence in one piece gives what it gives in two, when the state is passed on.
func TestCausalInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	const batch, channels, length, k, cut = 2, 3, 11, 4, 2
	x, w, bias := narrow(randoms(r, batch*channels*length)), narrow(randoms(r, channels*k)), narrow(randoms(r, channels))
	whole, end := make([]float32, len(x)), make([]float32, batch*channels*(k-1))
	if err := Causal(t.Context(), nil, batch, channels, length, k, x, w, bias, nil, true, whole, end); err != nil {
		t.Fatal(err)
	}
	var state []float32
	for _, piece := range [][2]int{{0, cut}, {cut, length}} {
		n := piece[1] - piece[0]
		part := make([]float32, 0, batch*channels*n)
		for i := range batch * channels {
			part = append(part, x[i*length+piece[0]:i*length+piece[1]]...)
		}
		y, next := make([]float32, len(part)), make([]float32, batch*channels*(k-1))
		if err := Causal(t.Context(), nil, batch, channels, n, k, part, w, bias, state, true, y, next); err != nil {
			t.Fatal(err)
		}
		for i, v := range y {
			if want := whole[i/n*length+piece[0]+i%n]; math.Abs(float64(v-want)) > 1e-6 {
				t.Fatalf("piece %v: element %d is %g, want %g", piece, i, v, want)
			}
		}
		state = next
	}
	for i := range end {
		if state[i] != end[i] {
			t.Fatalf("state %d is %g, want %g", i, state[i], end[i])
		}
	}
	// The definition, at one place: channel 1, element 5.
	z := float64(bias[1])
	for j := range k {
		z += float64(w[k+j]) * float64(x[length+5-(k-1)+j])
	}
	if want := z / (1 + math.Exp(-z)); math.Abs(float64(whole[length+5])-want) > 1e-6 {
		t.Errorf("got %g, want %g", whole[length+5], want)
	}
}
