package eptest

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gort/ep"
	"gort/graph"
	"gort/optimize"
	"gort/tensor"
)

// brokenProviders are good but for one clause each: which, what check finds it,
// and a part of what that check says.
var brokenProviders = []struct {
	breaks, check, says string
	make                func() ep.Provider
}{
	{"name is not snake_case", "name and device", "snake_case", func() ep.Provider { return &badName{good: newGood()} }},
	{"name changes", "name and device", "before Open it was", func() ep.Provider { return &movingName{good: newGood()} }},
	{"unknown options are ignored", "unknown option", "accepts", func() ep.Provider { return &anyOption{newGood()} }},
	{"known options are not listed", "unknown option", "list the known ones", func() ep.Provider { return &silentOption{newGood()} }},
	{"works after Close", "closed", "Allocate after Close", func() ep.Provider { return &undead{newGood()} }},
	{"close hides a leak", "close with a live buffer", "says nothing", func() ep.Provider { return &hidesLeak{newGood()} }},
	{"alignment is ignored", "allocate", "memory is at", func() ep.Provider { return &misaligned{newGood()} }},
	{"buffers are shared", "allocations do not overlap", "changed when others", func() ep.Provider { return &overlapping{good: newGood()} }},
	{"bad alignment is accepted", "bad sizes and alignments", "Allocate(16, 3)", func() ep.Provider { return &anyAlign{newGood()} }},
	{"allocate panics", "bad sizes and alignments", "panic", func() ep.Provider { return &panics{newGood()} }},
	{"second free is ignored", "free", "second Free", func() ep.Provider { return &forgiving{newGood()} }},
	{"frees what others made", "foreign buffers", "another provider's", func() ep.Provider { return &freesAll{newGood()} }},
	{"freed buffers can be used", "use after free", "freed buffer", func() ep.Provider { return &lateUse{newGood()} }},
	{"free clears borrowed memory", "borrowed buffers", "changed the memory", func() ep.Provider { return &clears{newGood()} }},
	{"writes through borrowed memory", "borrowed buffers", "borrowed buffer", func() ep.Provider { return &writesBorrowed{newGood()} }},
	{"out of memory is not typed", "out of memory", "*ep.OutOfMemoryError", func() ep.Provider { return &plainOOM{newGood()} }},
	{"the memory limit is ignored", "out of memory", "out of device memory", func() ep.Provider { return &noLimit{newGood()} }},
	{"copy ignores offsets", "copy", "gives", func() ep.Provider { return &wholeCopy{newGood()} }},
	{"copy cuts ranges", "copy refuses bad ranges", "bytes to", func() ep.Provider { return &cutsCopy{newGood()} }},
	{"copy checks access first", "copy order of checks", "Copy of nothing", func() ep.Provider { return &accessFirst{newGood()} }},
	{"upload ignores its offset", "host transfer", "Upload of", func() ep.Provider { return &uploadAtZero{newGood()} }},
	{"download cuts ranges", "host transfer refuses bad ranges", "Download of", func() ep.Provider { return &cutsDownload{newGood()} }},
	{"sync does not wait", "sync", "not done", func() ep.Provider { return &lazy{good: newGood()} }},
	{"fence hides the error", "asynchronous copy", "CopyAsync of", func() ep.Provider { return &deafFence{newGood()} }},
	{"counts miss frees", "allocation counts", "after one Free", func() ep.Provider { return &badCounts{newGood()} }},
	{"concurrent allocations fail", "concurrent use", "Allocate", func() ep.Provider { return &exclusive{good: newGood()} }},
	{"concurrent frees both succeed", "concurrent free", "want 1", func() ep.Provider { return &forgiving{newGood()} }},
	{"declines without a reason", "supports and kernel agree", "without a reason", func() ep.Provider { return &sulks{newGood()} }},
	{"accepts without a kernel", "supports and kernel agree", "Kernel fails", func() ep.Provider { return &boasts{newGood()} }},
	{"supports panics", "supports and kernel agree", "panic", func() ep.Provider { return &supportsPanics{newGood()} }},
	{"supports is moody", "supports and kernel agree", "and then", func() ep.Provider { return &moody{good: newGood()} }},
	{"accepts unknown operators", "unknown operator", "want a decline", func() ep.Provider { return &boasts{newGood()} }},
	{"last maximum wins", "argmax", "first of equals", func() ep.Provider { return &lastMax{newGood()} }},
	{"NaN is not reported", "argmax", "NaN", func() ep.Provider { return &noMask{newGood()} }},
	{"argmax allocates", "argmax", "allocates", func() ep.Provider { return &argmaxAllocates{newGood()} }},
	{"argmax of any type", "argmax refuses bad operands", "int64", func() ep.Provider { return &anyArgmax{newGood()} }},
	{"claims nodes that are not there", "claims", "Claims", func() ep.Provider { return &greedy{newGood()} }},
	{"passes share a name", "passes", "name of its own", func() ep.Provider { return &twinPasses{newGood()} }},
	{"loads any context", "contexts", "LoadContext", func() ep.Provider { return &anyContext{newGood()} }},
	{"no context source", "contexts", "is empty", func() ep.Provider { return &noSource{newGood()} }},
	{"end without begin", "device graph", "End without Begin", func() ep.Provider { return &looseGraph{newGood()} }},
	{"pinned weight is not read", "weight pager", "not what was registered", func() ep.Provider { return &blankWeight{newGood()} }},
	{"internal buffers leak", "weight pager", "leak", func() ep.Provider { return &leakyWeight{newGood()} }},
}

