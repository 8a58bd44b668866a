package blockquant

import (
	"context"
	"encoding/binary"
	"errors"

	"gort/internal/parallel"
	"gort/internal/simd"
)

// Panels are weights in the order in which a product reads them: still quantized,
// 16 rows of the weights side by side (see [simd.QuantPanel]). They take the memory
// of the weights plus 4 bytes for each scale and each zero point, and may be shared.
type Panels struct {
	n, k, bits int
	// block is the weights' own, filled up to whole words, or depth where that is less.
	block         int
	words         []uint32
	scales, zeros []float32 // zeros: of each block, or 16 for all
}

// errGroups is returned for weights whose groups are not runs of columns.
var errGroups = errors.New("blockquant: weights with groups have no panels")

// NewPanels rearranges the weights. Those with a Group cannot be.
func NewPanels(ctx context.Context, pool *parallel.Pool, w *Weights) (*Panels, error) {
	if w.Group != nil {
		return nil, errGroups
	}
	per := 32 / w.Bits
	p := &Panels{n: w.N, k: w.K, bits: w.Bits, block: (w.Block + per - 1) / per * per}
	if w.Block > depth && (w.Block%depth == 0 || w.Blocks() == 1) {
		p.block = depth
	}
	blocks, rows := p.blocks(), p.blocks()*p.block/per // rows of words
	panels := p.count()
	p.words = make([]uint32, panels*rows*simd.GemmNR)
	p.scales = make([]float32, panels*blocks*simd.GemmNR)
	oneZero := w.Zeros == nil && w.PackedZeros == nil
	if oneZero {
		p.zeros = make([]float32, simd.GemmNR)
		for j := range p.zeros {
			p.zeros[j] = w.zero(0, 0)
		}
	} else {
		p.zeros = make([]float32, len(p.scales))
	}
	bytes := w.rowBytes()
	err := pool.For(ctx, panels, max(1, (16<<10)/max(1, rows*simd.GemmNR)), func(lo, hi int) {
		for n := lo * simd.GemmNR; n < min(hi*simd.GemmNR, w.N); n++ {
			panel, j := n/simd.GemmNR, n%simd.GemmNR
			words := p.words[panel*rows*simd.GemmNR:][:rows*simd.GemmNR]
			packed := w.Packed[n*bytes:][:min(bytes, 4*rows)] // without padding that is a block of ours
			for i := range len(packed) / 4 {
				words[i*simd.GemmNR+j] = binary.LittleEndian.Uint32(packed[4*i:])
			}
			if rest := packed[len(packed)&^3:]; len(rest) > 0 {
				var last [4]byte
				copy(last[:], rest)
				words[len(packed)/4*simd.GemmNR+j] = binary.LittleEndian.Uint32(last[:])
			}
			for b := range blocks {
				from, to := b*p.block/w.Block, (panel*blocks+b)*simd.GemmNR+j
				p.scales[to] = w.Scales[n*w.Blocks()+from]
				if !oneZero {
					p.zeros[to] = w.zero(n, from)
				}
			}
		}
	})
	return p, err
}

// count is the number of panels.
func (p *Panels) count() int { return (p.n + simd.GemmNR - 1) / simd.GemmNR }

// blocks is the number of blocks along K.
func (p *Panels) blocks() int { return (p.k + p.block - 1) / p.block }

// panel returns blocks [lo, hi) of panel i.
func (p *Panels) panel(i, lo, hi int) simd.QuantPanel {
	blocks := p.blocks()
	rows := p.block * p.bits / 32
	lo, hi = i*blocks+lo, i*blocks+hi
	q := simd.QuantPanel{
		Bits:   p.bits,
		Words:  p.words[lo*rows*simd.GemmNR : hi*rows*simd.GemmNR],
		Scales: p.scales[lo*simd.GemmNR : hi*simd.GemmNR],
		Zeros:  p.zeros,
	}
	if len(p.zeros) > simd.GemmNR {
		q.Zeros = p.zeros[lo*simd.GemmNR : hi*simd.GemmNR]
	}
	return q
}
