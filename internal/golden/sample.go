package golden

import (
	"encoding/json"
	"fmt"
	"math"

	"gort/tensor"
)

// sample is an answer too large to keep: some elements by their place in
// row-major order, and what describes all of them.
type sample struct {
	Type  string       `json:"type"`
	Shape tensor.Shape `json:"shape"`
	Mean  float64      `json:"mean"`
	Std   float64      `json:"std"`
	Index []int        `json:"index"`
	Value []float64    `json:"value"`
}

func parseSample(data []byte) (*sample, error) {
	s := new(sample)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, err
	}
	if len(s.Index) != len(s.Value) || len(s.Index) == 0 {
		return nil, fmt.Errorf("%d places for %d elements", len(s.Index), len(s.Value))
	}
	n, err := s.Shape.NumElements()
	if err != nil {
		return nil, err
	}
	for _, i := range s.Index {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("place %d in a tensor of %d elements", i, n)
		}
	}
	return s, nil
}

// compare looks at the sampled elements within the tolerance, and at mean and
// deviation within the same, relative to the elements' own size and spread.
func (s *sample) compare(v tensor.Value, t tolerance) error {
	got, ok := v.(*tensor.Tensor)
	if !ok || got.DType().String() != s.Type || !got.Shape().Equal(s.Shape) {
		return fmt.Errorf("is %v, want %s %v", v, s.Type, s.Shape)
	}
	wide, err := tensor.Convert(got, tensor.Float64, tensor.ConvertOptions{})
	if err != nil {
		return err
	}
	all := tensor.Elements[float64](wide)
	wrong, first := 0, -1
	for i, at := range s.Index {
		if !near(all[at], s.Value[i], t.ATol+t.RTol*math.Abs(s.Value[i])) {
			if wrong++; first < 0 {
				first = i
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d sampled elements differ, the first at %d: got %v, want %v", wrong, len(s.Index), s.Index[first], all[s.Index[first]], s.Value[first])
	}
	mean, std := moments(all)
	within := t.ATol + t.RTol*(math.Abs(s.Mean)+s.Std)
	if !near(mean, s.Mean, within) || !near(std, s.Std, within) {
		return fmt.Errorf("the sampled elements agree, but mean and deviation are %v and %v, want %v and %v", mean, std, s.Mean, s.Std)
	}
	return nil
}

func near(got, want, within float64) bool {
	return math.Abs(got-want) <= within || got == want || got != got && want != want
}

// moments returns the mean and the standard deviation.
func moments(v []float64) (mean, std float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		std += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(std / float64(len(v)))
}
