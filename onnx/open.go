package onnx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"gort/internal/onnxpb"
)

// MaxIRVersion is the newest version of the file format that this package reads.
const MaxIRVersion = 14

// Open maps a model file. Its external data is looked for in the file's directory.
// The file must not be truncated while the model is open.
func Open(name string, opts ...Option) (*Model, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer f.Close()
	c := newConfig(opts)
	return openFile(f, name, c, sourceOf(c, dirSource(filepath.Dir(name))))
}

// OpenFS opens a model file of a file system. Its external data is looked for in
// the file's directory there. Files that fsys opens as [*os.File] are mapped, all
// others read.
func OpenFS(fsys fs.FS, name string, opts ...Option) (*Model, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer f.Close()
	c := newConfig(opts)
	dir, err := fs.Sub(fsys, path.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return openFile(f, name, c, sourceOf(c, fsSource{dir}))
}

// Read reads a model from a stream into memory. External data needs WithExternalData.
func Read(r io.Reader, opts ...Option) (*Model, error) {
	c := newConfig(opts)
	data, err := readAll(r, 0, min(c.limits.MaxBytes, math.MaxInt), "MaxBytes")
	if err != nil {
		var limit *LimitError
		if errors.As(err, &limit) {
			return nil, err
		}
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return parse("", &mapping{data: data}, c, sourceOf(c, nil))
}

// Parse reads a model from memory, which its tensors alias: data must not change
// while the model or anything made from it is in use. External data needs
// WithExternalData.
func Parse(data []byte, opts ...Option) (*Model, error) {
	c := newConfig(opts)
	if size := int64(len(data)); size > c.limits.MaxBytes {
		return nil, &LimitError{What: "MaxBytes", Value: size, Limit: c.limits.MaxBytes}
	}
	return parse("", &mapping{data: data}, c, sourceOf(c, nil))
}

// sourceOf prefers the source of external data that the caller named.
func sourceOf(c config, natural source) source {
	if c.external != nil {
		return fsSource{c.external}
	}
	return natural
}

func openFile(f fs.File, name string, c config, src source) (*Model, error) {
	data, err := mapFile(f, c.limits.MaxBytes, math.MaxInt64, "MaxBytes")
	if err != nil {
		var limit *LimitError
		if errors.As(err, &limit) {
			limit.Where = name
			return nil, limit
		}
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m, err := parse(name, data, c, src)
	if err != nil {
		return nil, errors.Join(err, data.close())
	}
	return m, nil
}

func parse(name string, data *mapping, c config, src source) (*Model, error) {
	p, err := unmarshal(data.data, c.limits)
	if err == nil {
		err = checkHeader(p)
	}
	if err != nil {
		return nil, withPath(err, name)
	}
	return &Model{path: name, proto: p, config: c, main: data, side: sideFiles{source: src}}, nil
}

// checkHeader tells a model from bytes that merely happen to decode.
func checkHeader(p *onnxpb.ModelProto) error {
	switch v := p.GetIrVersion(); {
	case p.IrVersion == nil && p.Graph == nil:
		return &FormatError{Reason: "this is not an ONNX model: it has neither an IR version nor a graph", Err: ErrTruncated}
	case v < 1:
		return &FormatError{Reason: fmt.Sprintf("the IR version is %d", v), Remedy: "versions begin at 1", Err: ErrVersion}
	case v > MaxIRVersion:
		return &FormatError{
			Reason: fmt.Sprintf("IR version %d is newer than %d, the newest known", v, MaxIRVersion),
			Remedy: "export the model for an older version, or update gort",
			Err:    ErrVersion,
		}
	case p.Graph == nil:
		return &FormatError{Reason: "the model has no graph", Err: ErrTruncated}
	}
	return nil
}

// withPath names the file in an error that was made where it was not known.
func withPath(err error, name string) error {
	var format *FormatError
	if errors.As(err, &format) && format.Path == "" {
		format.Path = name
	}
	var limit *LimitError
	if errors.As(err, &limit) && name != "" {
		if limit.Where == "" {
			limit.Where = name
		} else {
			limit.Where = name + ": " + limit.Where
		}
	}
	return err
}
