package onnx

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
	"gort/internal/testdata"
	"gort/tensor"
)

// eachConformanceModel runs f for every model of ONNX's own suite.
func eachConformanceModel(t *testing.T, f func(t *testing.T, fsys fs.FS, name string)) {
	zips, err := filepath.Glob(filepath.Join(testdata.Dir(t, "conformance"), "*.zip"))
	if err != nil || len(zips) == 0 {
		t.Fatalf("no zip files: %v", err)
	}
	for _, file := range zips {
		z, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { z.Close() })
		for _, entry := range z.File {
			if strings.HasSuffix(entry.Name, ".onnx") {
				t.Run(strings.TrimSuffix(entry.Name, ".onnx"), func(t *testing.T) { f(t, z, entry.Name) })
			}
		}
	}
}

func TestConformanceModelsLoad(t *testing.T) {
	n := 0
	eachConformanceModel(t, func(t *testing.T, fsys fs.FS, name string) {
		n++
		m, err := OpenFS(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Graph()
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		// Another decoder of the same bytes must see the same message.
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		plain := new(onnxpb.ModelProto)
		if err := proto.Unmarshal(data, plain); err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(plain, m.proto) {
			t.Error("the aliasing decoder and the plain one disagree")
		}
		checkTestData(t, fsys, path.Dir(name), m)
	})
	if n < 1900 {
		t.Errorf("%d models, expected about 1,960", n)
	}
}

// TestConformanceModelsRoundTrip writes every model as it was read, and as its
// graph says, and compares what comes back.
func TestConformanceModelsRoundTrip(t *testing.T) {
	eachConformanceModel(t, func(t *testing.T, fsys fs.FS, name string) {
		m, err := OpenFS(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		if again := rewrite(t, m); !proto.Equal(m.proto, again.proto) {
			t.Error("the written message differs from the one read")
		}
		g, err := m.Graph()
		if err != nil {
			t.Fatal(err)
		}
		made, err := FromGraph(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := rewrite(t, made).Graph()
		if err != nil {
			t.Fatal(err)
		}
		if err := back.Validate(); err != nil {
			t.Fatal(err)
		}
		if want, got := dumpModel(g), dumpModel(back); got != want {
			t.Errorf("the graph changed on its way through a file:\n%s", firstDifference(want, got))
		}
		clone := g.Clone()
		if err := clone.Validate(); err != nil {
			t.Fatal(err)
		}
		if dumpModel(clone) != dumpModel(g) {
			t.Error("the clone differs")
		}
	})
}

// checkTestData reads the values that come with a model by their declared types,
// and writes them again.
func checkTestData(t *testing.T, fsys fs.FS, dir string, m *Model) {
	check := func(pattern string, infos []*onnxpb.ValueInfoProto) {
		files, err := fs.Glob(fsys, dir+"/test_data_set_*/"+pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b := &builder{model: m}
			i := 0
			for _, c := range strings.TrimSuffix(f[strings.LastIndex(f, "_")+1:], ".pb") {
				i = i*10 + int(c-'0')
			}
			want, err := b.typeOf(infos[i], "test")
			if err != nil {
				t.Fatal(err)
			}
			data, err := fs.ReadFile(fsys, f)
			if err != nil {
				t.Fatal(err)
			}
			v, err := tensor.ReadPB(data, want.WithoutShape())
			if err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			again, err := tensor.WritePB(v)
			if err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			back, err := tensor.ReadPB(again, want.WithoutShape())
			if err != nil {
				t.Errorf("%s: %v", f, err)
				continue
			}
			twice, err := tensor.WritePB(back)
			if err != nil || !bytes.Equal(again, twice) || v.String() != back.String() {
				t.Errorf("%s: %v became %v (%v)", f, v, back, err)
			}
		}
	}
	check("input_*.pb", m.proto.Graph.Input)
	check("output_*.pb", m.proto.Graph.Output)
}
