package onnx

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

const canMap = true

// mapBytes maps a file read-only. The view keeps the section alive, so its handle
// is closed at once.
func mapBytes(f *os.File, size int) ([]byte, func() error, error) {
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	defer windows.CloseHandle(section)
	addr, err := windows.MapViewOfFile(section, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, err
	}
	// The address is the system's, not the collector's; reading it through its own
	// location is the form that vet knows to be no arithmetic on pointers.
	base := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	data := unsafe.Slice((*byte)(base), size)
	return data, func() error { return windows.UnmapViewOfFile(addr) }, nil
}
