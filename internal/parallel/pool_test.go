package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// bg has no Done channel: the path without cancellation.
var bg = context.Background()

func TestForCoversRangeOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := New(threads)
		for _, n := range []int{0, 1, 2, 3, 7, 64, 1000, 4097} {
			for _, grain := range []int{-1, 0, 1, 2, 5, 100, 5000} {
				hits := make([]atomic.Int32, n)
				err := p.For(context.Background(), n, grain, func(lo, hi int) {
					if hi-lo < min(grain, n) {
						t.Errorf("threads %d n %d grain %d: chunk [%d,%d) below grain", threads, n, grain, lo, hi)
					}
					for i := lo; i < hi; i++ {
						hits[i].Add(1)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				for i := range hits {
					if got := hits[i].Load(); got != 1 {
						t.Fatalf("threads %d n %d grain %d: index %d visited %d times", threads, n, grain, i, got)
					}
				}
			}
		}
		p.Close()
	}
}

func TestNilPoolIsOneThread(t *testing.T) {
	var p *Pool
	if p.Threads() != 1 {
		t.Fatalf("Threads() = %d, want 1", p.Threads())
	}
	sum := 0 // unsynchronised on purpose: all on this goroutine
	if err := p.For(bg, 100, 1, func(lo, hi int) { sum += hi - lo }); err != nil || sum != 100 {
		t.Fatalf("sum %d err %v", sum, err)
	}
	p.Close()
}

func TestSmallRangeRunsInline(t *testing.T) {
	p := New(4)
	defer p.Close()
	calls := 0
	_ = p.For(context.Background(), 10, 10, func(lo, hi int) {
		calls++
		if lo != 0 || hi != 10 {
			t.Errorf("got [%d,%d)", lo, hi)
		}
	})
	if calls != 1 {
		t.Fatalf("%d calls, want 1", calls)
	}
}

func TestThreadsAtOnceStayInLimit(t *testing.T) {
	p, other := New(3), New(8)
	defer p.Close()
	defer other.Close()
	var now, peak atomic.Int32
	_ = p.For(bg, 64, 1, func(lo, hi int) {
		_ = p.For(bg, 4, 1, func(lo, hi int) {
			n := now.Add(1)
			for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
			}
			time.Sleep(100 * time.Microsecond)
			now.Add(-1)
		})
	})
	if peak.Load() > 3 {
		t.Fatalf("%d bodies at once, limit 3", peak.Load())
	}
}

func TestWorkersTakePart(t *testing.T) {
	p := New(2)
	defer p.Close()
	// Each body waits for the other one: passes only if two goroutines run.
	var wg sync.WaitGroup
	wg.Add(2)
	var parties atomic.Int32
	_ = p.For(bg, 8, 1, func(lo, hi int) {
		if parties.Add(1) <= 2 {
			wg.Done()
			wg.Wait()
		}
	})
}

func TestNested(t *testing.T) {
	p := New(4)
	defer p.Close()
	var sum atomic.Int64
	for range 200 {
		err := p.For(bg, 10, 1, func(lo, hi int) {
			for range hi - lo {
				_ = p.For(bg, 10, 1, func(lo, hi int) {
					_ = p.For(bg, hi-lo, 1, func(lo, hi int) { sum.Add(int64(hi - lo)) })
				})
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sum.Load() != 200*100 {
		t.Fatalf("sum %d, want %d", sum.Load(), 200*100)
	}
}

func TestManyCallersShareTheCrew(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			p := New(1 + g%4)
			defer p.Close()
			for i := range 500 {
				var sum atomic.Int64
				_ = p.For(bg, i, 3, func(lo, hi int) { sum.Add(int64(hi - lo)) })
				if sum.Load() != int64(i) {
					t.Errorf("sum %d, want %d", sum.Load(), i)
				}
			}
		})
	}
	wg.Wait()
}

func TestPanicIsRaisedOnTheCaller(t *testing.T) {
	boom := errors.New("boom")
	for _, threads := range []int{1, 2, 4} {
		p := New(threads)
		for bad := range 40 {
			func() {
				defer func() {
					pan, ok := recover().(*Panic)
					if !ok || !errors.Is(pan, boom) || pan.Value != error(boom) {
						t.Errorf("threads %d bad %d: recovered %v", threads, bad, pan)
					}
					if !strings.Contains(string(pan.Stack), "pool_test.go") {
						t.Errorf("stack does not show the body:\n%s", pan.Stack)
					}
				}()
				_ = p.For(bg, 40, 1, func(lo, hi int) {
					if lo <= bad && bad < hi {
						panic(boom)
					}
				})
				t.Errorf("threads %d bad %d: no panic", threads, bad)
			}()
		}
		// The pool works on afterwards.
		var n atomic.Int32
		_ = p.For(bg, 40, 1, func(lo, hi int) { n.Add(int32(hi - lo)) })
		if n.Load() != 40 {
			t.Errorf("after panic: %d", n.Load())
		}
		p.Close()
	}
}

func TestNestedPanicKeepsTheInnermost(t *testing.T) {
	p := New(3)
	defer p.Close()
	defer func() {
		pan, ok := recover().(*Panic)
		if !ok || pan.Value != "inner" {
			t.Fatalf("recovered %v", pan)
		}
	}()
	_ = p.For(bg, 9, 1, func(lo, hi int) {
		_ = p.For(bg, 9, 1, func(lo, hi int) { panic("inner") })
	})
}

func TestGoexitInBody(t *testing.T) {
	p := New(4)
	defer p.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		_ = p.For(bg, 16, 1, func(lo, hi int) { runtime.Goexit() })
	}()
	<-ended
	var n atomic.Int32
	_ = p.For(bg, 40, 1, func(lo, hi int) { n.Add(int32(hi - lo)) })
	if n.Load() != 40 {
		t.Fatalf("after Goexit: %d", n.Load())
	}
}

