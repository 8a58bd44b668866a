package ep

import (
	"errors"
	"fmt"
)

// Errors of buffers and transfers, for errors.Is.
var (
	ErrFreed           = errors.New("buffer was already freed")
	ErrForeignBuffer   = errors.New("buffer belongs to another provider")
	ErrReadOnly        = errors.New("buffer is borrowed read-only")
	ErrNotHostReadable = errors.New("the host can not access this device's memory")
	ErrRange           = errors.New("byte range lies outside the buffer")
	ErrAlignment       = errors.New("alignment is not a power of two")
	ErrOutOfMemory     = errors.New("out of device memory")
	ErrClosed          = errors.New("provider is closed")
	ErrUnknownOption   = errors.New("unknown provider option")
	ErrNoCapture       = errors.New("operation can not be captured into a device graph")
	ErrContext         = errors.New("compiled context can not be used")
)

// Error is what a provider's methods return: who, doing what, and why. It wraps
// one of the errors above where one fits.
type Error struct {
	Provider string
	Op       string // the method: "Allocate", "Free", "Upload", …
	Err      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Provider, e.Op, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// OutOfMemoryError says how much was asked for and how much was left. It matches
// ErrOutOfMemory.
type OutOfMemoryError struct {
	Asked, Left int64 // bytes; Left is negative when the provider has no limit to count from
}

func (e *OutOfMemoryError) Error() string {
	if e.Left < 0 {
		return fmt.Sprintf("%v: asked for %d bytes", ErrOutOfMemory, e.Asked)
	}
	return fmt.Sprintf("%v: asked for %d bytes, %d are left", ErrOutOfMemory, e.Asked, e.Left)
}

// Is makes errors.Is(err, ErrOutOfMemory) hold.
func (e *OutOfMemoryError) Is(target error) bool { return target == ErrOutOfMemory }
