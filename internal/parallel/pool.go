package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
)

// Chunks handed out per thread. More chunks level out cores of different
// speed, fewer keep the hand-out overhead (one atomic addition each) small. A
// context that can be cancelled gets more of them because it is looked at
// between chunks only.
const (
	chunksPerThread            = 4
	chunksPerThreadCancellable = 16
)

// Pool bounds the number of threads one session uses at a time. All pools
// draw on the same workers. A nil *Pool is valid and means a single thread;
// all methods may be called concurrently.
type Pool struct {
	threads int
	// crewCap is how many workers may exist when this pool asks for help.
	crewCap int
	// helpers counts the workers promised to or busy with calls of this pool.
	helpers atomic.Int32
	closed  atomic.Bool
}

// New returns a pool of n threads, the caller of [Pool.For] included; n <= 0
// means GOMAXPROCS. No goroutine is started before it is needed. Close the
// pool when its session ends.
func New(n int) *Pool {
	procs := runtime.GOMAXPROCS(0)
	if n <= 0 {
		n = procs
	}
	p := &Pool{threads: n, crewCap: max(n, procs) - 1}
	theCrew.opened()
	return p
}

// Threads returns the limit of the pool, at least 1.
func (p *Pool) Threads() int {
	if p == nil {
		return 1
	}
	return p.threads
}

// Close gives the pool back. Later calls of For run on the caller alone.
// Closing the last open pool ends all idle workers before it returns. Closing
// twice or closing nil does nothing.
func (p *Pool) Close() {
	if p == nil || p.closed.Swap(true) {
		return
	}
	theCrew.closed()
}

// For splits [0, n) into chunks of at least grain indices, calls body(lo, hi)
// once for each on the calling goroutine and on idle workers, and returns when
// all of them are done. With n <= grain body runs once, inline.
//
// Chunks are handed out in ascending order but finish in any; where the cuts
// lie depends on the number of threads, so a body whose result depends on them
// (a reduction per chunk) is not deterministic across pools.
//
// Once ctx is done no further chunk is handed out and For returns ctx.Err();
// chunks already begun are finished first. A context without a Done channel
// costs nothing.
//
// A panic in body stops the hand-out and is raised again on the calling
// goroutine as a [*Panic] holding the value and the original stack.
//
// For itself does not allocate in steady state. The function value does when
// it is a literal that captures variables: one object a call. A hot caller
// avoids that with a pooled struct that keeps its bound method in a field
// (t.body = t.run, once) and passes t.body.
func (p *Pool) For(ctx context.Context, n, grain int, body func(lo, hi int)) error {
	if n <= 0 {
		return nil
	}
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	chunks := n / max(grain, 1)
	if done == nil {
		chunks = min(chunks, p.Threads()*chunksPerThread)
	} else {
		chunks = min(chunks, p.Threads()*chunksPerThreadCancellable)
	}
	if want := p.reserve(chunks - 1); want > 0 {
		return p.share(ctx, done, n, chunks, want, body)
	}
	if done == nil {
		chunks = 1
	}
	return alone(ctx, done, n, max(chunks, 1), body)
}

// reserve claims up to want helpers within the limit of the pool and returns
// how many it got.
func (p *Pool) reserve(want int) int {
	if p == nil || want <= 0 || p.threads == 1 || p.closed.Load() {
		return 0
	}
	for {
		taken := p.helpers.Load()
		got := min(want, p.threads-1-int(taken))
		if got <= 0 {
			return 0
		}
		if p.helpers.CompareAndSwap(taken, taken+int32(got)) {
			return got
		}
	}
}

// share runs the range on the caller and up to want workers.
func (p *Pool) share(ctx context.Context, done <-chan struct{}, n, chunks, want int, body func(lo, hi int)) (err error) {
	j := theCrew.post(p, done, n, chunks, want, body)
	// Deferred, so that a body that ends the goroutine (runtime.Goexit, as
	// testing's FailNow does) still waits for the workers.
	defer func() {
		stopped, fault := theCrew.retire(j)
		if fault != nil {
			panic(fault)
		}
		if stopped {
			err = ctx.Err()
		}
	}()
	j.work(true)
	return nil
}

// alone runs the range on the calling goroutine, looking at done in between.
func alone(ctx context.Context, done <-chan struct{}, n, chunks int, body func(lo, hi int)) error {
	defer wrapPanic()
	for i := range chunks {
		if isDone(done) {
			return ctx.Err()
		}
		body(cut(n, chunks, i), cut(n, chunks, i+1))
	}
	return nil
}

// cut returns where chunk i of chunks nearly equal ones begins in [0, n).
func cut(n, chunks, i int) int {
	return i*(n/chunks) + min(i, n%chunks)
}

func isDone(done <-chan struct{}) bool {
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
