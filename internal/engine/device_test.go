package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/tensor"
)

// device is a provider whose memory the host can not reach: buffers are handles,
// and bytes pass only through Upload and Download. It computes with the CPU's
// kernels on its own memory.
type device struct {
	inner *cpu.Provider
	takes func(n *graph.Node) bool

	mu        sync.Mutex
	live      int
	uploads   int
	downloads int
}

var deviceID = graph.Device{Type: "test", ID: 0}

func newDevice(takes func(n *graph.Node) bool) *device {
	return &device{inner: cpu.New(), takes: takes}
}

func (d *device) Name() string         { return "test_ep" }
func (d *device) Device() graph.Device { return deviceID }
func (d *device) Open(ctx context.Context, _ ep.Config) error {
	return d.inner.Open(ctx, ep.Config{Threads: 1})
}
func (d *device) Close() error                   { return d.inner.Close() }
func (d *device) Sync(ctx context.Context) error { return ctx.Err() }
func (d *device) bytes(b *ep.Buffer, at, n int) []byte {
	return b.Handle().(*deviceMemory).mem[at : at+n]
}
func (d *device) Copy(context.Context, *ep.Buffer, int, *ep.Buffer, int, int) error {
	return fmt.Errorf("no copies within the device are planned")
}

type deviceMemory struct{ mem []byte }

func (d *device) Allocate(size, align int) (*ep.Buffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live++
	mem := make([]byte, size)
	for i := range mem {
		mem[i] = 0xfe // whoever reads what was never written notices
	}
	return ep.NewDeviceBuffer(d, deviceID, &deviceMemory{mem}, size, align), nil
}

func (d *device) Free(b *ep.Buffer) error {
	owned, err := b.Release(d)
	if owned {
		d.mu.Lock()
		d.live--
		d.mu.Unlock()
	}
	return err
}

func (d *device) Upload(_ context.Context, dst *ep.Buffer, at int, src []byte) error {
	d.mu.Lock()
	d.uploads++
	d.mu.Unlock()
	copy(d.bytes(dst, at, len(src)), src)
	return nil
}

func (d *device) Download(_ context.Context, dst []byte, src *ep.Buffer, at int) error {
	d.mu.Lock()
	d.downloads++
	d.mu.Unlock()
	copy(dst, d.bytes(src, at, len(dst)))
	return nil
}

func (d *device) Supports(q *ep.Query) ep.Match {
	if len(q.Node.Subgraphs()) > 0 || q.Def.DataDependent || !d.takes(q.Node) {
		return ep.Decline("the test does not give this node to the device")
	}
	for _, list := range [2][]ep.Operand{q.Inputs, q.Outputs} {
		for _, o := range list {
			if o.Present && (!o.Type.IsTensor() || o.Type.DType == tensor.String) {
				return ep.Decline("the device holds tensors of numbers")
			}
		}
	}
	return d.inner.Supports(q)
}

func (d *device) Kernel(q *ep.Query) (ep.Kernel, error) {
	k, err := d.inner.Kernel(q)
	return &deviceKernel{d, k}, err
}

// deviceKernel runs a CPU kernel on the device's memory.
type deviceKernel struct {
	d *device
	k ep.Kernel
}

func (k *deviceKernel) operand(a *ep.Arg) error {
	if a.Buffer == nil {
		if a.Value != nil {
			return fmt.Errorf("a host value reached the device: %v", a.Value)
		}
		return nil
	}
	if a.Value != nil {
		return fmt.Errorf("an operand on the device has a host value")
	}
	t, err := tensor.FromBytes(a.DType, k.d.bytes(a.Buffer, a.Offset, a.DType.Bytes(a.Shape.Size())), a.Shape...)
	a.Value = t
	return err
}

func (k *deviceKernel) Run(ctx context.Context, inv *ep.Invocation) error {
	on := *inv
	on.Inputs, on.Outputs = append([]ep.Arg(nil), inv.Inputs...), append([]ep.Arg(nil), inv.Outputs...)
	for _, list := range [2][]ep.Arg{on.Inputs, on.Outputs} {
		for i := range list {
			if err := k.operand(&list[i]); err != nil {
				return err
			}
		}
	}
	if s, ok := k.k.(ep.Scratcher); ok {
		shapes := make([]tensor.Shape, len(on.Inputs))
		for i := range shapes {
			shapes[i] = on.Inputs[i].Shape
		}
		on.Scratch.Value = tensor.Must(tensor.New(tensor.Uint8, s.Scratch(shapes)))
	}
	return k.k.Run(ctx, &on)
}

// TestTwoProviders runs random graphs split at random between the host and a
// device whose memory the host can not reach.
func TestTwoProviders(t *testing.T) {
	uploads, downloads := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(t, rng, 5+rng.IntN(30), seed%2 == 1)
		salt := rng.Uint64()
		d := newDevice(func(n *graph.Node) bool { return (uint64(n.ID)*0x9e3779b97f4a7c15+salt)>>62 < 2 })
		s := open(t, g.Clone(), engine.Options{}, d)
		for range 2 {
			in := []tensor.Value{randomInput(rng, 3, 5), randomInput(rng, 3, 5)}
			got, err := s.Run(t.Context(), in, nil)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			compare(t, fmt.Sprintf("seed %d", seed), got, interpret(t, g, in))
		}
		if err := s.Close(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d.live != 0 {
			t.Fatalf("seed %d: %d device buffers are live after Close", seed, d.live)
		}
		uploads, downloads = uploads+d.uploads, downloads+d.downloads
	}
	if uploads == 0 || downloads == 0 {
		t.Errorf("%d uploads and %d downloads: the device was not used", uploads, downloads)
	}
}
