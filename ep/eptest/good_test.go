package eptest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"gort/ep"
	"gort/graph"
	"gort/optimize"
	"gort/tensor"
)

// good is a provider that keeps the whole contract and runs Identity of float32.
type good struct {
	ep.HostMemory
	closed atomic.Bool
}

func newGood() *good { return &good{} }

func (p *good) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return &ep.Error{Provider: p.Name(), Op: op, Err: err}
}

func (p *good) Name() string         { return "good_ep" }
func (p *good) Device() graph.Device { return graph.Device{Type: "good", ID: 1} }

func (p *good) Open(_ context.Context, c ep.Config) error {
	var limit int64
	for _, k := range slices.Sorted(maps.Keys(c.Options)) {
		if k != "good.limit" {
			return p.fail("Open", fmt.Errorf("%w %q; known is good.limit", ep.ErrUnknownOption, k))
		}
		var err error
		if limit, err = strconv.ParseInt(c.Options[k], 10, 64); err != nil {
			return p.fail("Open", err)
		}
	}
	p.OpenMemory(p.Name(), p.Device(), limit)
	return nil
}

func (p *good) Close() error {
	p.closed.Store(true)
	return p.CloseMemory()
}

func (p *good) Supports(q *ep.Query) ep.Match {
	switch {
	case p.closed.Load():
		return ep.Decline(ep.ErrClosed.Error())
	case q.Def.Name != "Identity":
		return ep.Decline("only Identity runs here")
	case q.Inputs[0].Type.DType != tensor.Float32:
		return ep.Decline("only float32 runs here; insert a Cast")
	}
	return ep.Accept(ep.Cost{Launches: 1})
}

func (p *good) Kernel(q *ep.Query) (ep.Kernel, error) {
	if p.closed.Load() {
		return nil, p.fail("Kernel", ep.ErrClosed)
	}
	if m := p.Supports(q); !m.Supported {
		return nil, p.fail("Kernel", errors.New(m.Reason))
	}
	return goodKernel{}, nil
}

type goodKernel struct{}

func (goodKernel) Run(context.Context, *ep.Invocation) error { return nil }
func (goodKernel) InPlace() []ep.Reuse                       { return []ep.Reuse{{}} }
func (goodKernel) StridedInput(int) bool                     { return false }
func (goodKernel) Scratch([]tensor.Shape) int                { return 0 }
func (goodKernel) Capturable([]tensor.Shape) (bool, string)  { return false, "it does not record" }

type goodFence struct{}

func (goodFence) Wait(context.Context) error { return nil }
func (goodFence) Done() (bool, error)        { return true, nil }

func (p *good) CopyAsync(ctx context.Context, dst *ep.Buffer, dstOffset int, src *ep.Buffer, srcOffset, n int) (ep.Fence, error) {
	return goodFence{}, p.Copy(ctx, dst, dstOffset, src, srcOffset, n)
}

func (p *good) ArgmaxResultSize() int { return 8 }

func (p *good) Argmax(_ context.Context, result, scores *ep.Buffer, offset, n int, d tensor.DType) error {
	if d != tensor.Float32 && d != tensor.Float16 && d != tensor.BFloat16 {
		return p.fail("Argmax", fmt.Errorf("no argmax of %v", d))
	}
	if n < 1 || n > math.MaxInt/4 {
		return p.fail("Argmax", fmt.Errorf("%w: %d scores", ep.ErrRange, n))
	}
	err := errors.Join(ep.CheckRange(result.Len(), 0, 8), ep.CheckRange(scores.Len(), offset, d.Bytes(n)))
	if err != nil {
		return p.fail("Argmax", err)
	}
	in, err := scores.Bytes()
	if err != nil {
		return p.fail("Argmax", err)
	}
	out, err := result.Writable()
	if err != nil {
		return p.fail("Argmax", err)
	}
	t, err := tensor.FromBytes(d, in[offset:][:d.Bytes(n)], n)
	if err == nil {
		t, err = tensor.Convert(t, tensor.Float32, tensor.ConvertOptions{})
	}
	if err != nil {
		return p.fail("Argmax", err)
	}
	row, err := tensor.Data[float32](t)
	if err != nil {
		return p.fail("Argmax", err)
	}
	best, mask := -1, ep.ErrorMask(0)
	for i, v := range row {
		switch {
		case v != v:
			mask |= ep.ErrorNaN
		case best < 0 || v > row[best]:
			best = i
		}
	}
	binary.LittleEndian.PutUint32(out, uint32(max(best, 0)))
	binary.LittleEndian.PutUint32(out[4:], uint32(mask))
	return nil
}

func (p *good) Claims(g *graph.Graph) (ids []graph.NodeID) {
	for n := range g.Nodes() {
		ids = append(ids, n.ID)
	}
	return ids
}

type goodPass struct{ name string }

func (p goodPass) Name() string                                       { return p.name }
func (p goodPass) Run(context.Context, *optimize.State) (bool, error) { return false, nil }

func (p *good) Passes() []optimize.Pass { return []optimize.Pass{goodPass{"good"}} }

func (p *good) ContextSources() []string { return []string{"good"} }
func (p *good) LoadContext(_ context.Context, c *ep.Context) (ep.Kernel, error) {
	return nil, p.fail("LoadContext", fmt.Errorf("%w: made for %s, this is good", ep.ErrContext, c.Hardware))
}

// goodGraph records nothing, and knows when it may not be asked to.
type goodGraph struct {
	recording bool
	segments  int
}

func (p *good) NewDeviceGraph() (ep.DeviceGraph, error) {
	if p.closed.Load() {
		return nil, p.fail("NewDeviceGraph", ep.ErrClosed)
	}
	return &goodGraph{}, nil
}

func (g *goodGraph) Begin(context.Context, []ep.Kernel) error {
	if g.recording {
		return errors.New("a segment is being recorded")
	}
	g.recording = true
	return nil
}

func (g *goodGraph) End(context.Context) (int, error) {
	if !g.recording {
		return 0, errors.New("no segment is being recorded")
	}
	g.recording, g.segments = false, g.segments+1
	return g.segments - 1, nil
}

func (g *goodGraph) Abort() error                 { g.recording = false; return nil }
func (g *goodGraph) Replay(context.Context) error { return nil }
func (g *goodGraph) ReplaySegment(_ context.Context, s int) error {
	if s < 0 || s >= g.segments {
		return errors.New("no such segment")
	}
	return nil
}
func (g *goodGraph) Segments() int                                    { return g.segments }
func (g *goodGraph) Reset() error                                     { *g = goodGraph{}; return nil }
func (g *goodGraph) CheckError(context.Context) (ep.ErrorMask, error) { return 0, nil }

// goodWeight is read anew at every Pin.
type goodWeight struct {
	p    *good
	size int
	read func([]byte, int) error
	at   *ep.Buffer
}

func (p *good) Register(size int, read func(dst []byte, offset int) error) (ep.WeightHandle, error) {
	return &goodWeight{p: p, size: size, read: read}, nil
}

func (w *goodWeight) Pin(context.Context) (*ep.Buffer, error) {
	b, err := w.p.Allocate(w.size, 64)
	if err != nil {
		return nil, err
	}
	mem, err := b.Writable()
	if err == nil {
		err = w.read(mem, 0)
	}
	if err != nil {
		return nil, errors.Join(err, w.p.Free(b))
	}
	w.at = b
	return b, nil
}

func (w *goodWeight) Unpin()         { _ = w.p.Free(w.at) }
func (w *goodWeight) Release() error { return nil }
