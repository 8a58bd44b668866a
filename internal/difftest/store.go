package difftest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"gort/onnx"
	"gort/op"
	"gort/tensor"
)

// Stored calls of an operator lie in one file: a zip of folders in the layout of
// ONNX's backend suite, stored and then compressed as a whole, because the folders
// are small and alike.
const ext = ".zip.gz"

// FileName is the name of the file with the stored calls of an operator.
func (gen *Generator) FileName() string {
	if gen.Domain == "" {
		return gen.Op + ext
	}
	return gen.Domain + "." + gen.Op + ext
}

// Write writes results as a stored file, together with calls that were stored before.
func Write(w io.Writer, results []*Result, kept []*Stored) error {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	add := func(folder string, files []file, err error) error {
		if err != nil {
			return err
		}
		for _, f := range files {
			part, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Store})
			if err != nil {
				return err
			}
			if _, err := part.Write(f.data); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range kept {
		files, err := s.files()
		if err := add(s.Name, files, err); err != nil {
			return err
		}
	}
	for _, r := range results {
		files, err := r.files()
		if err := add(r.Case.Name, files, err); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	c, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := c.Write(buf.Bytes()); err != nil {
		return err
	}
	return c.Close()
}

type file struct {
	name string
	data []byte
}

// files are the files of the case's folder.
func (r *Result) files() ([]file, error) {
	out := []file{{"model.onnx", r.Model}}
	for kind, list := range map[string][]tensor.Value{"input": r.Case.Fed(), "output": r.Want} {
		for i, v := range list {
			raw, err := tensor.WritePB(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %s %d: %w", r.Case.Name, kind, i, err)
			}
			out = append(out, file{fmt.Sprintf("%s/%s_%d.pb", dataSet, kind, i), raw})
		}
	}
	return out, nil
}

const dataSet = "test_data_set_0"

// Save writes the result as a folder below dir, for a report.
func (r *Result) Save(dir string) (string, error) {
	files, err := r.files()
	if err != nil {
		return "", err
	}
	root := path.Join(dir, r.Case.Name)
	for _, f := range files {
		p := path.Join(root, f.name)
		if err := os.MkdirAll(path.Dir(p), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(p, f.data, 0o666); err != nil {
			return "", err
		}
	}
	return root, nil
}

// Stored is one stored call.
type Stored struct {
	Name  string // such as com.microsoft.Gelu-1/007
	Model []byte
	fsys  fs.FS
}

// Version is the part of the name before the number, such as com.microsoft.Gelu-1.
func (s *Stored) Version() string { return path.Dir(s.Name) }

// ReadStored reads a stored file.
func ReadStored(data []byte) ([]*Stored, error) {
	c, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(c)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, err
	}
	var out []*Stored
	for _, f := range z.File {
		if path.Base(f.Name) != "model.onnx" {
			continue
		}
		s := &Stored{Name: path.Dir(f.Name), fsys: z}
		if s.Model, err = fs.ReadFile(z, f.Name); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// files are the files of the stored folder.
func (s *Stored) files() ([]file, error) {
	var out []file
	err := fs.WalkDir(s.fsys, s.Name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(s.fsys, p)
		out = append(out, file{p[len(s.Name)+1:], data})
		return err
	})
	return out, err
}

// Run runs a stored call of the definition all ways and compares the outputs with the stored ones.
func (gen *Generator) Run(ctx context.Context, d *op.Def, s *Stored) error {
	for _, w := range ways(d) {
		if err := gen.runStored(ctx, w, s); err != nil {
			return fmt.Errorf("%s: %s: %w", s.Name, w.Name, err)
		}
	}
	return nil
}

func (gen *Generator) runStored(ctx context.Context, w Way, s *Stored) error {
	inTypes, outTypes, err := s.types()
	if err != nil {
		return err
	}
	inputs, err := s.values("input", inTypes)
	if err != nil {
		return err
	}
	want, err := s.values("output", outTypes)
	if err != nil {
		return err
	}
	a := w.run(ctx, s.Model, inputs)
	if a.Err != nil {
		return a.Err
	}
	return gen.compare(a.Outputs, want)
}

// types are those of the model's inputs and outputs, as the file declares them.
func (s *Stored) types() (in, out []tensor.Type, err error) {
	m, err := onnx.Parse(s.Model)
	if err != nil {
		return nil, nil, err
	}
	g, err := m.Graph()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range g.Graph.Inputs() {
		in = append(in, g.Graph.Value(id).Type.WithoutShape())
	}
	for _, id := range g.Graph.Outputs() {
		out = append(out, g.Graph.Value(id).Type.WithoutShape())
	}
	return in, out, nil
}

func (s *Stored) values(kind string, types []tensor.Type) ([]tensor.Value, error) {
	out := make([]tensor.Value, len(types))
	for i, t := range types {
		raw, err := fs.ReadFile(s.fsys, fmt.Sprintf("%s/%s/%s_%d.pb", s.Name, dataSet, kind, i))
		if err != nil {
			return nil, err
		}
		if out[i], err = tensor.ReadPB(raw, t); err != nil {
			return nil, fmt.Errorf("%s %d: %w", kind, i, err)
		}
	}
	return out, nil
}
