package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// maxInputFile bounds what one compressed input may unpack to.
const maxInputFile = 4 << 30

// readNamed reads a file that names the inputs it has values for; nil when the
// file is of another kind.
func readNamed(file string, infos []gort.ValueInfo) (map[string]tensor.Value, error) {
	switch extension(file) {
	case ".npz":
		arrays, err := readNPZ(file)
		if err != nil {
			return nil, err
		}
		values := make(map[string]tensor.Value, len(arrays))
		for name, t := range arrays {
			values[name] = t
		}
		return values, nil
	case ".json":
		data, err := slurp(file)
		if err != nil {
			return nil, err
		}
		values, err := namedFromJSON(data, infos)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return values, nil
	}
	return nil, nil
}

func readNPZ(file string) (map[string]*tensor.Tensor, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	arrays, err := tensor.ReadNPZ(f, info.Size(), tensor.MaxBytes(maxInputFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return arrays, nil
}

// readFile reads one value of a declared type.
func readFile(file string, want graph.Type) (tensor.Value, error) {
	ext := extension(file)
	if ext == ".npz" {
		arrays, err := readNPZ(file)
		if err != nil {
			return nil, err
		}
		if len(arrays) != 1 {
			return nil, fmt.Errorf("%s holds %d arrays; give the file without a name to use all of them by theirs", file, len(arrays))
		}
		for _, t := range arrays {
			return t, nil
		}
	}
	read := map[string]func([]byte, graph.Type) (tensor.Value, error){
		".npy": valueFromNPY, ".pb": valueFromPB, ".json": valueFromJSON,
	}[ext]
	if read == nil {
		return nil, usagef("%s: files of this kind are not read; known are .npy, .npz, .pb, .json and images (%s)", file, strings.Join(imageExtensions(), " "))
	}
	data, err := slurp(file)
	if err != nil {
		return nil, err
	}
	v, err := read(data, want)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

func valueFromNPY(data []byte, _ graph.Type) (tensor.Value, error) {
	t, err := tensor.ReadNPY(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return t, nil
}

func valueFromPB(data []byte, want graph.Type) (tensor.Value, error) {
	v, err := tensor.ReadPB(data, want.WithoutShape())
	if err != nil && want.IsTensor() { // fit may convert another element type
		return tensor.ReadPB(data, tensor.Type{Kind: tensor.KindTensor})
	}
	return v, err
}

// slurp reads a file, unpacking .gz.
func slurp(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(strings.ToLower(file), ".gz") {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	data, err = io.ReadAll(io.LimitReader(z, maxInputFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