type badName struct{ *good }

func (badName) Name() string { return "GoodEP" }

type movingName struct {
	*good
	asked atomic.Int32
}

func (p *movingName) Name() string { return "good_ep" + strconv.Itoa(int(p.asked.Add(1))) }

type anyOption struct{ *good }

func (p *anyOption) Open(ctx context.Context, c ep.Config) error {
	delete(c.Options, "eptest.no_such_option")
	return p.good.Open(ctx, c)
}

type silentOption struct{ *good }

func (p *silentOption) Open(ctx context.Context, c ep.Config) error {
	if err := p.good.Open(ctx, c); err != nil {
		return p.fail("Open", ep.ErrUnknownOption)
	}
	return nil
}

type undead struct{ *good }

func (p *undead) Close() error {
	err := p.good.Close()
	p.OpenMemory(p.Name(), p.Device(), 0)
	return err
}

type hidesLeak struct{ *good }

func (p *hidesLeak) Close() error { _ = p.good.Close(); return nil }
func (p *hidesLeak) AllocationCounts() ep.AllocationCounts {
	return ep.AllocationCounts{}
}

type misaligned struct{ *good }

func (p *misaligned) Allocate(size, align int) (*ep.Buffer, error) {
	if err := ep.CheckAlign(align); err != nil {
		return nil, p.fail("Allocate", err)
	}
	mem := make([]byte, size+1+align)
	return ep.NewHostBuffer(&p.HostMemory, p.Device(), mem[1:][:size], align), nil
}

type overlapping struct {
	*good
	mem [1 << 12]byte
}

func (p *overlapping) Allocate(size, align int) (*ep.Buffer, error) {
	return ep.NewHostBuffer(&p.HostMemory, p.Device(), p.mem[:size], align), nil
}

type anyAlign struct{ *good }

func (p *anyAlign) Allocate(size, align int) (*ep.Buffer, error) {
	if ep.CheckAlign(align) != nil {
		align = 1
	}
	return p.good.Allocate(size, align)
}

type panics struct{ *good }

func (p *panics) Allocate(size, align int) (*ep.Buffer, error) {
	if size < 0 {
		panic("negative size")
	}
	return p.good.Allocate(size, align)
}

type forgiving struct{ *good }

func (p *forgiving) Free(b *ep.Buffer) error {
	if err := p.good.Free(b); !errors.Is(err, ep.ErrFreed) {
		return err
	}
	return nil
}

type freesAll struct{ *good }

func (p *freesAll) Free(b *ep.Buffer) error {
	if err := p.good.Free(b); !errors.Is(err, ep.ErrForeignBuffer) {
		return err
	}
	return nil
}

type lateUse struct{ *good }

func (p *lateUse) Copy(ctx context.Context, dst *ep.Buffer, d int, src *ep.Buffer, s, n int) error {
	if err := p.good.Copy(ctx, dst, d, src, s, n); !errors.Is(err, ep.ErrFreed) {
		return err
	}
	return nil
}

