package generation

import (
	"math"
	"sort"
)

// Nucleus keeps the likeliest tokens, whose probabilities sum up to TopP, and gives
// the others the score Filter.
type Nucleus struct {
	TopP, Filter float32
	// Keep is how many of the likeliest tokens stay whatever their probability.
	Keep int
	// Descending sums from the likeliest token on and always keeps that one; else the
	// sum starts at the least likely one and drops tokens while it is at most 1-TopP.
	Descending bool
}

// Apply changes one row of scores. Sums are taken in float32, as ONNX Runtime does,
// for they decide at which token the row is cut.
func (n Nucleus) Apply(row []float32) {
	order := make([]int, len(row))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		if n.Descending {
			return row[order[a]] > row[order[b]]
		}
		return row[order[a]] < row[order[b]]
	})
	sorted := make([]float32, len(row))
	for i, j := range order {
		sorted[i] = row[j]
	}
	LogSoftmax(sorted, len(sorted))
	sum := float32(0)
	for i, v := range sorted {
		sum += float32(math.Exp(float64(v)))
		switch {
		case n.Descending:
			if i+1 < len(row) && sum > n.TopP {
				row[order[i+1]] = n.Filter
			}
		case (i == 0 || i < len(row)-n.Keep) && sum <= 1-n.TopP:
			row[order[i]] = n.Filter
		}
	}
}

// Source is the stream of std::minstd_rand0, which is std::default_random_engine of
// GNU's library and thus of ONNX Runtime's builds for Linux: x ← 16807·x mod 2³¹-1.
type Source struct{ x uint64 }

const modulus = 1<<31 - 1

// NewSource starts the stream of a seed.
func NewSource(seed uint32) *Source {
	return &Source{max(uint64(seed)%modulus, 1)}
}

// Float64 returns a number in [0, 1) of two steps of the stream, as
// std::uniform_real_distribution<double> does.
func (s *Source) Float64() float64 {
	const span = float64(modulus - 1)
	sum, scale := 0.0, 1.0
	for range 2 {
		s.x = s.x * 16807 % modulus
		sum += float64(s.x-1) * scale
		scale *= span
	}
	if v := sum / scale; v < 1 {
		return v
	}
	return math.Nextafter(1, 0)
}

// Pick returns an index with the probability that softmax gives it.
func (s *Source) Pick(row []float32) int {
	top := math.Inf(-1)
	for _, v := range row {
		if f := float64(v); !math.IsInf(f, 0) && f > top {
			top = f
		}
	}
	sums, total := make([]float64, len(row)), 0.0
	for i, v := range row {
		if f := float64(v); !math.IsInf(f, 0) && !math.IsNaN(f) {
			total += math.Exp(f - top)
		}
		sums[i] = total
	}
	at := s.Float64() * total
	i := sort.Search(len(sums), func(i int) bool { return sums[i] > at })
	return min(i, len(row)-1)
}
