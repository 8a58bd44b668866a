package attention

import (
	"context"
	"sync"
	"sync/atomic"

	"gort/internal/kernel/matmul"
	"gort/internal/parallel"
)

// Float lists the element types.
type Float interface{ float32 | float64 }

// Capture says what the fourth output of the Attention operator holds
// (qk_matmul_output_mode).
type Capture int

// Values of qk_matmul_output_mode.
const (
	CaptureScores  Capture = iota // scale*Q*K^T
	CaptureCapped                 // after softcap
	CaptureBiased                 // and after the masks
	CaptureWeights                // after softmax
)

// Config is what the attributes say.
type Config struct {
	Scale       float64 // 0 means 1/sqrt(head size)
	Softcap     float64 // 0 means none
	Causal      bool
	Left, Right int // window around the query's position, -1 means unbounded
	Capture     Capture
}

// Heads is a [batch, heads, rows, size] operand in any order of dimensions: the
// strides of batch, head and row; sizes are contiguous.
type Heads[T Float] struct {
	Data             []T
	Batch, Head, Row int
}

func (h *Heads[T]) at(b, head int) []T { return h.Data[b*h.Batch+head*h.Head:] }

// Call is one attention.
type Call[T Float] struct {
	Batch, QHeads, KVHeads int
	Q, Total               int // rows of queries and of keys, cached ones included
	Past                   int // of these, keys from the cache
	Size, VSize            int // of a head of keys and of values
	Query, Key, Value, Y   Heads[T]
	Mask                   *Mask[T]
	Valid                  []int64 // keys in use for each batch, nil means all
	First                  []int64 // the place among the keys of each batch's first query, nil: it follows from Past and Valid
	Sink                   []T     // for each head a score that takes part in softmax and has no value, nil means none
	Scores                 []T     // [batch, heads, Q, Total] of Config.Capture, nil when not asked for
}

// Attention computes attention for one element type.
type Attention[T Float] struct {
	Config
	multiply matmul.Multiply[T]
	scratch  sync.Pool // *[]T
}

// New returns an Attention.
func New[T Float](c Config) *Attention[T] {
	a := &Attention[T]{Config: c, scratch: sync.Pool{New: func() any { return new([]T) }}}
	switch m := any(&a.multiply).(type) {
	case *matmul.Multiply[float32]:
		*m = matmul.MultiplyOf[float32]()
	case *matmul.Multiply[float64]:
		*m = matmul.MultiplyOf[float64]()
	}
	return a
}

const (
	// blockRows bounds the query rows of a block.
	blockRows = 64
	// chunkWork is the least number of multiplications a thread is woken for.
	chunkWork = 32 << 10
)

// Run computes the call.
func (a *Attention[T]) Run(ctx context.Context, p *parallel.Pool, c *Call[T]) error {
	rows := min(max(c.Q, 1), blockRows)
	blocks := (c.Q + rows - 1) / rows
	work := float64(rows) * float64(max(c.Total, 1)) * float64(max(c.Size+c.VSize, 1))
	var first atomic.Pointer[error]
	err := p.For(ctx, c.Batch*c.QHeads*blocks, max(1, int(chunkWork/work)), func(lo, hi int) {
		buf := a.scratch.Get().(*[]T)
		defer a.scratch.Put(buf)
		for ; lo < hi; lo++ {
			head, i := lo/blocks, lo%blocks*rows
			if err := a.block(ctx, c, head/c.QHeads, head%c.QHeads, i, min(i+rows, c.Q), buf); err != nil {
				first.CompareAndSwap(nil, &err)
				return
			}
		}
	})
	if e := first.Load(); err == nil && e != nil {
		err = *e
	}
	return err
}

// span is the half-open range of keys that a query row sees before attn_mask.
func (a *Attention[T]) span(c *Call[T], b, row int) (lo, hi int) {
	lo, hi = 0, c.Total
	at := row + c.Past // the query's position among the keys
	if c.Valid != nil {
		hi = min(hi, int(c.Valid[b]))
		if c.Past == 0 {
			at = row + int(c.Valid[b]) - c.Q
		}
	}
	if c.First != nil {
		at = row + int(c.First[b])
	}
	if c.Mask != nil {
		hi = min(hi, c.Mask.Columns)
	}
	if a.Causal {
		hi = min(hi, at+1)
	}
	// Compared without adding, as bounds may be huge.
	if a.Right >= 0 && a.Right < hi-1-at {
		hi = at + a.Right + 1
	}
	if a.Left >= 0 && a.Left < at {
		lo = at - a.Left
	}
	if lo >= hi {
		return 0, 0
	}
	return lo, hi
}

// block computes the query rows [i0, i1) of a head.
func (a *Attention[T]) block(ctx context.Context, c *Call[T], b, head, i0, i1 int, buf *[]T) error {
	kv := head / (c.QHeads / c.KVHeads)
	lo, hi := c.Total, 0
	for i := i0; i < i1; i++ {
		if l, h := a.span(c, b, i); l < h {
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if lo >= hi {
		lo, hi = 0, 0
	}
	raw := c.Scores != nil && a.Capture <= CaptureCapped
	if raw {
		lo, hi = 0, c.Total
	}
	m, n := i1-i0, hi-lo
	if cap(*buf) < m*n {
		*buf = make([]T, m*n)
	}
	scores := (*buf)[:m*n]
	if n > 0 {
		scale := T(a.scale(c.Size))
		if err := a.multiply(ctx, nil, false, true, m, n, c.Size, scale, c.Query.at(b, head)[i0*c.Query.Row:], c.Query.Row, c.Key.at(b, kv)[lo*c.Key.Row:], c.Key.Row, 0, scores, n); err != nil {
			return err
		}
	}
	var out []T
	if c.Scores != nil {
		out = c.Scores[((b*c.QHeads+head)*c.Q+i0)*c.Total:]
	}
	if raw && a.Capture == CaptureScores {
		copy(out, scores)
	}
	if a.Softcap > 0 {
		softcap(scores, T(a.Softcap))
	}
	if raw && a.Capture == CaptureCapped {
		copy(out, scores)
	}
	for i := range m {
		row := scores[i*n : (i+1)*n]
		rlo, rhi := a.span(c, b, i0+i)
		open := rlo < rhi
		if !open {
			rlo, rhi = lo, lo
		}
		if c.Mask != nil {
			open = c.Mask.apply(b, head, i0+i, rlo, row[rlo-lo:rhi-lo])
		}
		fill(row[:rlo-lo], minusInf[T]())
		fill(row[rhi-lo:], minusInf[T]())
		if out != nil && a.Capture == CaptureBiased {
			full := out[i*c.Total : (i+1)*c.Total]
			fill(full, minusInf[T]())
			copy(full[lo:], row)
		}
		switch {
		case open && c.Sink != nil:
			softmaxSink(row, c.Sink[head])
		case open:
			softmax(row)
		default:
			clear(row)
		}
		if out != nil && a.Capture == CaptureWeights {
			full := out[i*c.Total : (i+1)*c.Total]
			clear(full)
			copy(full[lo:], row)
		}
	}
	y := c.Y.at(b, head)[i0*c.Y.Row:]
	if n == 0 {
		for i := range m {
			clear(y[i*c.Y.Row:][:c.VSize])
		}
		return nil
	}
	return a.multiply(ctx, nil, false, false, m, c.VSize, n, 1, scores, n, c.Value.at(b, kv)[lo*c.Value.Row:], c.Value.Row, 0, y, c.Y.Row)
}
