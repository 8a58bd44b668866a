package gort_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gort"
	"gort/internal/testdata"
	"gort/tensor"
)

// FuzzLoad loads whatever the fuzzer makes of small models and runs it on zeros.
// Any error is fine but a panic that was caught, and so is any result; memory and
// time stay bounded.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(f, "conformance"), "*.zip"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no zip files", err)
	}
	for _, p := range paths {
		addModels(f, p)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := gort.Load(bytes.NewReader(data), gort.WithThreads(1), gort.WithLimits(gort.Limits{MaxTensorBytes: 1 << 20, MaxMemory: 1 << 24, MaxNodes: 2000}))
		if err != nil {
			failOnPanic(t, err)
			return
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}()
		in := map[string]tensor.Value{}
		for _, v := range s.Inputs() {
			if v.Optional || !v.Type.IsTensor() || !v.Type.DType.Valid() {
				continue
			}
			var shape []int
			for _, d := range v.Type.Shape.Dims() {
				n, ok := d.Size()
				if !ok {
					n = 1
				}
				shape = append(shape, min(n, 1<<20))
			}
			if n, err := tensor.Shape(shape).NumElements(); err != nil || n > 1<<20 {
				return
			}
			x, err := tensor.New(v.Type.DType, append([]int{}, shape...)...)
			if err != nil {
				t.Fatal(err)
			}
			in[v.Name] = x
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		_, err = s.Run(ctx, in)
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("a run that was to end after a second took %v", took)
		}
		failOnPanic(t, err)
	})
}

// addModels adds the small models of a zip file to the corpus.
func addModels(f *testing.F, file string) {
	z, err := zip.OpenReader(file)
	if err != nil {
		f.Fatal(err)
	}
	defer z.Close()
	for i, e := range z.File {
		// One case in eight keeps the corpus small; together they have most operators.
		if !strings.HasSuffix(e.Name, ".onnx") || e.UncompressedSize64 > 2000 || i%8 != 0 {
			continue
		}
		r, err := e.Open()
		if err != nil {
			f.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

func failOnPanic(t *testing.T, err error) {
	t.Helper()
	var p *gort.PanicError
	if errors.As(err, &p) {
		t.Fatalf("%v\n%s", err, p.Stack)
	}
}
