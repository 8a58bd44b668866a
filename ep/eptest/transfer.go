package eptest

import (
	"bytes"
	"math"

	"gort/ep"
	"gort/graph"
)

var transferChecks = []check{
	{name: "copy", run: checkCopy},
	{name: "copy refuses bad ranges", run: checkCopyRanges},
	{name: "copy order of checks", run: checkCopyOrder},
	{name: "host transfer", run: checkHostTransfer},
	{name: "host transfer refuses bad ranges", run: checkHostTransferRanges},
	{name: "sync", run: checkSync},
	{name: "asynchronous copy", run: checkAsync},
}

// badRanges are ranges that do not lie inside 16 bytes.
var badRanges = []struct{ offset, n int }{
	{-1, 4}, {math.MinInt, 4}, {0, -1}, {4, math.MinInt}, {0, 17}, {16, 1}, {17, 0}, {9, 8}, {1, math.MaxInt}, {math.MaxInt, 1}, {math.MaxInt, math.MaxInt},
}

func checkCopy(x *subject) {
	for _, r := range []struct{ dst, src, n int }{{0, 0, 64}, {0, 0, 1}, {63, 0, 1}, {0, 63, 1}, {3, 17, 40}, {64, 64, 0}, {0, 5, 0}} {
		dst, src := x.filled(64, 100), x.filled(64, 0)
		if err := x.p.Copy(x.ctx, dst, r.dst, src, r.src, r.n); err != nil {
			x.Errorf("Copy of %d bytes from %d to %d: %v", r.n, r.src, r.dst, err)
		}
		want := pattern(64, 100)
		copy(want[r.dst:], pattern(64, 0)[r.src:][:r.n])
		if got := x.get(dst); !bytes.Equal(got, want) {
			x.Errorf("Copy of %d bytes from %d to %d gives\n%v, want\n%v", r.n, r.src, r.dst, got, want)
		}
		if !bytes.Equal(x.get(src), pattern(64, 0)) {
			x.Errorf("Copy of %d bytes from %d to %d changed the source", r.n, r.src, r.dst)
		}
		x.free(dst)
		x.free(src)
	}
}

func checkCopyRanges(x *subject) {
	dst, src := x.filled(16, 50), x.filled(16, 0)
	for _, r := range badRanges {
		x.want(x.p.Copy(x.ctx, dst, r.offset, src, 0, r.n), ep.ErrRange, "Copy of %d bytes to %d of 16", r.n, r.offset)
		x.want(x.p.Copy(x.ctx, dst, 0, src, r.offset, r.n), ep.ErrRange, "Copy of %d bytes from %d of 16", r.n, r.offset)
	}
	if !bytes.Equal(x.get(dst), pattern(16, 50)) {
		x.Errorf("a refused Copy changed the destination")
	}
}

// checkCopyOrder: range first, then nothing to do, then access.
func checkCopyOrder(x *subject) {
	src, gone, locked := x.filled(16, 0), x.filled(16, 0), ep.Borrow(x.p.Device(), make([]byte, 16))
	x.free(gone)
	x.want(x.p.Copy(x.ctx, locked, 0, gone, 9, 8), ep.ErrRange, "Copy out of range and without access")
	if err := x.p.Copy(x.ctx, locked, 3, src, 3, 0); err != nil {
		x.Errorf("Copy of nothing into a borrowed buffer: %v", err)
	}
	elsewhere := ep.BorrowMut(graph.Device{Type: "eptest", ID: 7}, make([]byte, 16))
	x.want(x.p.Copy(x.ctx, elsewhere, 0, src, 0, 8), ep.ErrForeignBuffer, "Copy to another device")
	x.want(x.p.Copy(x.ctx, src, 0, elsewhere, 0, 8), ep.ErrForeignBuffer, "Copy from another device")
	x.want(x.p.Copy(x.ctx, nil, 0, src, 0, 8), ep.ErrForeignBuffer, "Copy to nil")
	x.want(x.p.Copy(x.ctx, src, 0, nil, 0, 8), ep.ErrForeignBuffer, "Copy from nil")
}

func checkHostTransfer(x *subject) {
	h, ok := x.p.(ep.HostTransfer)
	if !ok {
		x.Logf("not shown: the provider has no HostTransfer, and needs none on a host")
		return
	}
	for _, r := range []struct{ offset, n int }{{0, 64}, {0, 1}, {63, 1}, {17, 40}, {64, 0}, {0, 0}} {
		b := x.filled(64, 100)
		if err := h.Upload(x.ctx, b, r.offset, pattern(r.n, 1)); err != nil {
			x.Errorf("Upload of %d bytes to %d: %v", r.n, r.offset, err)
		}
		want := pattern(64, 100)
		copy(want[r.offset:], pattern(r.n, 1))
		if got := x.get(b); !bytes.Equal(got, want) {
			x.Errorf("Upload of %d bytes to %d gives\n%v, want\n%v", r.n, r.offset, got, want)
		}
		got := make([]byte, r.n)
		if err := h.Download(x.ctx, got, b, r.offset); err != nil || !bytes.Equal(got, pattern(r.n, 1)) {
			x.Errorf("Download of %d bytes from %d gives %v, error %v", r.n, r.offset, got, err)
		}
		x.free(b)
	}
}

