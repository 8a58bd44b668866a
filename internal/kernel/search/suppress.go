package search

import (
	"cmp"
	"context"
	"slices"

	"gort/internal/parallel"
)

// Suppression are the parameters of NonMaxSuppression.
type Suppression struct {
	// Centre tells that a box is [x centre, y centre, width, height], else it is
	// two opposite corners, [y1, x1, y2, x2].
	Centre    bool
	Most      int64 // boxes of one class at most
	Overlap   float32
	HasScore  bool // whether scores must exceed Score
	Score     float32
	NumBoxes  int
	NumClass  int
	NumBatchs int
}

// box is a rectangle by its corners.
type box struct{ x1, y1, x2, y2, area float32 }

func (p *Suppression) box(b []float32) box {
	var r box
	if p.Centre {
		w, h := b[2]/2, b[3]/2
		r = box{x1: b[0] - w, x2: b[0] + w, y1: b[1] - h, y2: b[1] + h}
	} else {
		r = box{x1: min(b[1], b[3]), x2: max(b[1], b[3]), y1: min(b[0], b[2]), y2: max(b[0], b[2])}
	}
	r.area = (r.x2 - r.x1) * (r.y2 - r.y1)
	return r
}

// overlaps reports whether the intersection of two boxes over their union
// exceeds a threshold.
func (a *box) overlaps(b *box, threshold float32) bool {
	w := min(a.x2, b.x2) - max(a.x1, b.x1)
	h := min(a.y2, b.y2) - max(a.y1, b.y1)
	if !(w > 0 && h > 0) || !(a.area > 0 && b.area > 0) {
		return false
	}
	both := w * h
	union := a.area + b.area - both
	return both > 0 && union > 0 && both/union > threshold
}

// Suppress chooses, for each batch and class, boxes in the order of falling
// scores, without those that overlap one already chosen too much. boxes is
// [batch, box, 4], scores [batch, class, box]. It returns triples of batch, class
// and box.
func Suppress(ctx context.Context, pool *parallel.Pool, boxes, scores []float32, p Suppression) ([]int64, error) {
	if p.Most <= 0 || p.NumBoxes == 0 {
		return nil, nil
	}
	chosen := make([][]int32, p.NumBatchs*p.NumClass)
	err := pool.For(ctx, len(chosen), max(1, 256/p.NumBoxes), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b := boxes[i/p.NumClass*p.NumBoxes*4:][:p.NumBoxes*4]
			chosen[i] = p.choose(b, scores[i*p.NumBoxes:][:p.NumBoxes])
		}
	})
	if err != nil {
		return nil, err
	}
	var out []int64
	for i, list := range chosen {
		for _, at := range list {
			out = append(out, int64(i/p.NumClass), int64(i%p.NumClass), int64(at))
		}
	}
	return out, nil
}

// choose returns the boxes chosen of one class.
func (p *Suppression) choose(boxes, scores []float32) []int32 {
	var order []int32
	for i, s := range scores {
		if !p.HasScore || s > p.Score {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(scores[b], scores[a]); c != 0 {
			return c
		}
		return int(a - b)
	})
	var chosen []int32
	var kept []box
next:
	for _, at := range order {
		if int64(len(chosen)) >= p.Most {
			break
		}
		b := p.box(boxes[4*at:][:4])
		for i := range kept {
			if b.overlaps(&kept[i], p.Overlap) {
				continue next
			}
		}
		chosen, kept = append(chosen, at), append(kept, b)
	}
	return chosen
}
