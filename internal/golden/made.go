package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gort"
	"gort/tensor"
)

// Some inputs are too large to keep. They are made anew as they were made for the
// answer: each element is the next number of a splitmix64 stream that begins at 1
// plus the FNV-1a hash of the input's name, u = (z>>40) / 2^24 scaled to a range.
// Ranges and symbolic dimensions are in models.json beside the directory of answers.

// recipe is how one model's inputs are made, as "NAME=VALUE,…"; "*" is any name.
type recipe struct {
	Dims  string `json:"dims"`
	Range string `json:"range"`
}

// madeUp makes the inputs of a model whose inputs are not kept.
func (s *Set) madeUp(model string, session *gort.Session) (map[string]tensor.Value, error) {
	r, err := s.recipe(model)
	if err != nil {
		return nil, err
	}
	dims, ranges := pairs(r.Dims), pairs(r.Range)
	out := map[string]tensor.Value{}
	for _, in := range session.Inputs() {
		if !in.Type.IsTensor() || in.Type.DType != tensor.Float32 {
			return nil, fmt.Errorf("input %q is %v; only float32 is made", in.Name, in.Type)
		}
		shape := tensor.Shape{}
		for _, d := range in.Type.Shape.Dims() {
			n, ok := d.Size()
			if !ok {
				if n, err = strconv.Atoi(pick(dims, d.Name(), "1")); err != nil {
					return nil, err
				}
			}
			shape = append(shape, n)
		}
		low, high, _ := strings.Cut(pick(ranges, in.Name, "0:1"), ":")
		from, err1 := strconv.ParseFloat(low, 64)
		to, err2 := strconv.ParseFloat(high, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("range %s:%s of %q is no pair of numbers", low, high, in.Name)
		}
		if out[in.Name], err = uniform(in.Name, shape, from, to); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Set) recipe(model string) (recipe, error) {
	file := filepath.Join(s.dir, "..", "models.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return recipe{}, err
	}
	var models []struct {
		Name  string   `json:"name"`
		Bench []recipe `json:"bench"`
	}
	if err := json.Unmarshal(data, &models); err != nil {
		return recipe{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, m := range models {
		if m.Name == model && len(m.Bench) > 0 {
			return m.Bench[0], nil
		}
	}
	return recipe{}, fmt.Errorf("no inputs are kept for %s, and %s does not say how to make them", model, file)
}

func pairs(s string) map[string]string {
	m := map[string]string{}
	for pair := range strings.SplitSeq(s, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			m[name] = value
		}
	}
	return m
}

func pick(m map[string]string, name, otherwise string) string {
	for _, key := range []string{name, "*"} {
		if v, ok := m[key]; ok {
			return v
		}
	}
	return otherwise
}

// uniform makes a tensor of pseudo-random numbers.
func uniform(name string, shape tensor.Shape, low, high float64) (tensor.Value, error) {
	t, err := tensor.New(tensor.Float32, shape...)
	if err != nil {
		return nil, err
	}
	state := uint64(14695981039346656037)
	for i := range len(name) {
		state = (state ^ uint64(name[i])) * 1099511628211
	}
	state++
	for i := range tensor.Elements[float32](t) {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		tensor.Elements[float32](t)[i] = float32(low + float64(z>>40)/(1<<24)*(high-low))
	}
	return t, nil
}
