package onnx

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"gort/internal/onnxpb"
	"gort/tensor"
)

// source opens the files that external data names.
type source interface {
	open(name string) (fs.File, error)
}

// dirSource opens files inside one directory of the system. [os.Root] holds every
// step of the way inside, symbolic links included.
type dirSource string

func (d dirSource) open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(name))
}

type fsSource struct{ fs.FS }

func (s fsSource) open(name string) (fs.File, error) { return s.Open(name) }

// sideFiles are the external data files of a model, each mapped once.
type sideFiles struct {
	source source // nil when nothing says where they are

	mu    sync.Mutex
	files map[string]*sideFile
}

type sideFile struct {
	*mapping
	sha1 string // once computed
}

func (s *sideFiles) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.close())
	}
	s.files = nil
	return err
}

// extent is where a tensor's bytes are, as external_data tells it.
type extent struct {
	location string
	offset   int64
	length   int64 // -1 when not given
	checksum string
}

func readExtent(p *onnxpb.TensorProto) (extent, error) {
	e := extent{length: -1}
	for _, kv := range p.ExternalData {
		var err error
		switch kv.GetKey() {
		case "location":
			e.location = kv.GetValue()
		case "offset":
			e.offset, err = parseSize("offset", kv.GetValue())
		case "length":
			e.length, err = parseSize("length", kv.GetValue())
		case "checksum":
			e.checksum = kv.GetValue()
		}
		if err != nil {
			return e, err
		}
	}
	if e.location == "" {
		return e, errors.New("its external data names no location")
	}
	return e, nil
}

func parseSize(what, s string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the %s of its external data is %s", what, quote(s))
	}
	return n, nil
}

// externalBytes returns the bytes of a tensor whose data is in another file. They
// alias the file's mapping.
func (m *Model) externalBytes(p *onnxpb.TensorProto, d tensor.DType, want int) ([]byte, error) {
	fail := func(kind error, remedy, format string, args ...any) ([]byte, error) {
		return nil, &FormatError{
			Where: "tensor " + quote(p.GetName()), Reason: fmt.Sprintf(format, args...), Remedy: remedy, Err: kind,
		}
	}
	if d == tensor.String {
		return fail(ErrTensor, "", "strings can not be external data")
	}
	e, err := readExtent(p)
	if err != nil {
		return fail(ErrExternalData, "", "%v", err)
	}
	if e.length >= 0 && e.length != int64(want) {
		return fail(ErrTensor, "", "external data has %d bytes, the shape needs %d", e.length, want)
	}
	if want == 0 {
		return nil, nil
	}
	name := path.Clean(e.location)
	if !filepath.IsLocal(filepath.FromSlash(name)) || !fs.ValidPath(name) || strings.ContainsRune(name, '\\') {
		return fail(ErrEscape, "only files beside or below the model are read", "external data is in %s", quote(e.location))
	}
	f, err := m.side.get(name, m.config)
	if err != nil {
		var limit *LimitError
		if errors.As(err, &limit) {
			limit.Where = name
			return nil, limit
		}
		kind, remedy := ErrExternalData, "put the file beside the model"
		switch {
		case m.side.source == nil:
			remedy = "the model was not opened from a directory: pass WithExternalData"
		case isEscape(err):
			kind = ErrEscape
			remedy = "if the link can be trusted, pass WithExternalData(os.DirFS(dir))"
		}
		return fail(fmt.Errorf("%w: %w", kind, err), remedy, "external data %s: %v", quote(e.location), err)
	}
	if size := int64(len(f.data)); e.offset > size || int64(want) > size-e.offset {
		return fail(fmt.Errorf("%w: %w", ErrExternalData, ErrTruncated), "the file is incomplete or belongs to another model",
			"external data %s has %d bytes, the tensor needs bytes %d to %d", quote(e.location), size, e.offset, uint64(e.offset)+uint64(want))
	}
	if m.config.checksums && e.checksum != "" && !strings.EqualFold(e.checksum, m.side.sum(f)) {
		return fail(ErrExternalData, "the file is damaged or belongs to another model",
			"external data %s has SHA-1 %s, the model says %s", quote(e.location), m.side.sum(f), quote(e.checksum))
	}
	return f.data[e.offset:][:want:want], nil
}

var errNoSource = errors.New("no directory to look in")

// get maps a file, or finds it mapped.
func (s *sideFiles) get(name string, c config) (*sideFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[name]; f != nil {
		return f, nil
	}
	if s.source == nil {
		return nil, errNoSource
	}
	file, err := s.source.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const unbounded = 1<<63 - 1
	data, err := mapFile(file, unbounded, c.limits.MaxExternalBytes, "MaxExternalBytes")
	if err != nil {
		return nil, err
	}
	if s.files == nil {
		s.files = map[string]*sideFile{}
	}
	f := &sideFile{mapping: data}
	s.files[name] = f
	return f, nil
}

func (s *sideFiles) sum(f *sideFile) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.sha1 == "" {
		sum := sha1.Sum(f.data)
		f.sha1 = hex.EncodeToString(sum[:])
	}
	return f.sha1
}

// isEscape recognises what os.Root says of a path that leaves it, for which the
// standard library has no exported error.
func isEscape(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && strings.Contains(p.Err.Error(), "escapes")
}
