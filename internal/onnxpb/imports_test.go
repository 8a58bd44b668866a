package onnxpb_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestImporters keeps the messages out of the packages that should see graphs and tensors.
func TestImporters(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		if dir := path.Dir(name); dir == "onnx" || dir == "tensor" || dir == "internal/onnxpb" {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return nil // the compiler says it better
		}
		for _, i := range f.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); p == "gort/internal/onnxpb" {
				t.Errorf("%s imports gort/internal/onnxpb, which is for onnx and tensor only", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
