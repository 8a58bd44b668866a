package eptest

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"unsafe"

	"gort/ep"
)

var bufferChecks = []check{
	{name: "allocate", run: checkAllocate},
	{name: "allocations do not overlap", run: checkOverlap},
	{name: "bad sizes and alignments", run: checkBadAllocate},
	{name: "free", run: checkFree},
	{name: "foreign buffers", run: checkForeign},
	{name: "use after free", run: checkUseAfterFree},
	{name: "borrowed buffers", run: checkBorrowed},
	{name: "out of memory", raw: true, run: checkOutOfMemory},
}

func checkAllocate(x *subject) {
	for _, size := range []int{0, 1, 7, 64, 4097, 1 << 20} {
		for align := 1; align <= 4096; align *= 4 {
			b := x.alloc(size, align)
			if b.Len() != size || b.Ownership() != ep.Owned || b.Freed() {
				x.Errorf("Allocate(%d, %d): a buffer of %d bytes, ownership %d, freed %v", size, align, b.Len(), b.Ownership(), b.Freed())
			}
			if a := b.Align(); a < align || a&(a-1) != 0 {
				x.Errorf("Allocate(%d, %d): the buffer says alignment %d", size, align, a)
			}
			if mem, err := b.Bytes(); err == nil && size > 0 {
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(mem))); at%uintptr(align) != 0 {
					x.Errorf("Allocate(%d, %d): the memory is at %#x", size, align, at)
				}
			} else if x.host && err != nil {
				x.Errorf("Allocate(%d, %d): Bytes: %v", size, align, err)
			} else if !x.host && !errors.Is(err, ep.ErrNotHostReadable) {
				x.Errorf("Allocate(%d, %d): Bytes: error is %v, other buffers give %q", size, align, err, ep.ErrNotHostReadable)
			}
			x.put(b, pattern(size, 1))
			if got := x.get(b); !bytes.Equal(got, pattern(size, 1)) {
				x.Errorf("Allocate(%d, %d): what was written is not read back", size, align)
			}
			x.free(b)
		}
	}
}

func checkOverlap(x *subject) {
	var list []*ep.Buffer
	for i := range 16 {
		list = append(list, x.filled(100, byte(i)))
	}
	for i, b := range list {
		if !bytes.Equal(x.get(b), pattern(100, byte(i))) {
			x.Errorf("buffer %d of %d changed when others were written", i, len(list))
		}
	}
}

func checkBadAllocate(x *subject) {
	for _, align := range []int{0, -1, -8, 3, 6, 48, math.MaxInt, math.MinInt} {
		_, err := x.p.Allocate(16, align)
		x.want(err, ep.ErrAlignment, "Allocate(16, %d)", align)
	}
	for _, size := range []int{-1, math.MinInt} {
		_, err := x.p.Allocate(size, 8)
		x.want(err, ep.ErrRange, "Allocate(%d, 8)", size)
	}
	for _, size := range []int{math.MaxInt, math.MaxInt - 1<<20} {
		_, err := x.p.Allocate(size, 64)
		x.wantOutOfMemory(err, size, false)
	}
	x.free(x.filled(16, 0)) // still usable
}

func (x *subject) wantOutOfMemory(err error, size int, limited bool) {
	x.Helper()
	x.want(err, ep.ErrOutOfMemory, "Allocate of %d bytes", size)
	var e *ep.OutOfMemoryError
	switch {
	case !errors.As(err, &e):
		x.Errorf("Allocate of %d bytes: error %v is no *ep.OutOfMemoryError", size, err)
	case e.Asked != int64(size):
		x.Errorf("Allocate of %d bytes: the error says that %d were asked for", size, e.Asked)
	case limited && (e.Left < 0 || e.Left >= int64(size)):
		x.Errorf("Allocate of %d bytes: the error says that %d were left", size, e.Left)
	}
}

func checkFree(x *subject) {
	for _, size := range []int{0, 24} {
		b := x.alloc(size, 8)
		x.free(b)
		x.want(x.p.Free(b), ep.ErrFreed, "second Free of %d bytes", size)
	}
	x.want(x.p.Free(nil), ep.ErrForeignBuffer, "Free of nil")
	x.free(x.filled(24, 0)) // still usable
}