type clears struct{ *good }

func (p *clears) Free(b *ep.Buffer) error {
	if mem, err := b.Bytes(); err == nil {
		clear(mem)
	}
	return p.good.Free(b)
}

type writesBorrowed struct{ *good }

func (p *writesBorrowed) Upload(ctx context.Context, dst *ep.Buffer, offset int, src []byte) error {
	err := p.good.Upload(ctx, dst, offset, src)
	if errors.Is(err, ep.ErrReadOnly) {
		mem, _ := dst.Bytes()
		copy(mem[offset:], src)
		return nil
	}
	return err
}

type plainOOM struct{ *good }

func (p *plainOOM) Allocate(size, align int) (*ep.Buffer, error) {
	b, err := p.good.Allocate(size, align)
	if errors.Is(err, ep.ErrOutOfMemory) {
		err = p.fail("Allocate", ep.ErrOutOfMemory)
	}
	return b, err
}

type noLimit struct{ *good }

func (p *noLimit) Open(ctx context.Context, c ep.Config) error {
	if _, ok := c.Options["good.limit"]; ok {
		c.Options["good.limit"] = "0"
	}
	return p.good.Open(ctx, c)
}

type wholeCopy struct{ *good }

func (p *wholeCopy) Copy(ctx context.Context, dst *ep.Buffer, _ int, src *ep.Buffer, _, _ int) error {
	return p.good.Copy(ctx, dst, 0, src, 0, min(dst.Len(), src.Len()))
}

type cutsCopy struct{ *good }

func (p *cutsCopy) Copy(ctx context.Context, dst *ep.Buffer, d int, src *ep.Buffer, s, n int) error {
	if n > 0 && d >= 0 && d <= dst.Len() && n > dst.Len()-d {
		n = dst.Len() - d
	}
	return p.good.Copy(ctx, dst, d, src, s, n)
}

type accessFirst struct{ *good }

func (p *accessFirst) Copy(ctx context.Context, dst *ep.Buffer, d int, src *ep.Buffer, s, n int) error {
	if dst != nil {
		if _, err := dst.Writable(); err != nil {
			return p.fail("Copy", err)
		}
	}
	return p.good.Copy(ctx, dst, d, src, s, n)
}

type uploadAtZero struct{ *good }

func (p *uploadAtZero) Upload(ctx context.Context, dst *ep.Buffer, _ int, src []byte) error {
	return p.good.Upload(ctx, dst, 0, src)
}

type cutsDownload struct{ *good }

func (p *cutsDownload) Download(ctx context.Context, dst []byte, src *ep.Buffer, offset int) error {
	if src != nil && offset >= 0 && offset <= src.Len() {
		dst = dst[:min(len(dst), src.Len()-offset)]
	}
	return p.good.Download(ctx, dst, src, offset)
}

// lazy does copies at the second Sync after them.
type lazy struct {
	*good
	queued []func() error
	synced int
}

func (p *lazy) Copy(ctx context.Context, dst *ep.Buffer, d int, src *ep.Buffer, s, n int) error {
	p.queued = append(p.queued, func() error { return p.good.Copy(ctx, dst, d, src, s, n) })
	return nil
}

func (p *lazy) Sync(context.Context) error {
	if p.synced++; p.synced%3 == 0 {
		for _, f := range p.queued {
			if err := f(); err != nil {
				return err
			}
		}
		p.queued = nil
	}
	return nil
}

type deafFence struct{ *good }

func (p *deafFence) CopyAsync(ctx context.Context, dst *ep.Buffer, d int, src *ep.Buffer, s, n int) (ep.Fence, error) {
	_ = p.Copy(ctx, dst, d, src, s, n)
	return goodFence{}, nil
}

type badCounts struct{ *good }

func (p *badCounts) AllocationCounts() ep.AllocationCounts {
	n := p.good.AllocationCounts()
	n.Frees = 0
	return n
}

// exclusive refuses an allocation while it makes another.
type exclusive struct {
	*good
	mu sync.Mutex
}

func (p *exclusive) Allocate(size, align int) (*ep.Buffer, error) {
	if !p.mu.TryLock() {
		return nil, p.fail("Allocate", errors.New("busy"))
	}
	defer p.mu.Unlock()
	time.Sleep(100 * time.Microsecond)
	return p.good.Allocate(size, align)
}

