package golden

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gort"
	"gort/tensor"
)

// inputs reads a model's inputs by the names that the files carry, or makes them
// where none are kept.
func (s *Set) inputs(model string, session *gort.Session) (map[string]tensor.Value, error) {
	files, err := filepath.Glob(filepath.Join(s.dir, model, "input_*.pb.gz"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 && len(session.Inputs()) > 0 {
		return s.madeUp(model, session)
	}
	out := map[string]tensor.Value{}
	for _, file := range files {
		data, err := readGzip(file)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(session.Inputs(), func(v gort.ValueInfo) bool { return tensor.PBName(data, v.Type.Kind) == v.Name })
		if i < 0 {
			return nil, fmt.Errorf("%s: holds %q, which is not an input of the model", file, tensor.PBName(data, tensor.KindTensor))
		}
		info := session.Inputs()[i]
		v, err := tensor.ReadPB(data, info.Type.WithoutShape())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[info.Name] = v
	}
	return out, nil
}

func readGzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}
