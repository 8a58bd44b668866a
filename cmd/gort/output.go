package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gort/tensor"
)

// shownElements is how many elements of a tensor are printed without --full.
const shownElements = 60

// outputFlags say what becomes of a model's outputs.
type outputFlags struct {
	dir  string
	json bool
	full bool
	top  topFlags
}

func (f *outputFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.dir, "output", "", "write each output to `DIR`/NAME.npy instead of showing it")
	fs.BoolVar(&f.json, "json", false, "print one JSON object of all outputs")
	fs.BoolVar(&f.full, "full", false, "show every element")
	f.top.register(fs)
}

func (f *outputFlags) check() error { return f.top.check() }

func (f *outputFlags) write(std *streams, outputs []namedValue) error {
	if f.dir != "" {
		if err := writeFiles(std.err, f.dir, outputs); err != nil {
			return err
		}
	}
	labels, err := f.top.readLabels()
	if err != nil {
		return err
	}
	switch {
	case f.top.k > 0:
		return f.top.write(std.out, outputs, labels, f.json)
	case f.json:
		return writeJSON(std.out, outputs)
	case f.dir != "":
		return nil
	}
	limit := shownElements
	if f.full {
		limit = -1
	}
	for _, o := range outputs {
		if _, err := fmt.Fprintf(std.out, "%s: ", o.name); err != nil {
			return err
		}
		if err := tensor.Format(std.out, o.value, limit); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON prints an object of the outputs in the model's order.
func writeJSON(w io.Writer, outputs []namedValue) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, o := range outputs {
		name, err := json.Marshal(o.name)
		if err != nil {
			return err
		}
		value, err := json.Marshal(tensor.ToJSON(o.value))
		if err != nil {
			return fmt.Errorf("output %q: %w", o.name, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", name, value)
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// writeFiles writes tensors as .npy, other values as .json, and says what it did.
func writeFiles(notes io.Writer, dir string, outputs []namedValue) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	used := map[string]bool{}
	for _, o := range outputs {
		base := fileName(o.name)
		for used[strings.ToLower(base)] {
			base += "_"
		}
		used[strings.ToLower(base)] = true
		file, data, err := encode(base, o.value)
		if err != nil {
			return fmt.Errorf("output %q: %w", o.name, err)
		}
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(notes, "output %q: %v in %s\n", o.name, o.value, path)
	}
	return nil
}

// encode returns the file for a value. Types that NumPy lacks are widened to
// float32, int8 or uint8, which hold all their elements.
func encode(base string, v tensor.Value) (file string, data []byte, err error) {
	t, ok := v.(*tensor.Tensor)
	if !ok {
		data, err = json.Marshal(tensor.ToJSON(v))
		return base + ".json", data, err
	}
	var b bytes.Buffer
	if err := tensor.WriteNPY(&b, t); err == nil {
		return base + ".npy", b.Bytes(), nil
	}
	to := map[tensor.Class]tensor.DType{tensor.ClassFloat: tensor.Float32, tensor.ClassInt: tensor.Int8, tensor.ClassUint: tensor.Uint8}[t.DType().Class()]
	if to == tensor.Undefined || to == t.DType() {
		data, err = json.Marshal(tensor.ToJSON(v)) // strings that are no characters
		return base + ".json", data, err
	}
	wide, err := tensor.Convert(t, to, tensor.ConvertOptions{})
	if err != nil {
		return "", nil, err
	}
	b.Reset()
	err = tensor.WriteNPY(&b, wide)
	return base + ".npy", b.Bytes(), err
}

// fileName replaces what no file's name should have, such as "/" and ":".
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if name = strings.Trim(name, ". "); name == "" {
		return "output"
	}
	return name
}