func TestCancel(t *testing.T) {
	for _, threads := range []int{1, 2, 4} {
		p := New(threads)
		ctx, cancel := context.WithCancelCause(context.Background())
		var done atomic.Int32
		err := p.For(ctx, 1000, 1, func(lo, hi int) {
			if done.Add(int32(hi-lo)) >= 100 {
				cancel(nil)
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("threads %d: err %v", threads, err)
		}
		if done.Load() == 1000 {
			t.Errorf("threads %d: ran to the end", threads)
		}
		ran := false
		if err := p.For(ctx, 5, 10, func(lo, hi int) { ran = true }); !errors.Is(err, context.Canceled) || ran {
			t.Errorf("threads %d: done context: err %v ran %v", threads, err, ran)
		}
		p.Close()
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	a, b := New(4), New(6)
	_ = a.For(bg, 1000, 1, func(lo, hi int) { time.Sleep(10 * time.Microsecond) })
	_ = b.For(bg, 1000, 1, func(lo, hi int) { time.Sleep(10 * time.Microsecond) })
	a.Close()
	a.Close()
	if n := runtime.NumGoroutine(); n <= before {
		t.Errorf("no worker left for the pool still open: %d goroutines, %d before", n, before)
	}
	b.Close()
	waitGoroutines(t, before)

	sum := 0
	_ = b.For(bg, 1000, 1, func(lo, hi int) { sum += hi - lo })
	if sum != 1000 {
		t.Errorf("closed pool: sum %d", sum)
	}
}

func TestIdleWorkersLeave(t *testing.T) {
	c := newCrew()
	c.opened()
	p := &Pool{threads: 3, crewCap: 2}
	j := c.post(p, nil, 2, 2, 2, func(lo, hi int) {})
	j.work(true)
	c.retire(j)
	deadline := time.Now().Add(10 * time.Second)
	for {
		c.mu.Lock()
		live, idle := c.live, len(c.idle)
		c.mu.Unlock()
		if live == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("live %d idle %d after sweeps", live, idle)
		}
		if idle == live {
			c.sweep()
		}
		time.Sleep(time.Millisecond)
	}
}

// waitGoroutines allows for the moment between a worker's last word and its
// end.
func waitGoroutines(t *testing.T, want int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines, want %d\n%s", runtime.NumGoroutine(), want, buf[:runtime.Stack(buf, true)])
}

func TestForDoesNotAllocate(t *testing.T) {
	p := New(4)
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body := func(lo, hi int) {}
	for range 100 {
		_ = p.For(ctx, 100, 1, body)
	}
	if n := testing.AllocsPerRun(200, func() { _ = p.For(ctx, 100, 1, body) }); n != 0 {
		t.Errorf("%v allocations a call, want 0", n)
	}
}

func BenchmarkFor(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("empty/threads=%d", threads), func(b *testing.B) {
			p := New(threads)
			defer p.Close()
			body := func(lo, hi int) {}
			b.ReportAllocs()
			for b.Loop() {
				_ = p.For(bg, 64, 1, body)
			}
		})
		b.Run(fmt.Sprintf("20us/threads=%d", threads), func(b *testing.B) {
			p := New(threads)
			defer p.Close()
			x := make([]float32, 1<<14)
			body := func(lo, hi int) {
				for i := lo; i < hi; i++ {
					x[i] = x[i]*0.5 + 1
				}
			}
			for b.Loop() {
				_ = p.For(bg, len(x), 256, body)
			}
		})
	}
}
