package conv

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// check runs every version of one convolution against the definition.
func check(t *testing.T, seed uint64, pool *parallel.Pool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	g := randomGeometry(r)
	p := NewPlan(g)
	x := randoms(r, g.Batch*g.Groups*g.In*product(g.Input))
	w := randoms(r, g.Groups*g.Out*g.In*product(g.Kernel))
	var bias []float64
	if r.IntN(2) == 0 {
		bias = randoms(r, g.Groups*g.Out)
	}
	want := naive(&g, x, w, bias)
	got64 := make([]float64, len(want))
	fill(got64, math.NaN())
	if err := p.Float64(t.Context(), pool, x, w, bias, got64); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got64[i]-want[i]) > 1e-10 {
			t.Fatalf("%s\nFloat64: element %d is %g, want %g", describe(seed, &g), i, got64[i], want[i])
		}
	}
	packed := PackWeights(g.Groups, g.Out, p.k, narrow(w))
	for _, c := range []struct {
		name   string
		w      []float32
		packed *Weights
	}{{"plain", narrow(w), nil}, {"packed", nil, packed}} {
		got := make([]float32, len(want))
		fill(got, float32(math.NaN()))
		if err := p.Float32(t.Context(), pool, narrow(x), c.w, c.packed, narrow(bias), got); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 2e-6*math.Sqrt(float64(p.k))*4 {
				t.Fatalf("%s\nFloat32 with %s weights: element %d is %g, want %g", describe(seed, &g), c.name, i, got[i], want[i])
			}
		}
	}
}

func TestAgainstDefinition(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	for seed := range uint64(40) {
		check(t, seed, pool)
	}
	restore := simd.DisableForTest()
	defer restore()
	for seed := range uint64(8) {
		check(t, seed, nil)
	}
}

func FuzzConv(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { check(t, seed, nil) })
}

// The result does not depend on the number of threads.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	g := Geometry{Batch: 2, Groups: 1, In: 70, Out: 130, Input: []int{13, 13}, Output: []int{13, 13},
		Kernel: []int{3, 3}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Begin: []int{1, 1}}
	p := NewPlan(g)
	x, w := narrow(randoms(r, 2*70*169)), narrow(randoms(r, 130*70*9))
	want := make([]float32, 2*130*169)
	if err := p.Float32(t.Context(), nil, x, w, nil, nil, want); err != nil {
		t.Fatal(err)
	}
	pool := parallel.New(4)
	defer pool.Close()
	got := make([]float32, len(want))
	if err := p.Float32(t.Context(), pool, x, w, PackWeights(1, 130, 630, w), nil, got); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("element %d: %g on four threads, %g on one", i, got[i], want[i])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Float32(ctx, pool, x, w, nil, nil, got); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v after cancellation, want context.Canceled", err)
	}
}

// An infinite input reaches only the outputs whose windows hold it.
func TestInfinityStaysInItsWindows(t *testing.T) {
	for _, channels := range []int{1, 2} {
		g := Geometry{Batch: 1, Groups: 2, In: channels, Out: 1, Input: []int{9, 9}, Output: []int{9, 9},
			Kernel: []int{3, 3}, Strides: []int{1, 1}, Dilations: []int{1, 1}, Begin: []int{1, 1}}
		x := make([]float32, 2*channels*81)
		x[4*9+8] = float32(math.Inf(1)) // the last column: its neighbour in memory is in the next row
		w := make([]float32, 2*channels*9)
		fill(w, 1)
		y := make([]float32, 2*81)
		if err := NewPlan(g).Float32(t.Context(), nil, x, w, nil, nil, y); err != nil {
			t.Fatal(err)
		}
		for i, v := range y {
			inside := i < 81 && i%9 >= 7 && i/9 >= 3 && i/9 <= 5
			if inside != math.IsInf(float64(v), 1) || !inside && v != 0 {
				t.Errorf("%d channels: element %d is %g, window holds the infinity: %v", channels, i, v, inside)
			}
		}
	}
}

func BenchmarkFloat32(b *testing.B) {
	for _, c := range []struct {
		name                           string
		groups, in, out, size, k, s, p int
	}{
		{"first7x7s2", 1, 3, 64, 224, 7, 2, 3},
		{"3x3x64", 1, 64, 64, 56, 3, 1, 1},
		{"3x3x512", 1, 512, 512, 7, 3, 1, 1},
		{"1x1x256", 1, 256, 64, 56, 1, 1, 0},
		{"depth3x3x144", 144, 1, 1, 56, 3, 1, 1},
		{"depth3x3x144s2", 144, 1, 1, 56, 3, 2, 1},
		{"depth3x3x576", 576, 1, 1, 14, 3, 1, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := (c.size+2*c.p-c.k)/c.s + 1
			g := Geometry{Batch: 1, Groups: c.groups, In: c.in, Out: c.out, Input: []int{c.size, c.size}, Output: []int{o, o},
				Kernel: []int{c.k, c.k}, Strides: []int{c.s, c.s}, Dilations: []int{1, 1}, Begin: []int{c.p, c.p}}
			p := NewPlan(g)
			x := make([]float32, c.groups*c.in*c.size*c.size)
			w := make([]float32, c.groups*c.out*p.k)
			y := make([]float32, c.groups*c.out*o*o)
			pw := PackWeights(c.groups, c.out, p.k, w)
			if p.depthwise() {
				pw = nil
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Float32(context.Background(), nil, x, w, pw, nil, y); err != nil {
					b.Fatal(err)
				}
			}
			flops := 2 * float64(c.groups*c.out*o*o) * float64(p.k)
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}
