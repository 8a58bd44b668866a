package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"gort/internal/onnxpb"
	"gort/tensor"
)

// externalModel has one initializer w of two floats, whose data is elsewhere.
func externalModel(pairs ...string) *onnxpb.ModelProto {
	main := gr("main", "x", "y", node("Add x w > y"))
	w := &onnxpb.TensorProto{Name: new("w"), DataType: new(int32(tensor.Float32)), Dims: []int64{2}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum()}
	for i := 0; i < len(pairs); i += 2 {
		w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: new(pairs[i]), Value: new(pairs[i+1])})
	}
	main.Initializer = append(main.Initializer, w)
	return model(main)
}

var twoFloats = []byte{0, 0, 128, 63, 0, 0, 0, 64} // 1, 2

func weight(t testing.TB, m *Model) ([]byte, error) {
	t.Helper()
	g, err := m.Graph()
	if err != nil {
		return nil, err
	}
	id, _ := g.Graph.Lookup("w")
	data, err := g.Graph.Value(id).Const.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data, nil
}

func TestExternalData(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	side := append(make([]byte, 4096), twoFloats...)
	for _, f := range []string{"w.bin", "sub/w.bin"} {
		if err := os.WriteFile(filepath.Join(dir, f), side, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fsys := fstest.MapFS{"models/w.bin": {Data: side}, "models/sub/w.bin": {Data: side}}
	for _, location := range []string{"w.bin", "./w.bin", "sub/w.bin", "sub/../w.bin"} {
		for _, pairs := range [][]string{{"offset", "4096", "length", "8"}, {"offset", "4096"}, {"offset", " 4096 ", "unknown", "key"}} {
			data := marshal(t, externalModel(append([]string{"location", location}, pairs...)...))
			file := filepath.Join(dir, "m.onnx")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			fsys["models/m.onnx"] = &fstest.MapFile{Data: data}
			for name, open := range map[string]func() (*Model, error){
				"Open":   func() (*Model, error) { return Open(file) },
				"OpenFS": func() (*Model, error) { return OpenFS(fsys, "models/m.onnx") },
				"Parse":  func() (*Model, error) { return Parse(data, WithExternalData(os.DirFS(dir))) },
				"Read":   func() (*Model, error) { return Read(bytes.NewReader(data), WithExternalData(os.DirFS(dir))) },
			} {
				m, err := open()
				if err != nil {
					t.Fatal(err)
				}
				got, err := weight(t, m)
				if err != nil || !bytes.Equal(got, twoFloats) {
					t.Errorf("%s %s %v: %v, %v", name, location, pairs, got, err)
				}
				if len(m.side.files) != 1 {
					t.Errorf("%d files are mapped", len(m.side.files))
				}
				if got, want := len(m.side.files) == 1 && m.side.files[keyOf(m)].unmap != nil, canMap && name != "OpenFS"; got != want {
					t.Errorf("%s: mapped %v, want %v", name, got, want)
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func keyOf(m *Model) string {
	for k := range m.side.files {
		return k
	}
	return ""
}

func TestExternalDataRefused(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, twoFloats, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outside, "model")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), twoFloats, 0o600); err != nil {
		t.Fatal(err)
	}
	links := runtime.GOOS != "windows" && runtime.GOOS != "js"
	if links {
		for name, to := range map[string]string{"link": secret, "linkdir": outside, "rel": "../secret", "inside": "w.bin"} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func(pairs ...string) error {
		file := filepath.Join(dir, "m.onnx")
		if err := os.WriteFile(file, marshal(t, externalModel(pairs...)), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		_, err = weight(t, m)
		var format *FormatError
		if err != nil && (!errors.As(err, &format) || format.Path != file) {
			t.Errorf("%v: %v is no *FormatError with the file's name", pairs, err)
		}
		return err
	}
	for _, location := range []string{"../secret", "sub/../../secret", secret, "/etc/passwd", "..", ".", "a\\..\\..\\secret", "C:\\secret"} {
		if err := open("location", location); !errors.Is(err, ErrExternalData) || location != "." && !errors.Is(err, ErrEscape) {
			t.Errorf("location %q gives %v", location, err)
		}
	}
	if links {
		for _, location := range []string{"link", "linkdir/secret", "rel"} {
			err := open("location", location)
			if !errors.Is(err, ErrEscape) || !strings.Contains(err.Error(), "os.DirFS") {
				t.Errorf("link %q gives %v", location, err)
			}
		}
		if err := open("location", "inside"); err != nil {
			t.Errorf("a link that stays inside: %v", err)
		}
	}
	for _, c := range []struct {
		pairs []string
		kind  error
	}{
		{[]string{"location", "missing"}, os.ErrNotExist},
		{[]string{"location", "missing"}, ErrExternalData},
		{[]string{"location", ""}, ErrExternalData},
		{[]string{"offset", "0"}, ErrExternalData},
		{[]string{"location", "w.bin", "offset", "-1"}, ErrExternalData},
		{[]string{"location", "w.bin", "offset", "one"}, ErrExternalData},
		{[]string{"location", "w.bin", "offset", "99999999999999999999"}, ErrExternalData},
		{[]string{"location", "w.bin", "offset", "9223372036854775807"}, ErrTruncated},
		{[]string{"location", "w.bin", "offset", "1"}, ErrTruncated},
		{[]string{"location", "w.bin", "length", "4"}, ErrTensor},
		{[]string{"location", "w.bin", "length", "-8"}, ErrExternalData},
		{[]string{"location", "w.bin", "length", "9223372036854775807"}, ErrTensor},
	} {
		if err := open(c.pairs...); !errors.Is(err, c.kind) {
			t.Errorf("%v gives %v, want %v", c.pairs, err, c.kind)
		}
	}
	m, err := Parse(marshal(t, externalModel("location", "w.bin")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Graph(); !errors.Is(err, ErrExternalData) || !strings.Contains(err.Error(), "WithExternalData") {
		t.Errorf("a model without a directory gives %v", err)
	}
}

func TestChecksums(t *testing.T) {
	fsys := fstest.MapFS{"w.bin": {Data: twoFloats}}
	good := fmt.Sprintf("%x", [20]byte{0xac, 0xf0, 0x0d})
	for _, c := range []struct {
		sum  string
		opts []Option
		ok   bool
	}{
		{good, nil, true}, // wrong, but nobody asked
		{good, []Option{WithChecksums()}, false},
		{sha1Hex(twoFloats), []Option{WithChecksums()}, true},
		{strings.ToUpper(sha1Hex(twoFloats)), []Option{WithChecksums()}, true},
	} {
		m, err := Parse(marshal(t, externalModel("location", "w.bin", "checksum", c.sum)), append(c.opts, WithExternalData(fsys))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Graph(); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrExternalData) {
			t.Errorf("%s: %v", c.sum, err)
		}
	}
	m, err := Parse(marshal(t, externalModel("location", "w.bin")), WithExternalData(fsys), WithLimits(Limits{MaxExternalBytes: 4}))
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := m.Graph(); !errors.As(err, &limit) || limit.What != "MaxExternalBytes" {
		t.Errorf("got %v, want MaxExternalBytes", err)
	}
}
