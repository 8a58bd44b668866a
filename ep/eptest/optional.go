package eptest

import (
	"bytes"
	"errors"

	"gort/ep"
	"gort/graph"
)

var optionalChecks = []check{
	{name: "claims", run: checkClaims},
	{name: "passes", run: checkPasses},
	{name: "contexts", run: checkContexts},
	{name: "device graph", run: checkDeviceGraph},
	{name: "weight pager", run: checkWeightPager},
}

func checkClaims(x *subject) {
	c, ok := x.p.(ep.NodeClaimer)
	if !ok {
		return
	}
	if n := c.Claims(graph.New("empty")); len(n) != 0 {
		x.Errorf("Claims of an empty graph: %v", n)
	}
	g, _ := x.identityGraph()
	seen := map[graph.NodeID]bool{}
	for _, id := range c.Claims(g) {
		if g.Node(id) == nil || seen[id] {
			x.Errorf("Claims names node %d, which the graph does not have or which it named before", id)
		}
		seen[id] = true
	}
}

func checkPasses(x *subject) {
	p, ok := x.p.(ep.PassProvider)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for i, pass := range p.Passes() {
		if pass == nil {
			x.Errorf("pass %d is nil", i)
		} else if pass.Name() == "" || seen[pass.Name()] {
			x.Errorf("pass %d is named %q, want a name of its own", i, pass.Name())
		} else {
			seen[pass.Name()] = true
		}
	}
}

func checkContexts(x *subject) {
	c, ok := x.p.(ep.ContextProvider)
	if !ok {
		if _, compiles := x.p.(ep.PartitionCompiler); compiles {
			x.Errorf("the provider compiles partitions but does not load what they save (ep.ContextProvider)")
		}
		return
	}
	seen := map[string]bool{}
	for _, key := range c.ContextSources() {
		if key == "" || seen[key] {
			x.Errorf("ContextSources holds %q, want keys that differ and are not empty", key)
		}
		seen[key] = true
	}
	if len(seen) == 0 {
		x.Errorf("ContextSources is empty: no saved context would find the provider")
	}
	for key := range seen {
		_, err := c.LoadContext(x.ctx, &ep.Context{Main: true, Embedded: true, Source: key, Cache: []byte("no program"), Hardware: "eptest", SDKVersion: "eptest"})
		x.want(err, ep.ErrContext, "LoadContext of a context that nobody made")
	}
}

func checkDeviceGraph(x *subject) {
	c, ok := x.p.(ep.GraphCapturer)
	if !ok {
		return
	}
	g, err := c.NewDeviceGraph()
	if err != nil || g == nil {
		x.Fatalf("NewDeviceGraph = %v, %v", g, err)
	}
	other, err := c.NewDeviceGraph()
	if err != nil || other == nil {
		x.Fatalf("a second NewDeviceGraph = %v, %v", other, err)
	}
	clean := func(when string) {
		x.Helper()
		mask, err := g.CheckError(x.ctx)
		if g.Segments() != 0 || mask != 0 || err != nil {
			x.Errorf("%s: %d segments, latched %v, error %v; want none", when, g.Segments(), mask, err)
		}
	}
	clean("a new graph")
	if _, err := g.End(x.ctx); err == nil {
		x.Errorf("End without Begin succeeds")
	}
	if err := g.ReplaySegment(x.ctx, 0); err == nil {
		x.Errorf("ReplaySegment of a graph without segments succeeds")
	}
	if err := g.Begin(x.ctx, nil); err != nil {
		x.Fatalf("Begin: %v", err)
	}
	if err := g.Begin(x.ctx, nil); err == nil {
		x.Errorf("Begin while recording succeeds")
	}
	if err := g.Abort(); err != nil {
		x.Errorf("Abort while recording: %v", err)
	}
	if err := errors.Join(g.Reset(), other.Reset()); err != nil {
		x.Errorf("Reset: %v", err)
	}
	clean("after Abort and Reset")
}

func checkWeightPager(x *subject) {
	w, ok := x.p.(ep.WeightPager)
	if !ok {
		return
	}
	weight := pattern(10000, 3)
	h, err := w.Register(len(weight), func(dst []byte, offset int) error {
		copy(dst, weight[offset:])
		return nil
	})
	if err != nil {
		x.Fatalf("Register: %v", err)
	}
	for range 2 {
		b, err := h.Pin(x.ctx)
		if err != nil {
			x.Fatalf("Pin: %v", err)
		}
		if !bytes.Equal(x.get(b), weight) {
			x.Errorf("a pinned weight is not what was registered")
		}
		h.Unpin()
	}
	if err := h.Release(); err != nil {
		x.Errorf("Release: %v", err)
	}
	broken := errors.New("the file is gone")
	h, err = w.Register(16, func([]byte, int) error { return broken })
	if err == nil {
		_, err = h.Pin(x.ctx)
		_ = h.Release()
	}
	if !errors.Is(err, broken) {
		x.Errorf("a weight that can not be read: error is %v, want one that is %q", err, broken)
	}
}
