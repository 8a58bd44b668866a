package onnx

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// mapping is the content of a file, mapped where the system can and else read.
type mapping struct {
	data  []byte
	unmap func() error // nil when the bytes are ordinary memory
}

func (m *mapping) close() error {
	if m.unmap == nil {
		return nil
	}
	err := m.unmap()
	m.data, m.unmap = nil, nil
	return err
}

// mapFile gives the bytes of an open file, which may be closed afterwards. A file
// that is mapped may be of any size up to mapLimit; one that must be read, up to
// readLimit. The limits have the name of the option that sets them.
func mapFile(f fs.File, mapLimit, readLimit int64, what string) (*mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: info.Name(), Err: fmt.Errorf("is a directory")}
	}
	size := info.Size()
	if file, ok := f.(*os.File); ok && info.Mode().IsRegular() && canMap && size > 0 {
		if limit := min(mapLimit, math.MaxInt); size > limit {
			return nil, &LimitError{What: what, Value: size, Limit: limit}
		}
		data, unmap, err := mapBytes(file, int(size))
		if err == nil {
			return &mapping{data, unmap}, nil
		}
		// Some file systems can not map; reading still works.
	}
	limit := min(mapLimit, readLimit)
	if size > limit {
		return nil, &LimitError{What: what, Value: size, Limit: limit}
	}
	data, err := readAll(f, size, limit, what)
	if err != nil {
		return nil, err
	}
	return &mapping{data: data}, nil
}

// readAll reads at most limit bytes; size is what to expect, when known.
func readAll(r io.Reader, size, limit int64, what string) ([]byte, error) {
	// What a file system claims of a file is not trusted with more than this.
	const trusted = 64 << 20
	data := make([]byte, 0, min(max(size, 511), trusted)+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, &LimitError{What: what, Value: int64(len(data)), Limit: limit}
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
