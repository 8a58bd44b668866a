package ep

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"gort/graph"
)

// Ownership says who frees the memory a buffer names.
type Ownership uint8

// Kinds of ownership.
const (
	// Owned memory was allocated by the provider, which frees it once.
	Owned Ownership = iota
	// Borrowed memory belongs to someone else and is only read: a mapped weight,
	// a caller's input.
	Borrowed
	// BorrowedMut memory belongs to someone else, who lends it for exclusive
	// writing: a caller's output binding.
	BorrowedMut
)

// Buffer names one allocation on one device. Its methods may be called from any
// goroutine; ordering access to the contents is the engine's task.
type Buffer struct {
	device graph.Device
	size   int
	align  int
	owner  Ownership
	maker  any  // identity of the allocator, nil for borrowed memory
	handle any  // the provider's own name for device memory
	onHost bool // the host can access the memory
	// mem is the first of size bytes of host memory. It is atomic so that a use
	// that races with Free sees all of the memory or ErrFreed.
	mem   atomic.Pointer[byte]
	freed atomic.Bool
}

func hostBuffer(dev graph.Device, mem []byte, align int, owner Ownership, maker any) *Buffer {
	b := &Buffer{device: dev, size: len(mem), align: align, owner: owner, maker: maker, onHost: true}
	b.mem.Store(unsafe.SliceData(mem))
	return b
}

// NewHostBuffer returns a buffer of owned memory that the host can access. maker
// identifies the allocator; only it may free the buffer. For providers' use.
func NewHostBuffer(maker any, dev graph.Device, mem []byte, align int) *Buffer {
	return hostBuffer(dev, mem, align, Owned, maker)
}

// NewDeviceBuffer returns a buffer of owned memory that the host can not access.
// handle is the provider's own name for it. For providers' use.
func NewDeviceBuffer(maker any, dev graph.Device, handle any, size, align int) *Buffer {
	return &Buffer{device: dev, size: size, align: align, maker: maker, handle: handle}
}

// Borrow returns a read-only alias of host memory that someone else owns and
// keeps alive until the buffer is freed.
func Borrow(dev graph.Device, mem []byte) *Buffer {
	return hostBuffer(dev, mem, 1, Borrowed, nil)
}

// BorrowMut returns an exclusive writable alias of host memory that someone else
// owns and keeps alive until the buffer is freed.
func BorrowMut(dev graph.Device, mem []byte) *Buffer {
	return hostBuffer(dev, mem, 1, BorrowedMut, nil)
}

// Device is where the memory is.
func (b *Buffer) Device() graph.Device { return b.device }

// Len is the size in bytes.
func (b *Buffer) Len() int { return b.size }

// Align is the alignment in bytes, a power of two; 1 when nothing is promised.
func (b *Buffer) Align() int { return b.align }

// Ownership says who frees the memory.
func (b *Buffer) Ownership() Ownership { return b.owner }

// Handle is the provider's own name for the memory, nil for host memory.
func (b *Buffer) Handle() any { return b.handle }

// Freed reports whether the buffer was freed.
func (b *Buffer) Freed() bool { return b.freed.Load() }

// Bytes returns the memory for reading. It fails with ErrFreed after Free and
// with ErrNotHostReadable on a device whose memory the host can not access.
func (b *Buffer) Bytes() ([]byte, error) {
	if b.freed.Load() {
		return nil, ErrFreed
	}
	if !b.onHost {
		return nil, ErrNotHostReadable
	}
	mem := b.mem.Load()
	if mem == nil && b.size > 0 {
		return nil, ErrFreed // by another goroutine, just now
	}
	return unsafe.Slice(mem, b.size), nil
}

// Writable is Bytes for writing; it also fails with ErrReadOnly on borrowed memory.
func (b *Buffer) Writable() ([]byte, error) {
	if b.owner == Borrowed && !b.freed.Load() {
		return nil, ErrReadOnly
	}
	return b.Bytes()
}

// Release marks the buffer as freed on behalf of its allocator, and reports
// whether there is owned memory to give back now. It fails with ErrFreed the
// second time and with ErrForeignBuffer when maker did not make an owned buffer;
// borrowed buffers are detached from their memory, which stays as it is. It is
// the one place that decides these rules: every provider's Free calls it first. A
// nil buffer is nobody's.
func (b *Buffer) Release(maker any) (owned bool, err error) {
	if b == nil || b.owner == Owned && b.maker != maker {
		return false, ErrForeignBuffer
	}
	if b.freed.Swap(true) {
		return false, ErrFreed
	}
	b.mem.Store(nil)
	return b.owner == Owned, nil
}

// CheckRange verifies that [offset, offset+n) lies inside a buffer of size bytes
// without overflowing. It returns ErrRange.
func CheckRange(size, offset, n int) error {
	if offset < 0 || n < 0 || offset > size || n > size-offset {
		return fmt.Errorf("%w: %d bytes at offset %d of %d", ErrRange, n, offset, size)
	}
	return nil
}

// CheckAlign verifies an alignment: it must be a power of two.
func CheckAlign(align int) error {
	if align <= 0 || bits.OnesCount(uint(align)) != 1 {
		return fmt.Errorf("%w: %d", ErrAlignment, align)
	}
	return nil
}
