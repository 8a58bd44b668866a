package ep_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gort/ep"
)

func openMemory(t *testing.T, limit int64) *ep.HostMemory {
	m := &ep.HostMemory{}
	m.OpenMemory("test_ep", here, limit)
	return m
}

func TestHostMemoryCounts(t *testing.T) {
	m := openMemory(t, 100)
	a, err := m.Allocate(60, 64)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Allocate(41, 1)
	var oom *ep.OutOfMemoryError
	if !errors.As(err, &oom) || oom.Asked != 41 || oom.Left != 40 {
		t.Errorf("over the limit: %v", err)
	}
	b, err := m.Allocate(40, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CloseMemory(); err == nil || !strings.Contains(err.Error(), "2 buffers (100 bytes)") {
		t.Errorf("Close with live buffers: %v", err)
	}
	if err := errors.Join(m.Free(a), m.Free(b)); err != nil { // also after Close
		t.Error(err)
	}
	if got, want := m.AllocationCounts(), (ep.AllocationCounts{Allocs: 2, Frees: 2, Peak: 100}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
	if err := m.CloseMemory(); err != nil {
		t.Error(err)
	}
}

// TestHostMemoryImpossibleSize: a size that Go can not allocate is an error, and
// leaves no trace in the counts.
func TestHostMemoryImpossibleSize(t *testing.T) {
	m := openMemory(t, 0)
	for _, size := range []int{math.MaxInt, math.MaxInt - 4096} {
		var oom *ep.OutOfMemoryError
		if _, err := m.Allocate(size, 64); !errors.As(err, &oom) || oom.Asked != int64(size) || oom.Left >= 0 {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if got := m.AllocationCounts(); got != (ep.AllocationCounts{}) {
		t.Errorf("counts %+v", got)
	}
}

func TestHostMemoryNeedsOpen(t *testing.T) {
	ctx, m := context.Background(), &ep.HostMemory{}
	b := ep.BorrowMut(here, make([]byte, 4))
	_, err := m.Allocate(1, 1)
	for name, err := range map[string]error{
		"Allocate": err, "Copy": m.Copy(ctx, b, 0, b, 0, 1), "Sync": m.Sync(ctx),
		"Upload": m.Upload(ctx, b, 0, []byte{1}), "Download": m.Download(ctx, make([]byte, 1), b, 0),
	} {
		if !errors.Is(err, ep.ErrClosed) {
			t.Errorf("%s before Open: %v", name, err)
		}
	}
}

func TestHostMemoryCopyOverlaps(t *testing.T) {
	mem := []byte{1, 2, 3, 4, 5, 6}
	b := ep.BorrowMut(here, mem)
	if err := openMemory(t, 0).Copy(context.Background(), b, 2, b, 0, 4); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mem, []byte{1, 2, 1, 2, 3, 4}) {
		t.Errorf("overlapping copy gives %v", mem)
	}
}

func TestHostMemoryTransfersDoNotAllocate(t *testing.T) {
	ctx, m := context.Background(), openMemory(t, 0)
	a, b, mem := ep.BorrowMut(here, make([]byte, 64)), ep.BorrowMut(here, make([]byte, 64)), make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() {
		if err := errors.Join(m.Upload(ctx, a, 0, mem), m.Copy(ctx, b, 0, a, 0, 64), m.Download(ctx, mem, b, 0), m.Sync(ctx)); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

func TestHostMemoryCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := openMemory(t, 0).Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Sync with a cancelled context: %v", err)
	}
}
