package eptest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"testing"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Option tells Test what it can not find out by itself.
type Option func(*suite)

// Config sets what the provider is opened with.
func Config(c ep.Config) Option { return func(s *suite) { s.config = c } }

// MemoryLimit names the provider's option that bounds its live memory in bytes.
// With it the test shows what happens when memory runs out.
func MemoryLimit(key string) Option { return func(s *suite) { s.limitKey = key } }

// Operators sets the definitions the provider is asked about; op.Standard() by default.
func Operators(r *op.Registry) Option { return func(s *suite) { s.registry = r } }

// Test checks a provider. newProvider returns a fresh one that is not open yet.
func Test(t *testing.T, newProvider func() ep.Provider, opts ...Option) {
	s := newSuite(newProvider, opts)
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { s.run(t, c) })
	}
}

// suite is one call of Test.
type suite struct {
	newProvider func() ep.Provider
	config      ep.Config
	limitKey    string
	registry    *op.Registry
}

func newSuite(newProvider func() ep.Provider, opts []Option) *suite {
	s := &suite{newProvider: newProvider, registry: op.Standard()}
	for _, o := range opts {
		o(s)
	}
	return s
}

// check is one clause of the contract.
type check struct {
	name string
	raw  bool // run gets a provider that is not open, and opens it itself
	run  func(x *subject)
}

var checks = slices.Concat(identityChecks, bufferChecks, transferChecks, countChecks, concurrentChecks, nodeChecks, argmaxChecks, optionalChecks)

// run runs one check. A panic of the provider is a failure like any other.
func (s *suite) run(t testing.TB, c check) {
	t.Helper()
	x := &subject{TB: t, suite: s, p: s.newProvider(), ctx: t.Context()}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic, the contract allows none: %v\n%s", r, debug.Stack())
		}
	}()
	if c.raw {
		c.run(x)
		return
	}
	x.open(nil)
	defer x.close()
	c.run(x)
}

// subject is the provider a check works on, and the test it reports to.
type subject struct {
	testing.TB
	*suite
	p     ep.Provider
	ctx   context.Context
	host  bool // the host can access the provider's memory
	taken []*ep.Buffer
}

// open opens the provider with further options.
func (x *subject) open(options map[string]string) {
	x.Helper()
	c := x.config
	c.Options = maps.Clone(c.Options)
	if c.Options == nil {
		c.Options = map[string]string{}
	}
	maps.Copy(c.Options, options)
	if err := x.p.Open(x.ctx, c); err != nil {
		x.Fatalf("Open with %v: %v", c.Options, err)
	}
	b := x.alloc(1, 1)
	_, err := b.Bytes()
	x.host = err == nil
	x.free(b)
	if _, ok := x.p.(ep.HostTransfer); !x.host && !ok {
		x.Fatalf("the host can not access the memory (%v) and there is no HostTransfer", err)
	}
}

// close frees what the check still holds, closes the provider, and looks for a leak.
func (x *subject) close() {
	x.Helper()
	for _, b := range x.taken {
		if !b.Freed() {
			x.free(b)
		}
	}
	if err := x.p.Close(); err != nil {
		x.Errorf("Close after everything was freed: %v", err)
	}
	if c, ok := x.p.(ep.AllocationCounter); ok {
		if n := c.AllocationCounts(); n.Live != 0 || n.Allocs != n.Frees {
			x.Errorf("leak: after Close %d allocations, %d frees, %d bytes live", n.Allocs, n.Frees, n.Live)
		}
	}
}

func (x *subject) alloc(size, align int) *ep.Buffer {
	x.Helper()
	b, err := x.p.Allocate(size, align)
	if err != nil || b == nil {
		x.Fatalf("Allocate(%d, %d) = %v, %v", size, align, b, err)
	}
	x.taken = append(x.taken, b)
	return b
}

func (x *subject) free(b *ep.Buffer) {
	x.Helper()
	if err := x.p.Free(b); err != nil {
		x.Errorf("Free of %d bytes: %v", b.Len(), err)
	}
	if !b.Freed() {
		x.Errorf("after Free, Freed is false")
	}
}

// put writes a buffer's contents from the host, by HostTransfer where there is one.
func (x *subject) put(b *ep.Buffer, data []byte) {
	x.Helper()
	if h, ok := x.p.(ep.HostTransfer); ok {
		if err := h.Upload(x.ctx, b, 0, data); err != nil {
			x.Fatalf("Upload of %d bytes: %v", len(data), err)
		}
		return
	}
	mem, err := b.Writable()
	if err != nil {
		x.Fatalf("Writable: %v", err)
	}
	copy(mem, data)
}

// get reads a buffer's contents, after Sync.
func (x *subject) get(b *ep.Buffer) []byte {
	x.Helper()
	if err := x.p.Sync(x.ctx); err != nil {
		x.Fatalf("Sync: %v", err)
	}
	out := make([]byte, b.Len())
	if h, ok := x.p.(ep.HostTransfer); ok {
		if err := h.Download(x.ctx, out, b, 0); err != nil {
			x.Fatalf("Download of %d bytes: %v", len(out), err)
		}
		return out
	}
	mem, err := b.Bytes()
	if err != nil {
		x.Fatalf("Bytes: %v", err)
	}
	copy(out, mem)
	return out
}

// filled returns a buffer whose bytes count up from first.
func (x *subject) filled(size int, first byte) *ep.Buffer {
	x.Helper()
	b := x.alloc(size, 64)
	x.put(b, pattern(size, first))
	return b
}

func pattern(size int, first byte) []byte {
	out := make([]byte, size)
	for i := range out {
		out[i] = first + byte(i)
	}
	return out
}

// want requires an error that is target and that names the provider.
func (x *subject) want(err, target error, format string, args ...any) {
	x.Helper()
	what := fmt.Sprintf(format, args...)
	if !errors.Is(err, target) {
		x.Errorf("%s: error is %v, want one that is %q", what, err, target)
		return
	}
	var e *ep.Error
	if !errors.As(err, &e) {
		x.Errorf("%s: error %q is no *ep.Error", what, err)
	} else if e.Provider != x.p.Name() || e.Op == "" {
		x.Errorf("%s: the *ep.Error names provider %q and method %q", what, e.Provider, e.Op)
	}
}

// float32Type is a tensor of 32-bit floats of a fixed shape.
func float32Type(dims ...int) graph.Type {
	return graph.TensorType(tensor.Float32, graph.Fixed(dims...))
}
