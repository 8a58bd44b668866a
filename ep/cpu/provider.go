package cpu

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"gort/ep"
	"gort/graph"
	"gort/internal/parallel"
	"gort/tensor"
)

// Name is the provider's name.
const Name = "cpu_ep"

// Device is the host.
var Device = graph.Device{Type: graph.DeviceCPU}

// Provider runs nodes on the host's processors.
type Provider struct {
	ep.HostMemory
	pool   *parallel.Pool
	closed atomic.Bool
}

// New returns a provider that is not open yet.
func New() *Provider { return &Provider{} }

// standard is the table of every binding in this package.
var standard = sync.OnceValue(func() table { return newTable(families...) })

// options are the keys Open knows.
var options = map[string]string{
	"cpu.memory_limit": "bytes of live buffers at most, such as 536870912; 0 means no limit",
}

// Name implements ep.Provider.
func (p *Provider) Name() string { return Name }

// Device implements ep.Provider.
func (p *Provider) Device() graph.Device { return Device }

// Open implements ep.Provider.
func (p *Provider) Open(_ context.Context, c ep.Config) error {
	var limit int64
	for k, v := range c.Options {
		if _, ok := options[k]; !ok {
			known := make([]string, 0, len(options))
			for k := range options {
				known = append(known, k)
			}
			sort.Strings(known)
			return &ep.Error{Provider: Name, Op: "Open", Err: fmt.Errorf("%w %q; known are %s", ep.ErrUnknownOption, k, strings.Join(known, ", "))}
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			return &ep.Error{Provider: Name, Op: "Open", Err: fmt.Errorf("option %s is %q, must be a number of bytes", k, v)}
		}
		limit = n
	}
	p.OpenMemory(Name, Device, limit)
	p.pool = parallel.New(c.Threads)
	return nil
}

// Close implements ep.Provider.
func (p *Provider) Close() error {
	if p.closed.Swap(true) {
		return &ep.Error{Provider: Name, Op: "Close", Err: ep.ErrClosed}
	}
	if p.pool != nil {
		p.pool.Close()
	}
	return p.CloseMemory()
}

func (p *Provider) build(q *ep.Query) *Build {
	return &Build{Attrs: q.Attrs(), Opset: q.Opset, Inputs: q.Inputs, Outputs: q.Outputs, Pool: p.pool}
}

// Supports implements ep.Provider.
func (p *Provider) Supports(q *ep.Query) ep.Match {
	if p.closed.Load() {
		return ep.Decline(ep.ErrClosed.Error())
	}
	if _, reason := standard().find(p.build(q)); reason != "" {
		return ep.Decline(reason)
	}
	return ep.Accept(cost(q))
}

// Kernel implements ep.Provider.
func (p *Provider) Kernel(q *ep.Query) (ep.Kernel, error) {
	if p.closed.Load() {
		return nil, &ep.Error{Provider: Name, Op: "Kernel", Err: ep.ErrClosed}
	}
	b := p.build(q)
	bd, reason := standard().find(b)
	if reason != "" {
		return nil, &ep.Error{Provider: Name, Op: "Kernel", Err: fmt.Errorf("%s", reason)}
	}
	if to, from := bd.wider(b); to != tensor.Undefined {
		return newViaWider(bd, b, to, from)
	}
	return bd.New(b)
}

// cost states the bytes that operands of known shape occupy; arithmetic is
// counted as one operation an element until a kernel says more.
func cost(q *ep.Query) ep.Cost {
	c := ep.Cost{Launches: 1}
	for _, list := range [2][]ep.Operand{q.Inputs, q.Outputs} {
		for _, o := range list {
			if s, ok := o.Type.Shape.Concrete(); ok && o.Type.IsTensor() {
				if n, err := s.NumElements(); err == nil {
					c.Bytes += int64(o.Type.DType.Bytes(n))
					c.Flops = max(c.Flops, int64(n))
				}
			}
		}
	}
	return c
}
