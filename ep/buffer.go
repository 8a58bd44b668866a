package ep

import (
	"fmt"
	"math/bits"
	"sync/atomic"

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
	maker  any    // identity of the allocator, nil for borrowed memory
	host   []byte // the memory itself when the host can access it
	handle any    // the provider's own name for device memory
	freed  atomic.Bool
}

// NewHostBuffer returns a buffer of owned memory that the host can access. maker
// identifies the allocator; only it may free the buffer. For providers' use.
func NewHostBuffer(maker any, dev graph.Device, mem []byte, align int) *Buffer {
	return &Buffer{device: dev, size: len(mem), align: align, maker: maker, host: mem[:len(mem):len(mem)]}
}

// NewDeviceBuffer returns a buffer of owned memory that the host can not access.
// handle is the provider's own name for it. For providers' use.
func NewDeviceBuffer(maker any, dev graph.Device, handle any, size, align int) *Buffer {
	return &Buffer{device: dev, size: size, align: align, maker: maker, handle: handle}
}

// Borrow returns a read-only alias of host memory that someone else owns and
// keeps alive until the buffer is freed.
func Borrow(dev graph.Device, mem []byte) *Buffer {
	return &Buffer{device: dev, size: len(mem), align: 1, owner: Borrowed, host: mem[:len(mem):len(mem)]}
}

// BorrowMut returns an exclusive writable alias of host memory that someone else
// owns and keeps alive until the buffer is freed.
func BorrowMut(dev graph.Device, mem []byte) *Buffer {
	return &Buffer{device: dev, size: len(mem), align: 1, owner: BorrowedMut, host: mem[:len(mem):len(mem)]}
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
	if b.host == nil && (b.handle != nil || b.size > 0) {
		return nil, ErrNotHostReadable
	}
	return b.host, nil
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
// the one place that decides these rules: every provider's Free calls it first.
func (b *Buffer) Release(maker any) (owned bool, err error) {
	if b.owner == Owned && b.maker != maker {
		return false, ErrForeignBuffer
	}
	if b.freed.Swap(true) {
		return false, ErrFreed
	}
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
