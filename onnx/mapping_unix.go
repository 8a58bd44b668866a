//go:build unix

package onnx

import (
	"os"

	"golang.org/x/sys/unix"
)

const canMap = true

// mapBytes maps a file read-only: a write into a weight is a fault at the
// culprit rather than a wrong result in another session.
func mapBytes(f *os.File, size int) ([]byte, func() error, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
