package tensor

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ReadNPZ reads the arrays of a NumPy .npz file, a zip archive of .npy files,
// stored or deflated, by their names without ".npy". A MaxBytes limit holds for
// all arrays together. Errors are as in ReadNPY, with the entry's name.
func ReadNPZ(r io.ReaderAt, size int64, limits ...Limit) (map[string]*Tensor, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{Format: "npz", Offset: -1, Reason: "not a zip archive", Err: err}
	}
	left := maxBytes(limits)
	arrays := make(map[string]*Tensor)
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, &FormatError{Format: "npz", Offset: -1, Reason: fmt.Sprintf("entry %q is not a .npy file", f.Name)}
		}
		if arrays[name] != nil {
			return nil, &FormatError{Format: "npz", Offset: -1, Reason: fmt.Sprintf("entry %q appears twice", f.Name)}
		}
		t, used, err := readNPZEntry(f, left)
		if err != nil {
			return nil, &FormatError{Format: "npz", Offset: -1, Reason: fmt.Sprintf("entry %q", f.Name), Err: err}
		}
		arrays[name] = t
		left -= used
	}
	return arrays, nil
}

func readNPZEntry(f *zip.File, limit int64) (*Tensor, int64, error) {
	r, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	t, used, err := readNPY(r, limit)
	if err != nil {
		return nil, 0, err
	}
	// The archive's checksum is compared when its reader meets the end.
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); {
	case err == nil:
		return nil, 0, errors.New("something follows the array")
	case !errors.Is(err, io.EOF):
		return nil, 0, err
	}
	return t, used, nil
}

// WriteNPZ writes tensors as a NumPy .npz file, uncompressed, in the order of their
// names, the same bytes each time. See WriteNPY for the types NumPy has.
func WriteNPZ(w io.Writer, arrays map[string]*Tensor) error {
	archive := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		f, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := WriteNPY(f, arrays[name]); err != nil {
			return fmt.Errorf("tensor: array %q: %w", name, err)
		}
	}
	return archive.Close()
}
