package mltree

import (
	"fmt"
	"math/rand"
	"testing"
)

// randomForest is an ensemble of complete trees with a vote for each target at
// every leaf.
func randomForest(rng *rand.Rand, trees, depth, features, targets int) *Source {
	src := &Source{Targets: targets}
	var grow func(d int) Child
	grow = func(d int) Child {
		if d == 0 {
			var votes []Vote
			for t := range targets {
				votes = append(votes, Vote{t, rng.NormFloat64()})
			}
			src.Leaves = append(src.Leaves, votes)
			return ^Child(len(src.Leaves) - 1)
		}
		i := len(src.Branches)
		src.Branches = append(src.Branches, Branch{})
		b := Branch{Feature: rng.Intn(features), Mode: LEQ, Split: float64(float32(rng.NormFloat64()))}
		b.Yes, b.No = grow(d-1), grow(d-1)
		src.Branches[i] = b
		return Child(i)
	}
	for range trees {
		src.Roots = append(src.Roots, grow(depth))
	}
	return src
}

func BenchmarkPredict(b *testing.B) {
	for _, targets := range []int{1, 10} {
		for _, rows := range []int{1, 64} {
			b.Run(fmt.Sprintf("%d targets/%d rows", targets, rows), func(b *testing.B) {
				rng := rand.New(rand.NewSource(1))
				f, err := New[float32](randomForest(rng, 100, 9, 64, targets))
				if err != nil {
					b.Fatal(err)
				}
				const pool = 64 // different rows, so that branches stay unpredictable
				x := make([]float32, pool*rows*64)
				for i := range x {
					x[i] = float32(rng.NormFloat64())
				}
				i := 0
				for b.Loop() {
					at := i % pool * rows * 64
					i++
					if err := f.Predict(b.Context(), nil, Sum, x[at:at+rows*64], rows, 64, func(int, []float32, []bool) {}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