func checkForeign(x *subject) {
	mine := x.filled(16, 3)
	other := &subject{TB: x.TB, suite: x.suite, p: x.newProvider(), ctx: x.ctx}
	other.open(nil)
	x.want(other.p.Free(mine), ep.ErrForeignBuffer, "Free of another provider's buffer")
	if mine.Freed() || !bytes.Equal(x.get(mine), pattern(16, 3)) {
		x.Errorf("a refused Free changed the buffer")
	}
	theirs := ep.NewHostBuffer(new(int), x.p.Device(), make([]byte, 8), 8)
	x.want(x.p.Free(theirs), ep.ErrForeignBuffer, "Free of a buffer that nobody made")
	other.close()
}

func checkUseAfterFree(x *subject) {
	gone, live := x.filled(16, 0), x.filled(16, 9)
	x.free(gone)
	if _, err := gone.Bytes(); !errors.Is(err, ep.ErrFreed) {
		x.Errorf("Bytes of a freed buffer: error is %v, want one that is %q", err, ep.ErrFreed)
	}
	if _, err := gone.Writable(); !errors.Is(err, ep.ErrFreed) {
		x.Errorf("Writable of a freed buffer: error is %v, want one that is %q", err, ep.ErrFreed)
	}
	x.want(x.p.Copy(x.ctx, live, 0, gone, 0, 16), ep.ErrFreed, "Copy from a freed buffer")
	x.want(x.p.Copy(x.ctx, gone, 0, live, 0, 16), ep.ErrFreed, "Copy into a freed buffer")
	if h, ok := x.p.(ep.HostTransfer); ok {
		x.want(h.Upload(x.ctx, gone, 0, make([]byte, 16)), ep.ErrFreed, "Upload into a freed buffer")
		x.want(h.Download(x.ctx, make([]byte, 16), gone, 0), ep.ErrFreed, "Download from a freed buffer")
	}
	if !bytes.Equal(x.get(live), pattern(16, 9)) {
		x.Errorf("a refused copy changed the other buffer")
	}
}

func checkBorrowed(x *subject) {
	for _, lend := range []func([]byte) *ep.Buffer{
		func(mem []byte) *ep.Buffer { return ep.Borrow(x.p.Device(), mem) },
		func(mem []byte) *ep.Buffer { return ep.BorrowMut(x.p.Device(), mem) },
	} {
		mem := pattern(16, 5)
		b := lend(mem)
		x.free(b)
		if !bytes.Equal(mem, pattern(16, 5)) {
			x.Errorf("Free of a borrowed buffer changed the memory")
		}
		x.want(x.p.Free(b), ep.ErrFreed, "second Free of a borrowed buffer")
	}
	mem := pattern(16, 5)
	b, src := ep.Borrow(x.p.Device(), mem), x.filled(16, 7)
	x.want(x.p.Copy(x.ctx, b, 0, src, 0, 16), ep.ErrReadOnly, "Copy into a borrowed buffer")
	h, transfers := x.p.(ep.HostTransfer)
	if transfers {
		x.want(h.Upload(x.ctx, b, 0, make([]byte, 16)), ep.ErrReadOnly, "Upload into a borrowed buffer")
	}
	if !bytes.Equal(mem, pattern(16, 5)) {
		x.Errorf("a refused write changed borrowed memory")
	}
	if x.host {
		if err := x.p.Copy(x.ctx, src, 0, b, 0, 16); err != nil || !bytes.Equal(x.get(src), mem) {
			x.Errorf("Copy from a borrowed buffer: %v", err)
		}
		out := make([]byte, 16)
		w := ep.BorrowMut(x.p.Device(), out)
		if err := x.p.Copy(x.ctx, w, 0, b, 0, 16); err != nil || !bytes.Equal(x.get(w), mem) || !bytes.Equal(out, mem) {
			x.Errorf("Copy into a buffer borrowed for writing: %v, memory %v", err, out)
		}
		x.free(w)
	}
	x.free(b)
}

func checkOutOfMemory(x *subject) {
	if x.limitKey == "" {
		x.Logf("not shown: no option bounds the provider's memory (eptest.MemoryLimit)")
		x.open(nil)
		x.close()
		return
	}
	const limit = 1 << 16
	x.open(map[string]string{x.limitKey: strconv.Itoa(limit)})
	_, err := x.p.Allocate(limit+1, 1)
	x.wantOutOfMemory(err, limit+1, true)
	half := x.filled(limit/2, 1)
	_, err = x.p.Allocate(limit*3/4, 1)
	x.wantOutOfMemory(err, limit*3/4, true)
	if !bytes.Equal(x.get(half), pattern(limit/2, 1)) {
		x.Errorf("a refused allocation changed another buffer")
	}
	x.free(half)
	for range 3 { // what is freed can be had again
		x.free(x.alloc(limit*3/4, 1))
	}
	x.close()
}
