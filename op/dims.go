package op

import (
	"math"
	"math/bits"

	"gort/graph"
)

// addSize and mulSize are sums and products of sizes; false when the result
// does not fit an int.
func addSize(a, b int) (int, bool) {
	if a > math.MaxInt-b {
		return 0, false
	}
	return a + b, true
}

func mulSize(a, b int) (int, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt {
		return 0, false
	}
	return int(lo), true
}

// sum adds dimensions: a lone symbol plus zero stays that symbol. It is unknown
// when it does not fit an int.
func sum(dims ...graph.Dim) graph.Dim {
	n, symbol, unknown := 0, graph.Dim{}, 0
	for _, d := range dims {
		s, ok := d.Size()
		if !ok {
			symbol = d
			unknown++
			continue
		}
		if n, ok = addSize(n, s); !ok {
			return graph.Dim{}
		}
	}
	switch {
	case unknown == 0:
		return graph.Known(n)
	case unknown == 1 && n == 0:
		return symbol
	}
	return graph.Dim{}
}

// product multiplies dimensions: a lone symbol times one stays that symbol. It
// is unknown when it does not fit an int.
func product(dims []graph.Dim) graph.Dim {
	n, symbol, unknown := 1, graph.Dim{}, 0
	fits := true
	for _, d := range dims {
		s, ok := d.Size()
		switch {
		case !ok:
			symbol = d
			unknown++
		case s == 0:
			return graph.Known(0)
		case fits:
			n, fits = mulSize(n, s)
		}
	}
	switch {
	case !fits:
		return graph.Dim{}
	case unknown == 0:
		return graph.Known(n)
	case unknown == 1 && n == 1:
		return symbol
	}
	return graph.Dim{}
}
