package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

func newModel(g *graph.Graph) *graph.Model {
	return &graph.Model{Graph: g, Opsets: map[string]int{"": 21}}
}

// open makes a session over providers, the CPU's last, and closes it with the test.
func open(t *testing.T, g *graph.Graph, o engine.Options, providers ...ep.Provider) *engine.Session {
	t.Helper()
	reg, err := ep.NewRegistry(append(providers, cpu.New())...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSession(t.Context(), newModel(g), op.Standard(), reg, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, engine.ErrClosed) {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func interpret(t *testing.T, g *graph.Graph, inputs []tensor.Value) []tensor.Value {
	t.Helper()
	p := cpu.New()
	if err := p.Open(t.Context(), ep.Config{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	it := &engine.Interpreter{Provider: p, Env: op.NewEnv(newModel(g))}
	out, err := it.Run(t.Context(), g, inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomInput(rng *rand.Rand, a, b int) *tensor.Tensor {
	data := make([]float32, a*b)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
		if rng.IntN(8) == 0 {
			data[i] = 0
		}
	}
	return tensor.Must(tensor.FromSlice(data, a, b))
}

func compare(t *testing.T, what string, got, want []tensor.Value) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d outputs, want %d", what, len(got), len(want))
	}
	for i := range got {
		if err := tensor.Compare(got[i], want[i], 1e-5, 1e-6); err != nil {
			t.Errorf("%s: output %d: %v", what, i, err)
		}
	}
}

// TestPlannedEqualsInterpreted holds the planned executor, which shares memory
// between values and skips what it knows, against the interpreter, which does
// neither, over random graphs, shapes and optimisation levels.
func TestPlannedEqualsInterpreted(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := randomGraph(t, rng, 5+rng.IntN(40), seed%2 == 1)
		level := []optimize.Level{optimize.LevelAll, optimize.LevelBasic, optimize.LevelOff}[seed%3]
		s := open(t, g.Clone(), engine.Options{Level: level})
		for _, shape := range [][2]int{{3, 5}, {1, 1}, {4, 4}, {0, 3}, {3, 5}} {
			in := []tensor.Value{randomInput(rng, shape[0], shape[1]), randomInput(rng, shape[0], shape[1])}
			want := interpret(t, g, in)
			for range 2 { // the second run reuses plan and memory
				got, err := s.Run(t.Context(), in, nil)
				if err != nil {
					t.Fatalf("seed %d, shape %v: %v", seed, shape, err)
				}
				compare(t, fmt.Sprintf("seed %d, level %v, shape %v", seed, level, shape), got, want)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// TestOutputsBelongToTheCaller: what a run returned does not change in later runs.
func TestOutputsBelongToTheCaller(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g := randomGraph(t, rng, 20, true)
		s := open(t, g, engine.Options{})
		in := []tensor.Value{randomInput(rng, 3, 4), randomInput(rng, 3, 4)}
		first, err := s.Run(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		var kept []tensor.Value
		for _, v := range first {
			kept = append(kept, v.(*tensor.Tensor).Clone())
		}
		for range 3 {
			if _, err := s.Run(t.Context(), []tensor.Value{randomInput(rng, 3, 4), randomInput(rng, 3, 4)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		// Writing into one output changes neither another nor the inputs.
		before := in[0].(*tensor.Tensor).Clone()
		compare(t, fmt.Sprintf("seed %d", seed), first, kept)
		for i, v := range first {
			clear(tensor.Elements[float32](v.(*tensor.Tensor)))
			for j := i + 1; j < len(first); j++ {
				if err := tensor.Compare(first[j], kept[j], 0, 0); err != nil {
					t.Fatalf("seed %d: writing output %d changed output %d", seed, i, j)
				}
			}
		}
		compare(t, "input", in[:1], []tensor.Value{before})
	}
}

// TestConcurrentShapes runs one session from many goroutines with different
// shapes, more than the session keeps plans for.
func TestConcurrentShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	g := randomGraph(t, rng, 30, true)
	s := open(t, g.Clone(), engine.Options{MaxPlans: 3})
	type job struct{ in, want []tensor.Value }
	var jobs []job
	for n := 1; n <= 6; n++ {
		in := []tensor.Value{randomInput(rng, n, n+1), randomInput(rng, n, n+1)}
		jobs = append(jobs, job{in, interpret(t, g, in)})
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 40 {
				j := jobs[(w+i)%len(jobs)]
				got, err := s.Run(t.Context(), j.in, nil)
				if err != nil {
					t.Error(err)
					return
				}
				for k := range got {
					if err := tensor.Compare(got[k], j.want[k], 1e-5, 1e-6); err != nil {
						t.Errorf("worker %d, output %d: %v", w, k, err)
						return
					}
				}
			}
		}()
	}
	wg.Wait()
}

// TestCloseFreesEverything: no buffer of the provider is live after Close, not
// even after failed and cancelled runs.
func TestCloseFreesEverything(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	g := randomGraph(t, rng, 30, true)
	p := cpu.New()
	reg, err := ep.NewRegistry(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSession(t.Context(), newModel(g), op.Standard(), reg, nil, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := []tensor.Value{randomInput(rng, 3, 4), randomInput(rng, 3, 4)}
	if _, err := s.Run(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(cancelled, in, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled run: %v, want context.Canceled", err)
	}
	if p.AllocationCounts().Live == 0 {
		t.Error("an open session that ran holds no memory: the count does not count")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if c := p.AllocationCounts(); c.Live != 0 || c.Allocs != c.Frees {
		t.Errorf("after Close %d bytes are live, %d allocations and %d frees", c.Live, c.Allocs, c.Frees)
	}
	if _, err := s.Run(t.Context(), in, nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("run after Close: %v, want ErrClosed", err)
	}
}

// TestSteadyStateAllocations: a run of a planned graph with bound outputs makes
// nothing anew.
func TestSteadyStateAllocations(t *testing.T) {
	g := graph.New("chain")
	b := &randomBuilder{t: t, g: g}
	x, err := g.AddValue("x", graph.TensorType(tensor.Float32, graph.Fixed(8, 8)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddInput(x); err != nil {
		t.Fatal(err)
	}
	y := x
	for range 10 {
		y = b.node("Relu", 1, nil, b.node("Neg", 1, nil, y)[0])[0]
		y = b.node("Add", 1, nil, y, x)[0]
	}
	if err := g.AddOutput(y); err != nil {
		t.Fatal(err)
	}
	reg, err := ep.NewRegistry(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.NewSession(t.Context(), newModel(g), op.Standard(), reg, map[string]ep.Config{cpu.Name: {Threads: 1}}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in := []tensor.Value{randomInput(rand.New(rand.NewPCG(1, 1)), 8, 8)}
	out := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float32, 8, 8))}
	run := func() {
		if _, err := s.Run(t.Context(), in, out); err != nil {
			t.Fatal(err)
		}
	}
	run()
	// One list for the results, and one closure of the run's deferred cleanup.
	if n := testing.AllocsPerRun(100, run); n > 3 {
		t.Errorf("%v allocations a run of 30 nodes, want at most 3", n)
	}
}

func TestErrorsNameNodeAndReason(t *testing.T) {
	g := graph.New("errors")
	b := &randomBuilder{t: t, g: g}
	for i, d := range []tensor.DType{tensor.Float32, tensor.Int64} {
		id, err := g.AddValue([]string{"x", "i"}[i], graph.TensorType(d, graph.ShapeOf(graph.Symbol("n"))))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.AddInput(id); err != nil {
			t.Fatal(err)
		}
		b.values = append(b.values, id)
	}
	if err := g.AddOutput(b.node("Gather", 1, nil, b.values[0], b.values[1])[0]); err != nil {
		t.Fatal(err)
	}
	s := open(t, g, engine.Options{})
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 3}))
	for _, c := range []struct {
		name string
		in   []tensor.Value
		as   any
		want error
	}{
		{"index out of range", []tensor.Value{x, tensor.Must(tensor.FromSlice([]int64{7}))}, new(*engine.NodeError), nil},
		{"wrong type", []tensor.Value{x, x}, new(*engine.InputError), nil},
		{"wrong rank", []tensor.Value{tensor.Scalar(float32(1)).Contiguous(), x}, new(*engine.InputError), nil},
		{"missing", []tensor.Value{x, nil}, new(*engine.InputError), nil},
	} {
		_, err := s.Run(t.Context(), c.in, nil)
		if err == nil || !errors.As(err, c.as) {
			t.Errorf("%s: error %v (%T), want %T", c.name, err, err, c.as)
		}
	}
}

func TestUnsupportedNodesAreAllReported(t *testing.T) {
	g := graph.New("unknown")
	b := &randomBuilder{t: t, g: g}
	x, err := g.AddValue("x", graph.TensorType(tensor.Float32, graph.Fixed(2)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddInput(x); err != nil {
		t.Fatal(err)
	}
	y := b.node("NoSuchOperator", 1, nil, x)[0]
	if err := g.AddOutput(b.node("NorThisOne", 1, nil, b.node("Relu", 1, nil, y)[0])[0]); err != nil {
		t.Fatal(err)
	}
	p := cpu.New()
	reg, err := ep.NewRegistry(p)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.NewSession(t.Context(), newModel(g), op.Standard(), reg, nil, engine.Options{})
	var unsupported *engine.UnsupportedError
	if !errors.As(err, &unsupported) || len(unsupported.Nodes) != 2 {
		t.Fatalf("error %v, want an UnsupportedError of 2 nodes", err)
	}
	for i, name := range []string{"NoSuchOperator", "NorThisOne"} {
		if n := unsupported.Nodes[i]; n.Op != name || len(n.Refusals) == 0 || n.Refusals[0].Reason == "" {
			t.Errorf("node %d: %+v, want %s with a reason", i, n, name)
		}
	}
	if c := p.AllocationCounts(); c.Live != 0 {
		t.Errorf("a failed build leaves %d bytes live", c.Live)
	}
}

func TestLimits(t *testing.T) {
	g := graph.New("large")
	b := &randomBuilder{t: t, g: g}
	x, err := g.AddValue("x", graph.TensorType(tensor.Int64, graph.Fixed(2)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddInput(x); err != nil {
		t.Fatal(err)
	}
	if err := g.AddOutput(b.node("ConstantOfShape", 1, nil, x)[0]); err != nil {
		t.Fatal(err)
	}
	s := open(t, g, engine.Options{MaxTensorBytes: 1 << 20})
	if _, err := s.Run(t.Context(), []tensor.Value{tensor.Must(tensor.FromSlice([]int64{10, 20}))}, nil); err != nil {
		t.Errorf("a small tensor: %v", err)
	}
	for _, shape := range [][]int64{{1 << 10, 1 << 10}, {1 << 40, 1 << 40}, {-1, 4}} {
		_, err := s.Run(t.Context(), []tensor.Value{tensor.Must(tensor.FromSlice(shape))}, nil)
		if err == nil {
			t.Errorf("shape %v: no error", shape)
		}
	}
}
