package mltree

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gort/internal/kernel/ml"
	"gort/internal/parallel"
)

// compare is a branch's test by the words of the specification.
func compare(b *Branch, v float64) bool {
	if v != v && b.Missing {
		return true
	}
	switch b.Mode {
	case LEQ:
		return v <= b.Split
	case LT:
		return v < b.Split
	case GTE:
		return v >= b.Split
	case GT:
		return v > b.Split
	case EQ:
		return v == b.Split
	case NEQ:
		return v != b.Split
	}
	return slices.Contains(b.Members, v)
}

func (s *Source) leaf(at Child, x []float64) []Vote {
	for at >= 0 {
		b := &s.Branches[at]
		if at = b.No; compare(b, x[b.Feature]) {
			at = b.Yes
		}
	}
	return s.Leaves[^at]
}

// randomSource has trees of uneven depth, with whole numbers for splits so that
// inputs meet them exactly.
func randomSource(rng *rand.Rand, trees, targets int, modes []Mode, missing bool) *Source {
	src := &Source{Targets: targets}
	var grow func(d int) Child
	grow = func(d int) Child {
		if d == 0 || rng.Intn(6) == 0 {
			var votes []Vote
			for range rng.Intn(targets + 1) {
				votes = append(votes, Vote{rng.Intn(targets), float64(rng.Intn(19) - 9)})
			}
			src.Leaves = append(src.Leaves, votes)
			return ^Child(len(src.Leaves) - 1)
		}
		i := len(src.Branches)
		src.Branches = append(src.Branches, Branch{})
		b := Branch{Feature: rng.Intn(4), Mode: modes[rng.Intn(len(modes))], Split: float64(rng.Intn(7) - 3), Missing: missing && rng.Intn(2) == 0}
		if rng.Intn(20) == 0 {
			b.Split = math.NaN()
		}
		for range rng.Intn(4) {
			b.Members = append(b.Members, float64(rng.Intn(7)-3))
		}
		b.Yes, b.No = grow(d-1), grow(d-1)
		src.Branches[i] = b
		return Child(i)
	}
	for range trees {
		src.Roots = append(src.Roots, grow(rng.Intn(6)))
	}
	return src
}

func TestPredict(t *testing.T) {
	pool := parallel.New(2)
	defer pool.Close()
	rng := rand.New(rand.NewSource(1))
	const features = 4
	for trial := range 120 {
		modes := [][]Mode{{LEQ}, {LT}, {GTE}, {GT}, {EQ}, {NEQ}, {Member}, {LEQ, LT, GTE, GT, EQ, NEQ, Member}}[trial%8]
		targets := 1 + rng.Intn(3)
		src := randomSource(rng, 1+rng.Intn(9), targets, modes, rng.Intn(2) == 0)
		f, err := New[float32](src)
		if err != nil {
			t.Fatal(err)
		}
		rows := rng.Intn(70)
		x, wide := make([]float32, rows*features), make([]float64, rows*features)
		for i := range x {
			wide[i] = float64(rng.Intn(9) - 4)
			if rng.Intn(8) == 0 {
				wide[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}[rng.Intn(4)]
			}
			x[i] = float32(wide[i])
		}
		for a := Average; a <= Max; a++ {
			got := make([]float32, rows*targets)
			if err := f.Predict(t.Context(), pool, a, x, rows, features, func(row int, scores []float32, _ []bool) { copy(got[row*targets:], scores) }); err != nil {
				t.Fatal(err)
			}
			for r := range rows {
				want, voted := make([]float64, targets), make([]bool, targets)
				for _, root := range src.Roots {
					for _, v := range src.leaf(root, wide[r*features:]) {
						w := &want[v.Target]
						switch {
						case a == Sum || a == Average:
							*w += v.Weight
						case !voted[v.Target]:
							*w = v.Weight
						case a == Min:
							*w = min(*w, v.Weight)
						default:
							*w = max(*w, v.Weight)
						}
						voted[v.Target] = true
					}
				}
				for i, w := range want {
					if a == Average {
						w = float64(float32(w) / float32(len(src.Roots)))
					}
					if float64(got[r*targets+i]) != w {
						t.Fatalf("trial %d, modes %v, aggregate %d, row %v: target %d is %v, want %v", trial, modes, a, wide[r*features:(r+1)*features], i, got[r*targets+i], w)
					}
				}
			}
		}
	}
}