type sulks struct{ *good }

func (p *sulks) Supports(q *ep.Query) ep.Match {
	m := p.good.Supports(q)
	m.Reason = ""
	return m
}

type boasts struct{ *good }

func (p *boasts) Supports(*ep.Query) ep.Match { return ep.Accept(ep.Cost{}) }

type supportsPanics struct{ *good }

func (p *supportsPanics) Supports(q *ep.Query) ep.Match {
	if q.Inputs[1].Present {
		return ep.Decline("two inputs are too many")
	}
	return p.good.Supports(q)
}

type moody struct {
	*good
	asked int
}

func (p *moody) Supports(q *ep.Query) ep.Match {
	p.asked++
	if p.asked%2 == 0 {
		return ep.Decline("not now")
	}
	return p.good.Supports(q)
}

type lastMax struct{ *good }

func (p *lastMax) Argmax(ctx context.Context, result, scores *ep.Buffer, offset, n int, d tensor.DType) error {
	if err := p.good.Argmax(ctx, result, scores, offset, n, d); err != nil {
		return err
	}
	in, _ := scores.Bytes()
	out, _ := result.Writable()
	size, best := d.Bytes(1), int(binary.LittleEndian.Uint32(out))
	at := func(i int) string { return string(in[offset+i*size:][:size]) }
	for i := range n {
		if at(i) == at(best) {
			binary.LittleEndian.PutUint32(out, uint32(i))
		}
	}
	return nil
}

type noMask struct{ *good }

func (p *noMask) Argmax(ctx context.Context, result, scores *ep.Buffer, offset, n int, d tensor.DType) error {
	err := p.good.Argmax(ctx, result, scores, offset, n, d)
	if out, e := result.Writable(); e == nil && len(out) >= 8 {
		clear(out[4:])
	}
	return err
}

type argmaxAllocates struct{ *good }

func (p *argmaxAllocates) Argmax(ctx context.Context, result, scores *ep.Buffer, offset, n int, d tensor.DType) error {
	b, err := p.Allocate(64, 64)
	if err != nil {
		return err
	}
	return errors.Join(p.good.Argmax(ctx, result, scores, offset, n, d), p.Free(b))
}

type anyArgmax struct{ *good }

func (p *anyArgmax) Argmax(ctx context.Context, result, scores *ep.Buffer, offset, n int, d tensor.DType) error {
	if d == tensor.Int64 {
		return nil
	}
	return p.good.Argmax(ctx, result, scores, offset, n, d)
}

type greedy struct{ *good }

func (p *greedy) Claims(g *graph.Graph) []graph.NodeID { return []graph.NodeID{99} }

type twinPasses struct{ *good }

func (p *twinPasses) Passes() []optimize.Pass {
	return []optimize.Pass{goodPass{"twin"}, goodPass{"twin"}}
}

type anyContext struct{ *good }

func (p *anyContext) LoadContext(context.Context, *ep.Context) (ep.Kernel, error) {
	return goodKernel{}, nil
}

type noSource struct{ *good }

func (p *noSource) ContextSources() []string { return nil }

type looseGraph struct{ *good }

type looseRecording struct{ *goodGraph }

func (looseRecording) End(context.Context) (int, error) { return 0, nil }

func (p *looseGraph) NewDeviceGraph() (ep.DeviceGraph, error) {
	g, err := p.good.NewDeviceGraph()
	if err != nil {
		return nil, err
	}
	return looseRecording{g.(*goodGraph)}, nil
}

type blankWeight struct{ *good }

func (p *blankWeight) Register(size int, read func([]byte, int) error) (ep.WeightHandle, error) {
	return p.good.Register(size, func(dst []byte, offset int) error {
		err := read(dst, offset)
		clear(dst)
		return err
	})
}

type leakyWeight struct{ *good }

type leakyHandle struct{ ep.WeightHandle }

func (leakyHandle) Unpin() {}

func (p *leakyWeight) Register(size int, read func([]byte, int) error) (ep.WeightHandle, error) {
	h, err := p.good.Register(size, read)
	return leakyHandle{h}, err
}