func checkHostTransferRanges(x *subject) {
	h, ok := x.p.(ep.HostTransfer)
	if !ok {
		return
	}
	b, gone, locked := x.filled(16, 50), x.filled(16, 0), ep.Borrow(x.p.Device(), make([]byte, 16))
	x.free(gone)
	for _, r := range badRanges {
		if r.n < 0 || r.n > 64 {
			continue // no slice has such a length
		}
		mem := make([]byte, r.n)
		x.want(h.Upload(x.ctx, b, r.offset, mem), ep.ErrRange, "Upload of %d bytes to %d of 16", r.n, r.offset)
		x.want(h.Upload(x.ctx, locked, r.offset, mem), ep.ErrRange, "Upload of %d bytes to %d of 16 borrowed ones", r.n, r.offset)
		x.want(h.Download(x.ctx, mem, b, r.offset), ep.ErrRange, "Download of %d bytes from %d of 16", r.n, r.offset)
		x.want(h.Download(x.ctx, mem, gone, r.offset), ep.ErrRange, "Download of %d bytes from %d of 16 freed ones", r.n, r.offset)
	}
	if !bytes.Equal(x.get(b), pattern(16, 50)) {
		x.Errorf("a refused Upload changed the buffer")
	}
	if err := h.Upload(x.ctx, locked, 16, nil); err != nil {
		x.Errorf("Upload of nothing into a borrowed buffer: %v", err)
	}
	if err := h.Download(x.ctx, nil, b, 16); err != nil {
		x.Errorf("Download of nothing: %v", err)
	}
	x.want(h.Upload(x.ctx, nil, 0, make([]byte, 1)), ep.ErrForeignBuffer, "Upload into nil")
	x.want(h.Download(x.ctx, make([]byte, 1), nil, 0), ep.ErrForeignBuffer, "Download from nil")
	elsewhere := ep.BorrowMut(graph.Device{Type: "eptest", ID: 7}, make([]byte, 16))
	x.want(h.Upload(x.ctx, elsewhere, 0, make([]byte, 1)), ep.ErrForeignBuffer, "Upload to another device")
	x.want(h.Download(x.ctx, make([]byte, 1), elsewhere, 0), ep.ErrForeignBuffer, "Download from another device")
}

func checkSync(x *subject) {
	a, b := x.filled(1<<16, 1), x.filled(1<<16, 2)
	for i := range 64 { // a chain: each copy needs the one before it
		var err error
		if i%2 == 0 {
			err = x.p.Copy(x.ctx, b, 0, a, 0, 1<<16)
		} else {
			err = x.p.Copy(x.ctx, a, 0, b, 0, 1<<16)
		}
		if err != nil {
			x.Fatalf("Copy %d: %v", i, err)
		}
	}
	if !bytes.Equal(x.get(a), pattern(1<<16, 1)) || !bytes.Equal(x.get(b), pattern(1<<16, 1)) {
		x.Errorf("after Sync, a chain of copies is not done in order")
	}
	if err := x.p.Sync(x.ctx); err != nil {
		x.Errorf("Sync with nothing to do: %v", err)
	}
}

func checkAsync(x *subject) {
	c, ok := x.p.(ep.AsyncCopier)
	if !ok {
		return
	}
	dst, src := x.filled(1<<16, 1), x.filled(1<<16, 2)
	f, err := c.CopyAsync(x.ctx, dst, 1, src, 0, 1<<16-1)
	if err != nil || f == nil {
		x.Fatalf("CopyAsync = %v, %v", f, err)
	}
	for range 2 { // waiting twice is legal
		if err := f.Wait(x.ctx); err != nil {
			x.Errorf("Wait: %v", err)
		}
	}
	if done, err := f.Done(); !done || err != nil {
		x.Errorf("Done after Wait = %v, %v", done, err)
	}
	want := append([]byte{1}, pattern(1<<16-1, 2)...)
	if !bytes.Equal(x.get(dst), want) {
		x.Errorf("after Wait the copy is not done")
	}
	small := x.filled(16, 0)
	for _, r := range badRanges {
		f, err := c.CopyAsync(x.ctx, small, r.offset, src, 0, r.n)
		if err == nil && f != nil {
			err = f.Wait(x.ctx) // a fence carries the error of its work
		}
		x.want(err, ep.ErrRange, "CopyAsync of %d bytes to %d", r.n, r.offset)
	}
}
