package tokens

import (
	"context"
	"math"
	"slices"
)

// Moves of a path into an element, from before it.
const (
	diagonal = iota
	down
	right
)

// Warp finds the cheapest path through a matrix of costs from the first to the last
// element, by steps of one row, one column or both (dynamic time warping), and returns
// its rows and columns. Where two moves cost the same, the move along the row is taken,
// which is no cheapest one when the other two are cheaper: ONNX Runtime, and Whisper
// before it, take it so.
func Warp(ctx context.Context, costs []float32, rows, columns int) (i, j []int32, err error) {
	inf := float32(math.Inf(1))
	// Sums of costs are kept for two columns; how each element is reached for all.
	before, now := make([]float32, rows+1), make([]float32, rows+1)
	moves := make([]uint8, rows*columns)
	for r := range before {
		before[r] = inf
	}
	before[0] = 0
	for c := range columns {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		now[0] = inf
		for r := range rows {
			cost, move := before[r+1], uint8(right)
			switch a, b := before[r], now[r]; {
			case a < b && a < cost:
				cost, move = a, diagonal
			case b < a && b < cost:
				cost, move = b, down
			}
			now[r+1] = cost + costs[r*columns+c]
			moves[r*columns+c] = move
		}
		before, now = now, before
	}
	for r, c := rows-1, columns-1; r >= 0 && c >= 0; {
		i, j = append(i, int32(r)), append(j, int32(c))
		switch moves[r*columns+c] {
		case diagonal:
			r, c = r-1, c-1
		case down:
			r--
		default:
			c--
		}
	}
	slices.Reverse(i)
	slices.Reverse(j)
	return i, j, nil
}
