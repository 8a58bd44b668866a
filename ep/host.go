package ep

import (
	"context"
	"errors"
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
	if err := m.reserve(size); err != nil {
		return nil, m.fail("Allocate", err)
	}
	mem, ok := alignedBytes(size, align) // clearing much memory takes time: not under the lock
	m.mu.Lock()
	defer m.mu.Unlock()
	if !ok {
		m.counts.Live -= int64(size)
		return nil, m.fail("Allocate", &OutOfMemoryError{Asked: int64(size), Left: -1})
	}
	m.counts.Allocs++
	m.counts.Peak = max(m.counts.Peak, m.counts.Live)
	return NewHostBuffer(m, m.device, mem, align), nil
}

// reserve counts the bytes of an allocation that is about to be made.
func (m *HostMemory) reserve(size int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.open {
		return ErrClosed
	}
	if left := m.limit - m.counts.Live; m.limit > 0 && int64(size) > left {
		return &OutOfMemoryError{Asked: int64(size), Left: left}
	}
	if int64(size) > math.MaxInt64-m.counts.Live {
		return &OutOfMemoryError{Asked: int64(size), Left: -1}
	}
	m.counts.Live += int64(size)
	return nil
}

// alignedBytes returns fresh memory; ok is false for a size that no Go slice has.
func alignedBytes(size, align int) (mem []byte, ok bool) {
	if size > math.MaxInt-align {
		return nil, false
	}
	defer func() {
		if recover() != nil { // makeslice: len out of range
			mem, ok = nil, false
		}
	}()
	mem = make([]byte, size+align-1)
	if len(mem) == 0 {
		return mem, true
	}
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & uintptr(align-1))
	return mem[skip:][:size:size], true
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
	return nil
}

// ready fails with ErrClosed unless the memory is open.
func (m *HostMemory) ready() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.open {
		return ErrClosed
	}
	return nil
}

// window checks a transfer's range of a buffer.
func window(b *Buffer, offset, n int) error {
	if b == nil {
		return fmt.Errorf("%w: it is nil", ErrForeignBuffer)
	}
	return CheckRange(b.size, offset, n)
}

// here checks that a buffer is on this device.
func (m *HostMemory) here(b *Buffer) error {
	if b.device != m.device {
		return fmt.Errorf("%w: it is on %v", ErrForeignBuffer, b.device)
	}
	return nil
}

// Copy implements Provider. The ranges may overlap.
func (m *HostMemory) Copy(ctx context.Context, dst *Buffer, dstOffset int, src *Buffer, srcOffset, n int) error {
	if err := m.ready(); err != nil {
		return m.fail("Copy", err)
	}
	if err := errors.Join(window(dst, dstOffset, n), window(src, srcOffset, n)); err != nil {
		return m.fail("Copy", err)
	}
	if n == 0 {
		return nil
	}
	if err := errors.Join(m.here(dst), m.here(src)); err != nil {
		return m.fail("Copy", err)
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
	d, err := m.transfer(dst, offset, len(src), (*Buffer).Writable)
	if err != nil {
		return m.fail("Upload", err)
	}
	copy(d, src)
	return ctx.Err()
}

// Download implements HostTransfer.
func (m *HostMemory) Download(ctx context.Context, dst []byte, src *Buffer, offset int) error {
	s, err := m.transfer(src, offset, len(dst), (*Buffer).Bytes)
	if err != nil {
		return m.fail("Download", err)
	}
	copy(dst, s)
	return ctx.Err()
}

// transfer makes HostTransfer's checks in their order and returns the window of b.
func (m *HostMemory) transfer(b *Buffer, offset, n int, access func(*Buffer) ([]byte, error)) ([]byte, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	if err := window(b, offset, n); err != nil || n == 0 {
		return nil, err
	}
	if err := m.here(b); err != nil {
		return nil, err
	}
	mem, err := access(b)
	if err != nil {
		return nil, err
	}
	return mem[offset:][:n], nil
}

// Sync implements Provider: host work is done when it returns.
func (m *HostMemory) Sync(ctx context.Context) error {
	if err := m.ready(); err != nil {
		return m.fail("Sync", err)
	}
	return ctx.Err()
}

// AllocationCounts implements AllocationCounter.
func (m *HostMemory) AllocationCounts() AllocationCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}
