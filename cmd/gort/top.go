package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gort/tensor"
)

// topFlags ask for the best classes instead of all scores.
type topFlags struct {
	k       int
	softmax bool
	labels  string
}

func (f *topFlags) register(fs *flag.FlagSet) {
	fs.IntVar(&f.k, "top", 0, "show the `K` largest elements of each row of the outputs")
	fs.BoolVar(&f.softmax, "softmax", false, "with --top: turn scores into probabilities first")
	fs.StringVar(&f.labels, "labels", "", "with --top: `FILE` with the name of each class, one a line")
}

func (f *topFlags) check() error {
	if f.k < 0 {
		return usagef("--top is %d, must not be negative", f.k)
	}
	if f.k == 0 && (f.softmax || f.labels != "") {
		return usagef("--softmax and --labels are for --top K")
	}
	return nil
}

func (f *topFlags) readLabels() ([]string, error) {
	if f.labels == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.labels)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\r\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines, nil
}

// ranked is one element with its place in its row.
type ranked struct {
	Index int     `json:"index"`
	Label string  `json:"label,omitempty"`
	Score float64 `json:"score"`
}

// write shows the best elements of each numeric output.
func (f *topFlags) write(w io.Writer, outputs []namedValue, labels []string, asJSON bool) error {
	all := map[string][][]ranked{}
	for _, o := range outputs {
		rows, ok := topRows(o.value, f.k, f.softmax, labels)
		if !ok {
			continue
		}
		all[o.name] = rows
		if asJSON {
			continue
		}
		for i, row := range rows {
			title := o.name
			if len(rows) > 1 {
				title = fmt.Sprintf("%s, row %d", o.name, i)
			}
			fmt.Fprintln(w, title)
			for _, r := range row {
				fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %10.5g  %d %s", r.Score, r.Index, r.Label), " "))
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("--top: no output is a tensor of real numbers with rows")
	}
	if asJSON {
		return json.NewEncoder(w).Encode(all)
	}
	return nil
}

// topRows ranks each row, that is the elements along the last dimension. ok is
// false for values that have no rows of real numbers.
func topRows(v tensor.Value, k int, softmax bool, labels []string) (rows [][]ranked, ok bool) {
	t, ok := v.(*tensor.Tensor)
	if !ok || t.Rank() == 0 || t.Size() == 0 {
		return nil, false
	}
	switch t.DType().Class() {
	case tensor.ClassFloat, tensor.ClassInt, tensor.ClassUint:
	default:
		return nil, false
	}
	wide, err := tensor.Convert(t, tensor.Float64, tensor.ConvertOptions{})
	if err != nil {
		return nil, false
	}
	for row := range slices.Chunk(tensor.Elements[float64](wide), t.Shape()[t.Rank()-1]) {
		if softmax {
			applySoftmax(row)
		}
		rows = append(rows, topOf(row, k, labels))
	}
	return rows, true
}

func topOf(row []float64, k int, labels []string) []ranked {
	all := make([]ranked, len(row))
	for i, v := range row {
		all[i] = ranked{Index: i, Score: v}
		if i < len(labels) {
			all[i].Label = labels[i]
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch { // NaN last
		case a.Score > b.Score || b.Score != b.Score && a.Score == a.Score:
			return -1
		case a.Score < b.Score || a.Score != a.Score && b.Score == b.Score:
			return 1
		}
		return 0
	})
	return all[:min(k, len(all))]
}

// applySoftmax turns scores into probabilities: exp(x-max) / Σ exp(x-max).
func applySoftmax(row []float64) {
	most, sum := slices.Max(row), 0.0
	for i, v := range row {
		row[i] = math.Exp(v - most)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}
