package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"gort/ep"
	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Session is a model ready to run. It is safe for concurrent use.
type Session struct {
	opts       Options
	registry   *op.Registry
	providers  *ep.Registry
	hostMemory []bool // by provider: whether the host can access its memory
	root       *program

	mu      sync.Mutex
	running sync.WaitGroup
	closed  bool
	opened  []ep.Provider
}

// ErrClosed is returned by the methods of a closed session.
var ErrClosed = errors.New("session is closed")

// NewSession opens the providers and builds the model for them. It takes the
// model's graph over and rewrites it. The last provider in the registry's order
// has to be a host provider: it keeps inputs and outputs. On failure everything
// that was opened is closed again.
func NewSession(ctx context.Context, m *graph.Model, reg *op.Registry, providers *ep.Registry, configs map[string]ep.Config, o Options) (s *Session, err error) {
	s = &Session{opts: o.withDefaults(), registry: reg, providers: providers, hostMemory: make([]bool, providers.Len())}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("building the model: %w", &PanicError{Value: r, Stack: debug.Stack()})
		}
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	for _, id := range providers.Order() {
		p := providers.Provider(id)
		if err := p.Open(ctx, configs[p.Name()]); err != nil {
			return s, err
		}
		s.opened = append(s.opened, p)
		b, err := p.Allocate(1, 1)
		if err != nil {
			return s, err
		}
		_, err = b.Bytes()
		s.hostMemory[id] = err == nil
		if err := p.Free(b); err != nil {
			return s, err
		}
	}
	if providers.Len() == 0 || !s.hostMemory[s.hostID()] {
		return s, errors.New("the last provider must have memory that the host can access")
	}
	return s, s.build(ctx, m)
}

// hostID is the provider that keeps inputs and outputs: the last in the order.
func (s *Session) hostID() ep.ID { return s.providers.Order()[s.providers.Len()-1] }

func (s *Session) host() ep.Provider { return s.providers.Provider(s.hostID()) }

// Graph is the graph as it is run. Read only.
func (s *Session) Graph() *graph.Graph { return s.root.g }

// Facts are what is known of the graph's values in every run, by value id. Read only.
func (s *Session) Facts() []op.Fact { return s.root.facts }

// Run computes the outputs. A nil input takes its default. bound may hold memory
// for outputs, by position.
func (s *Session) Run(ctx context.Context, inputs []tensor.Value, bound []*tensor.Tensor) (out []tensor.Value, err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	g := s.root.g
	if len(inputs) != len(g.Inputs()) {
		return nil, fmt.Errorf("the model takes %d inputs, got %d", len(g.Inputs()), len(inputs))
	}
	for i, id := range g.Inputs() {
		v := g.Value(id)
		switch t, ok := inputs[i].(*tensor.Tensor); {
		case inputs[i] == nil || ok && t == nil:
			if v.Const == nil {
				return nil, &InputError{Name: v.Name, Reason: "is missing"}
			}
			inputs = replaced(inputs, i, v.Const)
		case ok && t.Size() == 1 && t.Rank() > 0 && v.Type.Shape.HasRank(0):
			// One element where the model wants a scalar is that scalar.
			scalar, err := t.Contiguous().Reshape([]int{}...)
			if err != nil {
				return nil, &InputError{Name: v.Name, Reason: err.Error()}
			}
			inputs = replaced(inputs, i, scalar)
		}
	}
	return s.root.run(ctx, nil, inputs, nil, bound)
}

// replaced returns the values with another one at i, leaving the caller's list alone.
func replaced(vals []tensor.Value, i int, v tensor.Value) []tensor.Value {
	vals = append([]tensor.Value(nil), vals...)
	vals[i] = v
	return vals
}

// InputError says what is wrong with an input that a caller gave.
type InputError struct {
	Name   string
	Reason string
}

func (e *InputError) Error() string { return fmt.Sprintf("input %q %s", e.Name, e.Reason) }

// Close waits for runs to end and releases everything.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	var errs []error
	if s.root != nil {
		errs = append(errs, s.root.close())
	}
	for i := len(s.opened) - 1; i >= 0; i-- {
		errs = append(errs, s.opened[i].Close())
	}
	return errors.Join(errs...)
}

func (p *program) close() error {
	errs := []error{p.plans.close()}
	for _, n := range p.nodes {
		for _, sub := range n.subs {
			errs = append(errs, sub.close())
		}
	}
	return errors.Join(errs...)
}

