package generation

import (
	"math"
	"slices"
	"testing"
)

func TestRules(t *testing.T) {
	const no = -math.MaxFloat32
	for _, c := range []struct {
		name     string
		rules    Rules
		sequence []int32
		step     int
		want     []float32
	}{
		{"repetition", Rules{Repetition: 2}, []int32{0, 1, 1}, 1, []float32{2, -4, 3}},
		{"no pair twice", Rules{Repetition: 1, NGram: 2}, []int32{0, 2, 0}, 1, []float32{4, -2, no}},
		{"mask", Rules{Repetition: 1, Mask: []int32{1, 0, 1}}, []int32{0}, 1, []float32{4, no, 3}},
		{"prefix mask", Rules{Repetition: 1, PrefixMask: []int32{0, 1, 1}, RowsPerMask: 1}, []int32{0}, 1, []float32{no, -2, 3}},
		{"prefix mask later", Rules{Repetition: 1, PrefixMask: []int32{0, 1, 1}, RowsPerMask: 1}, []int32{0}, 2, []float32{4, -2, 3}},
		{"least length", Rules{Repetition: 1, MinLength: 2, End: 2}, []int32{0}, 1, []float32{4, -2, no}},
	} {
		c.rules.Vocabulary = 3
		got := []float32{4, -2, 3}
		c.rules.Apply(got, [][]int32{c.sequence}, c.step)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
