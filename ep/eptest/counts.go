package eptest

import (
	"math"
	"sync"
	"sync/atomic"

	"gort/ep"
)

var countChecks = []check{
	{name: "allocation counts", run: checkCounts},
}

var concurrentChecks = []check{
	{name: "concurrent use", run: checkConcurrent},
	{name: "concurrent free", run: checkConcurrentFree},
}

func checkCounts(x *subject) {
	c, ok := x.p.(ep.AllocationCounter)
	if !ok {
		x.Logf("not shown: the provider has no AllocationCounter, so leaks stay unseen")
		return
	}
	start := c.AllocationCounts()
	expect := func(when string, allocs, frees, live, peak int64) {
		x.Helper()
		n := c.AllocationCounts()
		if n.Allocs-start.Allocs != allocs || n.Frees-start.Frees != frees || n.Live != live || n.Peak < max(peak, start.Peak) {
			x.Errorf("%s: %d allocations, %d frees, %d bytes live, peak %d; want %d, %d, %d, at least %d",
				when, n.Allocs-start.Allocs, n.Frees-start.Frees, n.Live, n.Peak, allocs, frees, live, max(peak, start.Peak))
		}
	}
	expect("at the start", 0, 0, 0, 0)
	a := x.alloc(1000, 8)
	expect("after one Allocate", 1, 0, 1000, 1000)
	empty := x.alloc(0, 8)
	expect("after an empty Allocate", 2, 0, 1000, 1000)
	b := x.alloc(500, 8)
	expect("after a third Allocate", 3, 0, 1500, 1500)
	for _, bad := range [][2]int{{-1, 8}, {8, 3}, {math.MaxInt, 8}} {
		if _, err := x.p.Allocate(bad[0], bad[1]); err == nil {
			x.Errorf("Allocate(%d, %d) succeeds", bad[0], bad[1])
		}
	}
	expect("after refused Allocates", 3, 0, 1500, 1500)
	x.free(a)
	expect("after one Free", 3, 1, 500, 1500)
	_ = x.p.Free(a)
	x.free(ep.Borrow(x.p.Device(), make([]byte, 64)))
	expect("after a second Free and one of a borrowed buffer", 3, 1, 500, 1500)
	x.free(b)
	x.free(empty)
	expect("after all Frees", 3, 3, 0, 1500)
}

// checkConcurrent uses everything at once; the race detector looks on.
func checkConcurrent(x *subject) {
	shared := x.filled(256, 0)
	q := x.identityQuery()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				b, err := x.p.Allocate(256, 64)
				if err != nil {
					x.Errorf("Allocate: %v", err)
					return
				}
				if err := x.p.Copy(x.ctx, b, 0, shared, 0, 256); err != nil {
					x.Errorf("Copy: %v", err)
				}
				if h, ok := x.p.(ep.HostTransfer); ok {
					mem := pattern(16, byte(g+i))
					if err := h.Upload(x.ctx, b, 8, mem); err != nil {
						x.Errorf("Upload: %v", err)
					}
					if err := h.Download(x.ctx, mem, b, 8); err != nil || mem[0] != byte(g+i) {
						x.Errorf("Download gives %d, %v; want %d", mem[0], err, byte(g+i))
					}
				}
				if m := x.p.Supports(q); m.Supported {
					if _, err := x.p.Kernel(q); err != nil {
						x.Errorf("Kernel: %v", err)
					}
				}
				if err := x.p.Sync(x.ctx); err != nil {
					x.Errorf("Sync: %v", err)
				}
				if err := x.p.Free(b); err != nil {
					x.Errorf("Free: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

// checkConcurrentFree: of many goroutines that free one buffer, one succeeds, and
// readers meanwhile see the memory or an error.
func checkConcurrentFree(x *subject) {
	for range 50 {
		b := x.filled(64, 0)
		var freed atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if mem, err := b.Bytes(); err == nil && len(mem) != 64 {
					x.Errorf("Bytes beside Free gives %d bytes", len(mem))
				}
				if err := x.p.Free(b); err == nil {
					freed.Add(1)
				} else {
					x.want(err, ep.ErrFreed, "Free beside Free")
				}
			})
		}
		wg.Wait()
		if n := freed.Load(); n != 1 {
			x.Fatalf("%d of 4 concurrent Frees succeed, want 1", n)
		}
	}
}
