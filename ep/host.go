package ep

import (
	"context"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"gort/graph"
)

// HostMemory implements the memory half of Provider for devices whose memory is
// the host's: Allocate, Free, Copy, Sync, HostTransfer and AllocationCounter. A
// provider embeds it. The zero value has no limit and is not ready until OpenMemory.
type HostMemory struct {
	name   string
	device graph.Device
	limit  int64

	mu     sync.Mutex
	counts AllocationCounts
	open   bool
}

// OpenMemory makes the memory usable. limit bounds the live bytes; 0 means none.
func (m *HostMemory) OpenMemory(name string, dev graph.Device, limit int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.name, m.device, m.limit, m.open = name, dev, limit, true
}

// CloseMemory makes every later call fail with ErrClosed, but for Free, so that
// what is still out can come back. It reports an error when buffers are live.
func (m *HostMemory) CloseMemory() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = false
	if n := m.counts.Allocs - m.counts.Frees; n != 0 {
		return m.fail("Close", fmt.Errorf("%d buffers (%d bytes) were not freed", n, m.counts.Live))
	}
	return nil
}

func (m *HostMemory) fail(op string, err error) error {
	return &Error{Provider: m.name, Op: op, Err: err}
}

// Allocate implements Provider.
func (m *HostMemory) Allocate(size, align int) (*Buffer, error) {
	if err := CheckAlign(align); err != nil {
		return nil, m.fail("Allocate", err)
	}
	if size < 0 {
		return nil, m.fail("Allocate", fmt.Errorf("%w: %d bytes", ErrRange, size))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.open {
		return nil, m.fail("Allocate", ErrClosed)
	}
	left := int64(math.MaxInt64)
	if m.limit > 0 {
		left = m.limit - m.counts.Live
	}
	if int64(size) > left || size > math.MaxInt-align {
		return nil, m.fail("Allocate", &OutOfMemoryError{Asked: int64(size), Left: left})
	}
	mem := alignedBytes(size, align)
	m.counts.Allocs++
	m.counts.Live += int64(size)
	m.counts.Peak = max(m.counts.Peak, m.counts.Live)
	return NewHostBuffer(m, m.device, mem, align), nil
}

func alignedBytes(size, align int) []byte {
	mem := make([]byte, size+align-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & uintptr(align-1))
	return mem[skip:][:size:size]
}

// Free implements Provider.
func (m *HostMemory) Free(b *Buffer) error {
	owned, err := b.Release(m)
	if err != nil {
		return m.fail("Free", err)
	}
	if owned {
		m.mu.Lock()
		m.counts.Frees++
		m.counts.Live -= int64(b.size)
		m.mu.Unlock()
	}
	b.host = nil
	return nil
}

// Copy implements Provider. The ranges may overlap.
func (m *HostMemory) Copy(ctx context.Context, dst *Buffer, dstOffset int, src *Buffer, srcOffset, n int) error {
	if err := CheckRange(dst.size, dstOffset, n); err != nil {
		return m.fail("Copy", err)
	}
	if err := CheckRange(src.size, srcOffset, n); err != nil {
		return m.fail("Copy", err)
	}
	if n == 0 {
		return nil
	}
	for _, b := range []*Buffer{dst, src} {
		if b.device != m.device {
			return m.fail("Copy", fmt.Errorf("%w: it is on %v", ErrForeignBuffer, b.device))
		}
	}
	d, err := dst.Writable()
	if err != nil {
		return m.fail("Copy", err)
	}
	s, err := src.Bytes()
	if err != nil {
		return m.fail("Copy", err)
	}
	copy(d[dstOffset:][:n], s[srcOffset:][:n])
	return ctx.Err()
}

// Upload implements HostTransfer.
func (m *HostMemory) Upload(ctx context.Context, dst *Buffer, offset int, src []byte) error {
	if err := CheckRange(dst.size, offset, len(src)); err != nil {
		return m.fail("Upload", err)
	}
	if len(src) == 0 {
		return nil
	}
	d, err := dst.Writable()
	if err != nil {
		return m.fail("Upload", err)
	}
	copy(d[offset:], src)
	return ctx.Err()
}

// Download implements HostTransfer.
func (m *HostMemory) Download(ctx context.Context, dst []byte, src *Buffer, offset int) error {
	if err := CheckRange(src.size, offset, len(dst)); err != nil {
		return m.fail("Download", err)
	}
	if len(dst) == 0 {
		return nil
	}
	s, err := src.Bytes()
	if err != nil {
		return m.fail("Download", err)
	}
	copy(dst, s[offset:])
	return ctx.Err()
}

// Sync implements Provider: host work is done when it returns.
func (m *HostMemory) Sync(ctx context.Context) error { return ctx.Err() }

// AllocationCounts implements AllocationCounter.
func (m *HostMemory) AllocationCounts() AllocationCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}
