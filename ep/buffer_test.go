package ep_test

import (
	"errors"
	"math"
	"testing"

	"gort/ep"
	"gort/graph"
)

var here = graph.Device{Type: "test", ID: 2}

func TestBufferKinds(t *testing.T) {
	maker := new(int)
	mem := []byte{1, 2, 3}
	for _, c := range []struct {
		name     string
		b        *ep.Buffer
		owner    ep.Ownership
		align    int
		bytes    error
		writable error
	}{
		{"host", ep.NewHostBuffer(maker, here, mem, 8), ep.Owned, 8, nil, nil},
		{"device", ep.NewDeviceBuffer(maker, here, "handle", 3, 16), ep.Owned, 16, ep.ErrNotHostReadable, ep.ErrNotHostReadable},
		{"borrowed", ep.Borrow(here, mem), ep.Borrowed, 1, nil, ep.ErrReadOnly},
		{"borrowed for writing", ep.BorrowMut(here, mem), ep.BorrowedMut, 1, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.b.Device() != here || c.b.Len() != 3 || c.b.Align() != c.align || c.b.Ownership() != c.owner || c.b.Freed() {
				t.Errorf("%v %d %d %v %v", c.b.Device(), c.b.Len(), c.b.Align(), c.b.Ownership(), c.b.Freed())
			}
			if _, err := c.b.Bytes(); !errors.Is(err, c.bytes) {
				t.Errorf("Bytes: %v, want %v", err, c.bytes)
			}
			if _, err := c.b.Writable(); !errors.Is(err, c.writable) {
				t.Errorf("Writable: %v, want %v", err, c.writable)
			}
			owned, err := c.b.Release(maker)
			if err != nil || owned != (c.owner == ep.Owned) {
				t.Errorf("Release = %v, %v", owned, err)
			}
			if _, err := c.b.Release(maker); !errors.Is(err, ep.ErrFreed) {
				t.Errorf("second Release: %v", err)
			}
			for _, f := range []func() ([]byte, error){c.b.Bytes, c.b.Writable} {
				if _, err := f(); !errors.Is(err, ep.ErrFreed) {
					t.Errorf("after Release: %v, want %v", err, ep.ErrFreed)
				}
			}
		})
	}
	if mem[0] != 1 || mem[1] != 2 || mem[2] != 3 {
		t.Errorf("Release changed the memory: %v", mem)
	}
}

func TestBufferAliases(t *testing.T) {
	mem := make([]byte, 4, 8)
	b := ep.BorrowMut(here, mem)
	w, err := b.Writable()
	if err != nil {
		t.Fatal(err)
	}
	w[2] = 9
	if mem[2] != 9 || len(w) != 4 || cap(w) != 4 {
		t.Errorf("memory %v, len %d, cap %d; want an alias that can not grow", mem, len(w), cap(w))
	}
	if r, err := ep.Borrow(here, nil).Bytes(); err != nil || len(r) != 0 {
		t.Errorf("an empty borrowed buffer: %v, %v", r, err)
	}
}

func TestReleaseByOthers(t *testing.T) {
	maker, other := new(int), new(int)
	b := ep.NewHostBuffer(maker, here, make([]byte, 1), 1)
	if _, err := b.Release(other); !errors.Is(err, ep.ErrForeignBuffer) || b.Freed() {
		t.Errorf("Release by another: %v, freed %v", err, b.Freed())
	}
	if _, err := (*ep.Buffer)(nil).Release(maker); !errors.Is(err, ep.ErrForeignBuffer) {
		t.Errorf("Release of nil: %v", err)
	}
	if owned, err := ep.Borrow(here, nil).Release(other); owned || err != nil {
		t.Errorf("a borrowed buffer is detached by anyone: %v, %v", owned, err)
	}
}

func TestCheckRange(t *testing.T) {
	for _, c := range []struct {
		size, offset, n int
		ok              bool
	}{
		{0, 0, 0, true}, {8, 0, 8, true}, {8, 8, 0, true}, {8, 7, 1, true},
		{8, 0, 9, false}, {8, 8, 1, false}, {8, 9, 0, false}, {8, -1, 1, false}, {8, 0, -1, false},
		{8, math.MaxInt, 1, false}, {8, 1, math.MaxInt, false}, {8, math.MinInt, math.MinInt, false},
	} {
		if err := ep.CheckRange(c.size, c.offset, c.n); c.ok != (err == nil) || !c.ok && !errors.Is(err, ep.ErrRange) {
			t.Errorf("CheckRange(%d, %d, %d) = %v", c.size, c.offset, c.n, err)
		}
	}
}

func TestCheckAlign(t *testing.T) {
	for align, ok := range map[int]bool{1: true, 2: true, 64: true, 0: false, -2: false, 3: false, 96: false, math.MinInt: false} {
		if err := ep.CheckAlign(align); ok != (err == nil) || !ok && !errors.Is(err, ep.ErrAlignment) {
			t.Errorf("CheckAlign(%d) = %v", align, err)
		}
	}
}

func TestErrors(t *testing.T) {
	var err error = &ep.Error{Provider: "cpu_ep", Op: "Allocate", Err: &ep.OutOfMemoryError{Asked: 10, Left: 3}}
	if !errors.Is(err, ep.ErrOutOfMemory) || err.Error() != "cpu_ep: Allocate: out of device memory: asked for 10 bytes, 3 are left" {
		t.Error(err)
	}
	if got := (&ep.OutOfMemoryError{Asked: 10, Left: -1}).Error(); got != "out of device memory: asked for 10 bytes" {
		t.Error(got)
	}
	for mask, want := range map[ep.ErrorMask]string{
		0: "none", ep.ErrorNaN: "NaN among scores", ep.ErrorNaN | ep.ErrorIndexOutOfRange: "index out of range, NaN among scores", 1 << 30: "unknown violation",
	} {
		if got := mask.String(); got != want {
			t.Errorf("mask %d is %q, want %q", uint32(mask), got, want)
		}
	}
}
