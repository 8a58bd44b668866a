// Package golden compares models with answers that ONNX Runtime gave for them.
//
// A directory holds index.json and, for each model, a folder of its name with
// input_N.pb.gz and output_N.pb.gz: protobuf messages that carry the names of the
// model's inputs and outputs. In the place of a large output there is
// output_N.sample.json: its shape, mean, deviation, and some elements.
package golden

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gort"
	"gort/tensor"
)

// The tolerance of a comparison: |got-want| <= ATol + RTol*|want|.
const (
	RTol = 1e-3
	ATol = 1e-5
)

// Set is a directory of answers.
type Set struct {
	dir   string
	index map[string]entry
}

// entry is what index.json says of a model.
type entry struct {
	Input string   `json:"input"`
	Shows string   `json:"shows"`
	Moves []string `json:"moves"`
}

// Load reads a directory's index.
func Load(dir string) (*Set, error) {
	data, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return nil, err
	}
	s := &Set{dir: dir}
	if err := json.Unmarshal(data, &s.index); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "index.json"), err)
	}
	return s, nil
}

// Has reports whether there are answers for a model.
func (s *Set) Has(model string) bool {
	info, err := os.Stat(filepath.Join(s.dir, model))
	return err == nil && info.IsDir()
}

// Outcome says how a model was compared.
type Outcome struct {
	Outputs int
	// Widened tells, for each output whose tolerance had to be widened, by how
	// far ONNX Runtime itself moves it.
	Widened []string
}

// Check runs a model on the inputs of its folder and compares the outputs. The
// error says which output differs and how.
func (s *Set) Check(ctx context.Context, model string, session *gort.Session) (Outcome, error) {
	in, err := s.inputs(model, session)
	if err != nil {
		return Outcome{}, err
	}
	got, err := session.Run(ctx, in)
	if err != nil {
		return Outcome{}, err
	}
	var o Outcome
	var errs []error
	for i, info := range session.Outputs() {
		want, name, err := s.output(model, i, info)
		if err != nil {
			return o, err
		}
		t := s.tolerance(model, i)
		if t.why != "" {
			o.Widened = append(o.Widened, fmt.Sprintf("output %q: %s", name, t.why))
		}
		v, ok := got[name]
		if !ok {
			errs = append(errs, fmt.Errorf("the model has no output %q", name))
			continue
		}
		o.Outputs++
		if err := want.compare(v, t); err != nil {
			errs = append(errs, fmt.Errorf("output %q: %w", name, err))
		}
	}
	return o, errors.Join(errs...)
}

// answer is an expected output, whole or sampled.
type answer interface {
	compare(got tensor.Value, t tolerance) error
}

// whole is an answer of which every element is known.
type whole struct{ tensor.Value }

func (w whole) compare(got tensor.Value, t tolerance) error {
	return tensor.Compare(got, w.Value, t.RTol, t.ATol)
}

// output reads the expected output i and its name, which is the model's own where
// the file has none.
func (s *Set) output(model string, i int, info gort.ValueInfo) (answer, string, error) {
	base := filepath.Join(s.dir, model, "output_"+strconv.Itoa(i))
	data, err := os.ReadFile(base + ".sample.json")
	switch {
	case err == nil:
		a, err := parseSample(data)
		if err != nil {
			return nil, "", fmt.Errorf("%s.sample.json: %w", base, err)
		}
		return a, info.Name, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, "", err
	}
	if data, err = readGzip(base + ".pb.gz"); err != nil {
		return nil, "", err
	}
	v, err := tensor.ReadPB(data, info.Type.WithoutShape())
	if err != nil {
		return nil, "", fmt.Errorf("%s.pb.gz: %w", base, err)
	}
	name := tensor.PBName(data, info.Type.Kind)
	if name == "" {
		name = info.Name
	}
	return whole{v}, name, nil
}

// tolerance is how far an output may be off, and why that is more than RTol and ATol.
type tolerance struct {
	RTol, ATol float64
	why        string
}

// tolerance returns the tolerance of a model's output: RTol and ATol, unless ONNX
// Runtime's own answers at two optimisation levels are further apart than that.
func (s *Set) tolerance(model string, output int) tolerance {
	t := tolerance{RTol: RTol, ATol: ATol}
	if moves := s.index[model].Moves; output < len(moves) {
		abs, rel := parseMove(moves[output])
		if abs > t.ATol && rel > t.RTol {
			t.ATol = abs
			t.why = fmt.Sprintf("absolute tolerance %.3g, as far as ONNX Runtime moves it between its own optimisation levels", abs)
		}
	}
	return t
}

// parseMove reads "float32 1x10 max_abs 6e-08 max_rel 1e-06"; other texts, such
// as "strings equal: true", say that nothing moves.
func parseMove(s string) (abs, rel float64) {
	fields := strings.Fields(s)
	for i := 0; i+1 < len(fields); i++ {
		v, err := strconv.ParseFloat(fields[i+1], 64)
		if err != nil {
			continue
		}
		switch fields[i] {
		case "max_abs":
			abs = v
		case "max_rel":
			rel = v
		}
	}
	return abs, rel
}
