package gemm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gort/internal/parallel"
)

var bg = context.Background()

// raceEnabled is set when the race detector is on.
var raceEnabled bool

// problem is one product with its operands, strides wider than the rows and
// guard values after the ends of the rows of C.
type problem struct {
	transA, transB bool
	m, n, k        int
	lda, ldb, ldc  int
	a, b, c        []float32
	alpha, beta    float32
}

func (q problem) String() string {
	return fmt.Sprintf("transA=%v transB=%v m=%d n=%d k=%d lda=%d ldb=%d ldc=%d alpha=%g beta=%g",
		q.transA, q.transB, q.m, q.n, q.k, q.lda, q.ldb, q.ldc, q.alpha, q.beta)
}

const guard = 12345.5

func newProblem(rng *rand.Rand, transA, transB bool, m, n, k, pad int, alpha, beta float32) problem {
	q := problem{transA: transA, transB: transB, m: m, n: n, k: k, alpha: alpha, beta: beta}
	rows, cols := stored(transA, m, k)
	q.lda = cols + pad
	q.a = noise(rng, rows*q.lda)
	rows, cols = stored(transB, k, n)
	q.ldb = cols + pad
	q.b = noise(rng, rows*q.ldb)
	q.ldc = n + pad
	q.c = noise(rng, m*q.ldc)
	for i := range m {
		for j := range n {
			if beta == 0 {
				q.c[i*q.ldc+j] = float32(math.NaN())
			}
		}
		for j := n; j < q.ldc; j++ {
			q.c[i*q.ldc+j] = guard
		}
	}
	return q
}

func noise(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = rng.Float32()*2 - 1
	}
	return s
}

func (q problem) at(i, j, p int) (x, y float64) {
	ars, acs := strides(q.transA, q.lda)
	brs, bcs := strides(q.transB, q.ldb)
	return float64(q.a[i*ars+p*acs]), float64(q.b[p*brs+j*bcs])
}

// check compares got (the C after the call) with the triple loop in float64;
// of large problems it takes a sample that reaches every row and column.
func (q problem) check(t *testing.T, got []float32) {
	t.Helper()
	step := 1
	if q.m*q.n*q.k > 1<<20 {
		step = 13
	}
	for i := range q.m {
		for j := i % step; j < q.n; j += step {
			var sum, size float64
			for p := range q.k {
				x, y := q.at(i, j, p)
				sum += x * y
				size += math.Abs(x * y)
			}
			want := float64(q.alpha) * sum
			size *= math.Abs(float64(q.alpha))
			if q.beta != 0 {
				old := float64(q.c[i*q.ldc+j]) * float64(q.beta)
				want += old
				size += math.Abs(old)
			}
			g := float64(got[i*q.ldc+j])
			if !near(g, want, size*float64(q.k+3)*0x1p-24) {
				t.Fatalf("%v: C[%d,%d] = %g, want %g", q, i, j, g, want)
			}
		}
		for j := q.n; j < q.ldc; j++ {
			if got[i*q.ldc+j] != guard {
				t.Fatalf("%v: wrote beyond row %d", q, i)
			}
		}
	}
}

func near(got, want, tol float64) bool {
	switch {
	case math.IsNaN(want) || math.IsNaN(got):
		return math.IsNaN(want) && math.IsNaN(got)
	case math.IsInf(want, 0) || math.IsInf(got, 0):
		return want == got
	}
	return math.Abs(got-want) <= tol+1e-38
}

func (q problem) run(t *testing.T, p *parallel.Pool, packed bool) []float32 {
	t.Helper()
	c := append([]float32(nil), q.c...)
	var err error
	if packed {
		pb := PackB(q.transB, q.k, q.n, q.b, q.ldb)
		err = Float32PackedB(bg, p, q.transA, q.m, q.n, q.k, q.alpha, q.a, q.lda, pb, q.beta, c, q.ldc)
	} else {
		err = Float32(bg, p, q.transA, q.transB, q.m, q.n, q.k, q.alpha, q.a, q.lda, q.b, q.ldb, q.beta, c, q.ldc)
	}
	if err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	return c
}