// planCache keeps the plans of the sets of shapes seen last.
type planCache struct {
	mu    sync.RWMutex
	limit int
	plans []*plan // most recently made first
}

func (p *program) planFor(inputs, captures []tensor.Value) (*plan, error) {
	p.plans.mu.RLock()
	for _, pl := range p.plans.plans {
		if pl.fits(inputs, captures) {
			p.plans.mu.RUnlock()
			return pl, nil
		}
	}
	p.plans.mu.RUnlock()
	in, err := p.inputFacts(inputs)
	if err != nil {
		return nil, err
	}
	capt := make([]op.Fact, len(captures))
	for i, v := range captures {
		if v != nil {
			capt[i] = op.Fact{Type: graph.TypeOf(v)}
		}
	}
	pl, err := p.compile(in, capt)
	if err != nil {
		return nil, err
	}
	p.plans.mu.Lock()
	defer p.plans.mu.Unlock()
	for _, other := range p.plans.plans {
		if other.fits(inputs, captures) {
			return other, nil // made meanwhile by another run
		}
	}
	p.plans.plans = append([]*plan{pl}, p.plans.plans...)
	if len(p.plans.plans) > p.plans.limit {
		last := p.plans.plans[len(p.plans.plans)-1]
		p.plans.plans = p.plans.plans[:len(p.plans.plans)-1]
		if err := last.frames.close(); err != nil {
			return nil, err
		}
	}
	return pl, nil
}

// inputFacts describes the inputs. Those of the main graph have to be what it
// declares; what a subgraph declares is often stale, and its operator gives it
// what it gives.
func (p *program) inputFacts(inputs []tensor.Value) ([]op.Fact, error) {
	out := make([]op.Fact, len(inputs))
	for i, id := range p.g.Inputs() {
		v := p.g.Value(id)
		if inputs[i] == nil {
			return nil, &InputError{Name: v.Name, Reason: "is missing"}
		}
		t := graph.TypeOf(inputs[i])
		if p == p.s.root {
			if err := checkInput(v.Name, v.Type, t); err != nil {
				return nil, err
			}
		}
		out[i] = op.Fact{Type: t}
	}
	return out, nil
}

func checkInput(name string, want, got graph.Type) error {
	if _, ok := graph.MergeType(want.WithUnknownShape(), got.WithUnknownShape()); !ok {
		return &InputError{Name: name, Reason: fmt.Sprintf("is %v, the model takes %v", got, want)}
	}
	if !want.Shape.IsRanked() || !got.IsTensor() {
		return nil
	}
	if len(want.Shape.Dims()) != len(got.Shape.Dims()) {
		return &InputError{Name: name, Reason: fmt.Sprintf("is %v, the model takes %v: the ranks differ", got, want)}
	}
	for i, d := range want.Shape.Dims() {
		if size, ok := d.Size(); ok && !got.Shape.Dims()[i].Is(size) {
			return &InputError{Name: name, Reason: fmt.Sprintf("is %v, the model takes %v: dimension %d must be %d", got, want, i, size)}
		}
	}
	return nil
}

// fits reports whether the plan is for values of these types and shapes.
func (pl *plan) fits(inputs, captures []tensor.Value) bool {
	return fitAll(pl.inputs, inputs) && fitAll(pl.captures, captures)
}

func fitAll(types []graph.Type, vals []tensor.Value) bool {
	if len(types) != len(vals) {
		return false
	}
	for i, v := range vals {
		t := &types[i]
		x, ok := v.(*tensor.Tensor)
		switch {
		case v == nil:
			if t.IsKnown() {
				return false
			}
		case !ok:
			if !v.Type().Equal(t.WithoutShape()) {
				return false
			}
		case !t.IsTensor() || t.DType != x.DType() || !sameShape(t.Shape, x.Shape()):
			return false
		}
	}
	return true
}

func sameShape(s graph.Shape, t tensor.Shape) bool {
	dims := s.Dims()
	if !s.IsRanked() || len(dims) != len(t) {
		return false
	}
	for i, d := range dims {
		if !d.Is(t[i]) {
			return false
		}
	}
	return true
}

func (c *planCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, pl := range c.plans {
		errs = append(errs, pl.frames.close())
	}
	c.plans = nil
	return errors.Join(errs...)
}
