package blockquant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"gort/internal/parallel"
)

// random returns weights of some kind: without zero points, with packed ones, or with
// numbers for zero points.
func random(r *rand.Rand, n, k, bits, block, kind int) *Weights {
	w := &Weights{N: n, K: k, Bits: bits, Block: block}
	w.Packed = make([]uint8, n*w.Blocks()*block*bits/8)
	r.Read(w.Packed)
	for range n * w.Blocks() {
		w.Scales = append(w.Scales, r.Float32()-0.5)
	}
	switch kind {
	case 1:
		w.PackedZeros = make([]uint8, n*w.ZeroBytes())
		r.Read(w.PackedZeros)
	case 2:
		for range w.Scales {
			w.Zeros = append(w.Zeros, r.Float32()*16)
		}
	}
	return w
}

// Products with few and many rows, of widths that fill no panel, and blocks that K
// does not fill, against sums in float64 of the weights made numbers.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	pool := parallel.New(3)
	defer pool.Close()
	check := func(m, n, k, bits, block, kind int, bias bool) {
		t.Helper()
		name := fmt.Sprintf("%d rows, N %d, K %d, %d bits, blocks of %d, zero points %d, bias %v", m, n, k, bits, block, kind, bias)
		w := random(r, n, k, bits, block, kind)
		if k*bits%8 == 0 && r.Intn(2) == 0 { // without padding
			w.RowBytes = k * bits / 8
			w.Packed = w.Packed[:n*w.RowBytes]
		}
		p, err := NewPanels(t.Context(), pool, w)
		if err != nil {
			t.Fatal(name, err)
		}
		a, numbers := make([]float32, m*k), make([]float32, n*k)
		for i := range a {
			a[i] = r.Float32()*2 - 1
		}
		if err := w.Dequantize(t.Context(), nil, numbers); err != nil {
			t.Fatal(name, err)
		}
		var b []float32
		if bias {
			for range n {
				b = append(b, r.Float32())
			}
		}
		y := make([]float32, m*n)
		for i := range y {
			y[i] = float32(math.NaN()) // not zeroed
		}
		if err := p.Multiply(t.Context(), pool, m, a, b, y); err != nil {
			t.Fatal(name, err)
		}
		alone := make([]float32, m*n)
		if err := p.Multiply(t.Context(), nil, m, a, b, alone); err != nil {
			t.Fatal(name, err)
		}
		for i, got := range y {
			want, size := 0.0, 1.0
			if bias {
				want = float64(b[i%n])
			}
			row, col := a[i/n*k:][:k], numbers[i%n*k:][:k]
			for c := range k {
				want += float64(row[c]) * float64(col[c])
				size += math.Abs(float64(row[c])) * 256
			}
			if math.Abs(float64(got)-want) > size*0x1p-22 {
				t.Fatalf("%s: element %d is %v, want %v", name, i, got, want)
			}
			if got != alone[i] {
				t.Fatalf("%s: element %d is %v on several threads, %v on one", name, i, got, alone[i])
			}
		}
	}
	for _, bits := range []int{2, 4, 8} {
		for _, m := range []int{1, 3, 4, 7, 100} {
			for kind := range 3 {
				check(m, 1+r.Intn(40), 1+r.Intn(100), bits, 16<<r.Intn(3), kind, kind == 1)
			}
		}
		check(1, 16, 700, bits, 512, 1, true)  // a block is more than is made numbers at a time
		check(5, 17, 1100, bits, 512, 2, true) // and again
		check(1, 5, 296, bits, 296, 1, false)  // one block a row, of no round size
		check(6, 33, 24, bits, 24, 0, false)
		check(2, 3, 4, bits, 4, 0, false) // no whole word
	}
}

// A row with an infinity in it is that row by numbers.
func TestMultiplyInfinity(t *testing.T) {
	w := &Weights{N: 2, K: 16, Bits: 4, Block: 16, Packed: make([]uint8, 16), Scales: []float32{1, 2}}
	for i := range w.Packed {
		w.Packed[i] = 0x99 // one above the middle
	}
	w.Packed[15] = 0x79 // one below
	p, err := NewPanels(t.Context(), nil, w)
	if err != nil {
		t.Fatal(err)
	}
	a, y := make([]float32, 16), make([]float32, 2)
	a[15] = float32(math.Inf(1))
	if err := p.Multiply(t.Context(), nil, 1, a, nil, y); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(float64(y[0]), 1) || !math.IsInf(float64(y[1]), -1) {
		t.Errorf("products with infinity are %v, want +Inf and -Inf", y)
	}
}

func TestMultiplyRefuses(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	w := random(r, 4, 16, 4, 16, 0)
	p, err := NewPanels(t.Context(), nil, w)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][3]int{{15, 0, 4}, {16, 3, 4}, {16, 0, 3}} {
		var bias []float32
		if size[1] > 0 {
			bias = make([]float32, size[1])
		}
		if err := p.Multiply(t.Context(), nil, 1, make([]float32, size[0]), bias, make([]float32, size[2])); err == nil {
			t.Errorf("operands of %v elements are taken", size)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, m := range []int{1, 9} {
		if err := p.Multiply(ctx, nil, m, make([]float32, 16*m), nil, make([]float32, 4*m)); !errors.Is(err, context.Canceled) {
			t.Errorf("%d rows on a cancelled context: %v", m, err)
		}
	}
	w.Group = make([]int32, 16)
	if _, err := NewPanels(t.Context(), nil, w); err == nil {
		t.Error("weights with groups have panels")
	}
}

func BenchmarkMultiply(b *testing.B) {
	r := rand.New(rand.NewSource(4))
	const n, k = 2048, 2048
	for _, bits := range []int{4, 8} {
		w := random(r, n, k, bits, 32, 0)
		p, err := NewPanels(b.Context(), nil, w)
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range []int{1, 4, 128} {
			b.Run(fmt.Sprintf("bits=%d/rows=%d", bits, m), func(b *testing.B) {
				a, y := make([]float32, m*k), make([]float32, m*n)
				b.ReportAllocs()
				for b.Loop() {
					if err := p.Multiply(b.Context(), nil, m, a, nil, y); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
