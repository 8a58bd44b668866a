package text

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func TestNormalizer(t *testing.T) {
	words := []string{"monday", "tuesday", "Monday", "ÄPFEL"}
	for _, c := range []struct {
		change    Case
		sensitive bool
		stop      []string
		want      []string
	}{
		{Keep, true, nil, words},
		{Keep, true, []string{"monday"}, []string{"tuesday", "Monday", "ÄPFEL"}},
		{Keep, false, []string{"MONDAY"}, []string{"tuesday", "ÄPFEL"}},
		{Lower, false, []string{"monday", "äpfel"}, []string{"tuesday"}},
		{Upper, true, []string{"monday"}, []string{"TUESDAY", "MONDAY", "ÄPFEL"}},
		{Lower, true, nil, []string{"monday", "tuesday", "monday", "äpfel"}},
		{Keep, false, []string{"monday", "tuesday", "äpfel"}, []string{""}},
	} {
		if got := NewNormalizer(c.change, c.sensitive, c.stop).Apply(words); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	if got := NewNormalizer(Keep, true, nil).Apply(nil); !slices.Equal(got, []string{""}) {
		t.Errorf("nothing: got %q", got)
	}
}

// As Python's str.split, but for white space behind a rest.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		s, delimiter string
		limit        int
		want         []string
	}{
		{"a.b.c", ".", -1, []string{"a", "b", "c"}},
		{"a..b", ".", -1, []string{"a", "", "b"}},
		{"a.b.c", ".", 1, []string{"a", "b.c"}},
		{"a.b.c", ".", 0, []string{"a.b.c"}},
		{"", ".", -1, []string{""}},
		{"  a \t b c  ", "", -1, []string{"a", "b", "c"}},
		{"  a \t b c  ", "", 1, []string{"a", "b c"}},
		{"  a b ", "", 0, []string{"a b"}},
		{"a b ", "", 5, []string{"a", "b"}},
		{"   ", "", 3, nil},
		{"", "", -1, nil},
		{"o-o", "-o", -1, []string{"o", ""}},
	} {
		if got := Split(c.s, c.delimiter, c.limit); len(got) != len(c.want) || !slices.Equal(got, c.want) && len(got) > 0 {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// The specification's own numbers: for [94, 17, 36, 12, 28], two skips give the
// 2-grams [94, 12] and [17, 28].
func TestVectorizer(t *testing.T) {
	row := func(v Vectorizer[int64], pool []int64, starts []int64, tokens ...int64) string {
		for _, p := range v.Places {
			v.Size = max(v.Size, int(p)+1)
		}
		v.Learn(pool, starts)
		out := make([]float32, v.Size)
		for i := range out {
			out[i] = -1
		}
		if err := v.Row(context.Background(), out, make([]int32, len(v.Places)), tokens); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out)
	}
	sentence := []int64{94, 17, 36, 12, 28}
	pairs := []int64{94, 17, 94, 36, 94, 12, 17, 28}
	at := []int64{0, 1, 2, 3}
	for skips, want := range []string{"[1 0 0 0]", "[1 1 0 0]", "[1 1 1 1]"} {
		v := Vectorizer[int64]{MinLength: 2, MaxLength: 2, MaxSkip: skips, Places: at}
		if got := row(v, pairs, []int64{0, 0}, sentence...); got != want {
			t.Errorf("%d skips: got %s, want %s", skips, got, want)
		}
	}
	// 1-grams 5 and 6, 2-gram 5 6; places swapped; single tokens count once for all skips.
	both := Vectorizer[int64]{MinLength: 1, MaxLength: 2, MaxSkip: 3, Places: []int64{2, 0, 1}}
	if got := row(both, []int64{5, 6, 5, 6}, []int64{0, 2}, 5, 6, 5); got != "[1 1 2]" {
		t.Errorf("1- and 2-grams: got %s", got)
	}
	// 1-grams are in the pool, but too short to count.
	long := Vectorizer[int64]{MinLength: 2, MaxLength: 2, Places: []int64{0, 1, 2}}
	if got := row(long, []int64{5, 6, 5, 6}, []int64{0, 2}, 5, 6, 5, 6); got != "[0 0 2]" {
		t.Errorf("2-grams only: got %s", got)
	}
	// Weights belong to n-grams, wherever in the output those count.
	for w, want := range map[Weighting]string{Counts: "[1 2]", Occurrence: "[0.25 0.5]", Weighted: "[0.25 1]"} {
		v := Vectorizer[int64]{MinLength: 1, MaxLength: 1, Weighting: w, Places: []int64{1, 0}, Weights: []float32{0.5, 0.25}}
		if got := row(v, []int64{7, 8}, []int64{0}, 7, 8, 7); got != want {
			t.Errorf("weighting %d: got %s, want %s", w, got, want)
		}
	}
	empty := Vectorizer[int64]{MinLength: 1, MaxLength: 3, MaxSkip: 1 << 30, Places: []int64{0}}
	if got := row(empty, []int64{7}, []int64{0}); got != "[0]" {
		t.Errorf("no tokens: got %s", got)
	}
}