func TestMalformedTrees(t *testing.T) {
	leaf := [][]Vote{{{0, 1}}}
	for _, c := range []struct {
		want string
		src  Source
	}{
		{"reached twice", Source{Branches: []Branch{{Yes: 0, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1}},
		{"reached twice", Source{Branches: []Branch{{Yes: 1, No: 1}, {Yes: ^0, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1}},
		{"node 7 does not exist", Source{Branches: []Branch{{Yes: 7, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1}},
		{"leaf 3 does not exist", Source{Branches: []Branch{{Yes: ^3, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1}},
		{"target 2", Source{Leaves: [][]Vote{{{2, 1}}}, Roots: []Child{^0}, Targets: 2}},
		{"feature -1", Source{Branches: []Branch{{Feature: -1, Yes: ^0, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1}},
		{"needs at least one", Source{Leaves: leaf, Roots: []Child{^0}}},
	} {
		if _, err := New[float32](&c.src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
	f, err := New[float32](&Source{Branches: []Branch{{Feature: 5, Yes: ^0, No: ^0}}, Leaves: leaf, Roots: []Child{0}, Targets: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Predict(t.Context(), nil, Sum, make([]float32, 10), 2, 5, nil); err == nil || !strings.Contains(err.Error(), "feature 5") {
		t.Errorf("too few features: %v", err)
	}
}

// A chain of many nodes is no reason to run out of stack.
func TestDeepTree(t *testing.T) {
	const n = 1 << 17
	src := &Source{Leaves: [][]Vote{{{0, 1}}, {{0, 2}}}, Roots: []Child{0}, Targets: 1}
	for i := range n {
		b := Branch{Split: float64(n - i), Yes: Child(i + 1), No: ^0}
		if i == n-1 {
			b.Yes = ^1
		}
		src.Branches = append(src.Branches, b)
	}
	f, err := New[float64](src)
	if err != nil {
		t.Fatal(err)
	}
	var got float64
	if err := f.Predict(t.Context(), nil, Sum, []float64{0}, 1, 1, func(_ int, s []float64, _ []bool) { got = s[0] }); err != nil || got != 2 {
		t.Errorf("got %v, %v; want 2", got, err)
	}
}

// What ONNX Runtime 1.30 answers for one row's votes. Leaves of the ensembles hold
// the votes of their row, so that every case is a single tree without branches.
func TestClassifier(t *testing.T) {
	const (
		s2  = 0.8807970779778823 // logistic(2)
		s05 = 0.6224593312018546 // logistic(0.5)
	)
	for _, c := range []struct {
		name      string
		classes   int
		votes     []Vote
		base      []float64
		transform ml.Transform
		class     int
		scores    []float64
	}{
		{"one class, yes", 1, []Vote{{0, 0.25}}, nil, ml.None, 1, []float64{0.25}},
		{"one class, no, transform does nothing", 1, []Vote{{0, -0.25}}, nil, ml.Logistic, 0, []float64{-0.25}},
		{"probability of the positive class", 2, []Vote{{0, 0.75}}, nil, ml.None, 1, []float64{0.25, 0.75}},
		{"probability of the negative class", 2, []Vote{{0, 0.5}}, nil, ml.None, 0, []float64{0.5, 0.5}},
		{"probability plus base", 2, []Vote{{0, 0.25}}, []float64{0.5}, ml.None, 1, []float64{0.25, 0.75}},
		{"probability, logistic", 2, []Vote{{0, 2}}, nil, ml.Logistic, 1, []float64{1 - s2, s2}},
		{"probability, softmax does nothing", 2, []Vote{{0, 0.75}}, nil, ml.Softmax, 1, []float64{0.25, 0.75}},
		{"margin, positive", 2, []Vote{{0, 3}, {0, -1}}, nil, ml.None, 1, []float64{-2, 2}},
		{"margin, negative", 2, []Vote{{0, -2}}, nil, ml.None, 0, []float64{2, -2}},
		{"margin, logistic", 2, []Vote{{0, -2}}, nil, ml.Logistic, 0, []float64{s2, 1 - s2}},
		{"only the second class votes", 2, []Vote{{1, 0.75}}, nil, ml.None, 1, []float64{0, 0.75}},
		{"only the second class votes, logistic", 2, []Vote{{1, 0.5}}, nil, ml.Logistic, 0, []float64{0.5, s05}},
		{"both vote", 2, []Vote{{0, 0.75}, {1, 0.25}}, nil, ml.None, 0, []float64{0.75, 0.25}},
		{"three classes", 3, []Vote{{0, -3}, {2, -1}}, nil, ml.None, 2, []float64{-3, 0, -1}},
		{"three classes, first of equals", 3, []Vote{{0, 1}, {1, 2}, {2, 2}}, nil, ml.None, 1, []float64{1, 2, 2}},
		{"three classes with base", 3, []Vote{{0, 1}}, []float64{1, 3, 0}, ml.None, 1, []float64{2, 3, 0}},
		{"three classes, softmax", 3, []Vote{{0, math.Log(2)}, {1, 0}, {2, 0}}, nil, ml.Softmax, 0, []float64{0.5, 0.25, 0.25}},
	} {
		src := &Source{Leaves: [][]Vote{c.votes}, Roots: []Child{^0}, Targets: c.classes}
		f, err := New[float64](src)
		if err != nil {
			t.Fatal(err)
		}
		k := NewClassifier(src, c.base, c.transform)
		class, out := 0, make([]float64, c.classes)
		if err := f.Predict(t.Context(), nil, Sum, nil, 1, 0, func(_ int, s []float64, v []bool) { class = k.Finish(s, v, out) }); err != nil {
			t.Fatal(err)
		}
		bad := class != c.class
		for i := range out {
			bad = bad || math.Abs(out[i]-c.scores[i]) > 1e-12
		}
		if bad {
			t.Errorf("%s: class %d with %v, want %d with %v", c.name, class, fmt.Sprint(out), c.class, c.scores)
		}
	}
}
