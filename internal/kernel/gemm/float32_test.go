package gemm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gort/internal/parallel"
)

func TestFloat32(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 5, 6, 7, 13, 16, 17, 31, 50}
	for _, m := range sizes {
		for _, n := range sizes {
			for _, k := range []int{0, 1, 2, 3, 7, 8, 16, 29} {
				q := newProblem(rng, rng.IntN(2) == 0, rng.IntN(2) == 0, m, n, k, rng.IntN(4),
					[]float32{0, 1, -0.5}[rng.IntN(3)], []float32{0, 1, 2.5}[rng.IntN(3)])
				q.check(t, q.run(t, pool, false))
				q.check(t, q.run(t, pool, true))
			}
		}
	}
}

func TestFloat32AcrossBlocks(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range [][3]int{{193, 530, 300}, {385, 33, 513}, {7, 1100, 256}, {12, 515, 257}, {13, 48, 700}, {500, 17, 20}, {1, 700, 600}, {700, 1, 600}} {
		for flags := range 4 {
			q := newProblem(rng, flags&1 > 0, flags&2 > 0, d[0], d[1], d[2], flags, 1.5, float32(flags))
			q.check(t, q.run(t, pool, false))
			q.check(t, q.run(t, pool, true))
		}
	}
}

func TestFloat32SpecialValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, d := range [][3]int{{9, 20, 30}, {1, 20, 30}, {20, 1, 30}, {40, 40, 300}} {
			for _, packed := range []bool{false, true} {
				q := newProblem(rng, false, false, d[0], d[1], d[2], 2, 1, 0)
				q.a[rng.IntN(d[0])*q.lda+rng.IntN(d[2])] = float32(bad)
				q.b[rng.IntN(d[2])*q.ldb+rng.IntN(d[1])] = float32(bad)
				q.check(t, q.run(t, nil, packed))
			}
		}
	}
	// 0 * Inf must be seen, and k == 0 leaves beta*C alone.
	q := newProblem(rng, false, false, 7, 18, 5, 0, 1, 0)
	clear(q.a)
	q.b[3] = float32(math.Inf(1))
	q.check(t, q.run(t, nil, false))
}

func TestResultDoesNotDependOnThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, d := range [][3]int{{100, 300, 600}, {1, 3000, 700}, {3000, 1, 700}, {11, 1000, 300}} {
		for flags := range 8 {
			q := newProblem(rng, flags&1 > 0, flags&2 > 0, d[0], d[1], d[2], 1, 1, 0.5)
			want := q.run(t, nil, flags&4 > 0)
			for _, threads := range []int{2, 3, 7} {
				pool := parallel.New(threads)
				got := q.run(t, pool, flags&4 > 0)
				pool.Close()
				if !slices.Equal(got, want) {
					t.Fatalf("%v: %d threads give another result than one", q, threads)
				}
			}
		}
	}
}

func TestFloat32Errors(t *testing.T) {
	a, b, c := make([]float32, 6), make([]float32, 6), make([]float32, 4)
	for _, bad := range []struct {
		name                string
		m, n, k, l1, l2, l3 int
	}{
		{"negative", -1, 2, 3, 3, 2, 2},
		{"lda", 2, 2, 3, 2, 2, 2},
		{"a short", 3, 1, 3, 3, 2, 1},
		{"b short", 2, 2, 3, 3, 3, 2},
		{"c short", 2, 2, 3, 3, 2, 3},
		{"overflow", 2, 2, 3, math.MaxInt, 2, 2},
	} {
		if err := Float32(bg, nil, false, false, bad.m, bad.n, bad.k, 1, a, bad.l1, b, bad.l2, 0, c, bad.l3); err == nil {
			t.Errorf("%s: no error", bad.name)
		}
	}
	if err := Float32PackedB(bg, nil, false, 2, 2, 3, 1, a, 3, PackB(false, 3, 1, b, 1), 0, c, 2); err == nil {
		t.Error("packed B of another shape: no error")
	}
}

func TestCancelStopsWithinMilliseconds(t *testing.T) {
	const n = 2500
	a := make([]float32, n*n)
	a8 := make([]uint8, n*n)
	c, c8 := make([]float32, n*n), make([]int32, n*n)
	d := make([]float64, 1000*1000)
	e := make([]float64, 1000*1000)
	for _, threads := range []int{1, 2} {
		pool := parallel.New(threads)
		for name, call := range map[string]func(context.Context) error{
			"float32": func(ctx context.Context) error {
				return Float32(ctx, pool, false, true, n, n, n, 1, a, n, a, n, 0, c, n)
			},
			"int8": func(ctx context.Context) error {
				return Int8[uint8, uint8](ctx, pool, false, false, n, n, n, a8, n, nil, a8, n, nil, c8, n)
			},
			"generic": func(ctx context.Context) error {
				return Generic(ctx, pool, false, true, 1000, 1000, 1000, 1, d, 1000, d, 1000, 0, e, 1000)
			},
		} {
			ctx, cancel := context.WithCancel(bg)
			var at time.Time
			timer := time.AfterFunc(30*time.Millisecond, func() { at = time.Now(); cancel() })
			err := call(ctx)
			late := time.Since(at)
			timer.Stop()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d threads: err %v", name, threads, err)
			} else if late > 150*time.Millisecond && !raceEnabled { // generous: the machine may be loaded
				t.Errorf("%s, %d threads: returned %v after the cancellation", name, threads, late)
			}
		}
		pool.Close()
	}
}

func TestFloat32DoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops objects under the race detector")
	}
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewPCG(9, 10))
	for _, d := range [][3]int{{64, 64, 64}, {1, 300, 300}, {300, 1, 300}, {5, 4, 3}} {
		q := newProblem(rng, false, false, d[0], d[1], d[2], 0, 1, 0)
		if n := testing.AllocsPerRun(50, func() {
			_ = Float32(bg, pool, false, false, q.m, q.n, q.k, 1, q.a, q.lda, q.b, q.ldb, 0, q.c, q.ldc)
		}); n >= 1 {
			t.Errorf("%v: %v allocations a call", q, n)
		}
	}
}

func BenchmarkFloat32(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	bench := func(name string, m, n, k int, transB, packed bool) {
		b.Run(name, func(b *testing.B) {
			q := newProblem(rng, false, transB, m, n, k, 0, 1, 0)
			var pb *PackedB
			if packed {
				pb = PackB(transB, k, n, q.b, q.ldb)
			}
			for b.Loop() {
				if packed {
					_ = Float32PackedB(bg, nil, false, m, n, k, 1, q.a, q.lda, pb, 0, q.c, q.ldc)
				} else {
					_ = Float32(bg, nil, false, transB, m, n, k, 1, q.a, q.lda, q.b, q.ldb, 0, q.c, q.ldc)
				}
			}
			b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
	for _, n := range []int{64, 128, 256, 512, 1024} {
		bench(fmt.Sprintf("cube%d", n), n, n, n, false, false)
		bench(fmt.Sprintf("cube%d/transB", n), n, n, n, true, false)
		bench(fmt.Sprintf("cube%d/packed", n), n, n, n, false, true)
	}
	for _, m := range []int{1, 2, 4, 8, 16} {
		bench(fmt.Sprintf("%dx1024x1024", m), m, 1024, 1024, false, false)
		bench(fmt.Sprintf("%dx1024x1024/transB", m), m, 1024, 1024, true, false)
		bench(fmt.Sprintf("%dx1024x1024/packed", m), m, 1024, 1024, false, true)
	}
}
