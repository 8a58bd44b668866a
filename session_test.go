package gort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gort"
	"gort/ep/cpu"
	"gort/graph"
	"gort/tensor"
)

// sharedFor is how long goroutines share one session in TestSharedSession. The
// race detector's run in CI takes the full ten seconds.
func sharedFor() time.Duration {
	if os.Getenv("CI") != "" {
		return 10 * time.Second
	}
	return time.Second
}

// TestSharedSession runs one session from 32 goroutines at once, with batches of
// different sizes, and holds every result against that of a lone run.
func TestSharedSession(t *testing.T) {
	s, err := gort.Open("cmd/gort/digits/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	type job struct {
		in   map[string]tensor.Value
		want tensor.Value
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var jobs []job
	for batch := 1; batch <= 5; batch++ {
		data := make([]float32, batch*28*28)
		for i := range data {
			data[i] = rng.Float32()
		}
		in := map[string]tensor.Value{"image": tensor.Must(tensor.FromSlice(data, batch, 1, 28, 28))}
		out, err := s.Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job{in, out["probabilities"]})
	}
	until := time.Now().Add(sharedFor())
	var runs atomic.Int64
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := w; time.Now().Before(until); i++ {
				j := jobs[i%len(jobs)]
				out, err := s.Run(t.Context(), j.in)
				if err != nil {
					t.Error(err)
					return
				}
				if err := tensor.Compare(out["probabilities"], j.want, 1e-6, 1e-7); err != nil {
					t.Errorf("goroutine %d: %v", w, err)
					return
				}
				runs.Add(1)
			}
		})
	}
	wg.Wait()
	if n := runs.Load(); n < 32 {
		t.Errorf("%d runs in %v: the goroutines did not share the session", n, sharedFor())
	}
}

// slowModel is a chain of products of n×n matrices: about 2·n³ operations each.
func slowModel(t *testing.T, n, length int) *gort.Session {
	t.Helper()
	g := graph.New("products")
	x := addInput(t, g, "x", graph.TensorType(tensor.Float32, graph.Fixed(n, n)))
	y := x
	for range length {
		z := g.NewValue(graph.Type{})
		if _, err := g.AddNode(graph.NodeSpec{Op: "MatMul", Opset: 13, Inputs: []graph.ValueID{y, x}, Outputs: []graph.ValueID{z}}); err != nil {
			t.Fatal(err)
		}
		y = z
	}
	if err := g.AddOutput(y); err != nil {
		t.Fatal(err)
	}
	return load(t, g)
}

// loopModel counts to a billion in a Loop whose body adds one.
func loopModel(t *testing.T) *gort.Session {
	t.Helper()
	body := graph.New("body")
	scalar := graph.TensorType(tensor.Int64, graph.ShapeOf())
	addInput(t, body, "i", scalar)
	cond := addInput(t, body, "cond", graph.TensorType(tensor.Bool, graph.ShapeOf()))
	n := addInput(t, body, "n", scalar)
	one, err := body.AddConst("one", tensor.Scalar(int64(1)))
	if err != nil {
		t.Fatal(err)
	}
	for i, spec := range []graph.NodeSpec{{Op: "Identity", Inputs: []graph.ValueID{cond}}, {Op: "Add", Inputs: []graph.ValueID{n, one}}} {
		out, err := body.AddValue([]string{"again", "next"}[i], graph.Type{})
		if err != nil {
			t.Fatal(err)
		}
		spec.Opset, spec.Outputs = 13, []graph.ValueID{out}
		if _, err := body.AddNode(spec); err != nil {
			t.Fatal(err)
		}
		if err := body.AddOutput(out); err != nil {
			t.Fatal(err)
		}
	}
	g := graph.New("count")
	x := addInput(t, g, "x", scalar)
	trips, err := g.AddConst("trips", tensor.Scalar(int64(1_000_000_000)))
	if err != nil {
		t.Fatal(err)
	}
	out := g.NewValue(graph.Type{})
	if _, err := g.AddNode(graph.NodeSpec{Op: "Loop", Opset: 13, Inputs: []graph.ValueID{trips, graph.NoValue, x}, Outputs: []graph.ValueID{out}, Attrs: []graph.Attr{graph.NewAttr("body", body)}}); err != nil {
		t.Fatal(err)
	}
	if err := g.AddOutput(out); err != nil {
		t.Fatal(err)
	}
	return load(t, g)
}

// TestCancel: a run that would take seconds ends within 100 ms of its context,
// inside a long kernel as well as inside a loop, and the session works on.
func TestCancel(t *testing.T) {
	slow := slowModel(t, 1024, 100)
	loop := loopModel(t)
	x := tensor.Must(tensor.New(tensor.Float32, 1024, 1024))
	for _, c := range []struct {
		name string
		s    *gort.Session
		in   tensor.Value
	}{{"products", slow, x}, {"loop", loop, tensor.Scalar(int64(0))}} {
		for _, after := range []time.Duration{0, 20 * time.Millisecond, 70 * time.Millisecond} {
			ctx, cancel := context.WithCancel(t.Context())
			var at time.Time
			time.AfterFunc(after, func() { at = time.Now(); cancel() })
			_, err := c.s.Run(ctx, map[string]tensor.Value{"x": c.in})
			took := time.Since(at)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: run cancelled after %v: error %v, want context.Canceled", c.name, after, err)
			}
			if took > 100*time.Millisecond {
				t.Errorf("%s: run cancelled after %v came back %v later, want within 100ms", c.name, after, took)
			}
		}
	}
}

// TestCloseLeavesNothing: after Close no worker goroutine runs on and the
// provider has no live buffer; runs fail with ErrClosed.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := cpu.New()
	s, err := gort.Open("cmd/gort/digits/digits.onnx", gort.WithProviders(p), gort.WithThreads(4))
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]tensor.Value{"image": tensor.Must(tensor.New(tensor.Float32, 64, 1, 28, 28))}
	for range 3 {
		if _, err := s.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v, want nil", err)
	}
	if c := p.AllocationCounts(); c.Live != 0 || c.Allocs == 0 || c.Allocs != c.Frees {
		t.Errorf("after Close: %+v, want allocations, as many frees, and nothing live", c)
	}
	if _, err := s.Run(t.Context(), in); !errors.Is(err, gort.ErrClosed) {
		t.Errorf("Run after Close: %v, want ErrClosed", err)
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > time.Second {
			t.Fatalf("%d goroutines after Close, %d before Open", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
}

// TestCloseWaitsForRuns: Close during runs neither breaks them nor leaks.
func TestCloseWaitsForRuns(t *testing.T) {
	s := slowModel(t, 256, 20)
	x := tensor.Must(tensor.New(tensor.Float32, 256, 256))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				if _, err := s.Run(t.Context(), map[string]tensor.Value{"x": x}); err != nil {
					if !errors.Is(err, gort.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// TestBoundOutputsAreWritten: bound tensors receive the results, and a tensor
// that does not fit is an error that names it.
func TestBoundOutputsAreWritten(t *testing.T) {
	s, err := gort.Open("cmd/gort/digits/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	image := tensor.Must(tensor.New(tensor.Float32, 1, 1, 28, 28))
	for i, p := range tensor.Elements[float32](image) {
		tensor.Elements[float32](image)[i] = p + float32(i%7)/7
	}
	want, err := s.RunValues(t.Context(), image)
	if err != nil {
		t.Fatal(err)
	}
	b := s.Bind()
	got := tensor.Must(tensor.New(tensor.Float32, 1, 10))
	for _, e := range []error{b.Input("image", image), b.Output("probabilities", got), b.Run(t.Context())} {
		if e != nil {
			t.Fatal(e)
		}
	}
	if err := tensor.Compare(got, want[0], 0, 0); err != nil {
		t.Error(err)
	}
	if b.Result("probabilities") != tensor.Value(got) {
		t.Error("Result is not the bound tensor")
	}
	if err := b.Output("probabilities", tensor.Must(tensor.New(tensor.Float32, 2, 10))); err != nil {
		t.Fatal(err)
	}
	if err := b.Run(t.Context()); err == nil {
		t.Error("a bound output of another shape: no error")
	}
	for _, e := range []error{b.Input("nope", image), b.Output("nope", got)} {
		if e == nil {
			t.Error("an unknown name: no error")
		}
	}
}

func TestInputErrors(t *testing.T) {
	s, err := gort.Open("cmd/gort/digits/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	image := tensor.Must(tensor.New(tensor.Float32, 1, 1, 28, 28))
	for name, in := range map[string]map[string]tensor.Value{
		"missing":    {},
		"unknown":    {"image": image, "picture": image},
		"type":       {"image": tensor.Must(tensor.New(tensor.Int64, 1, 1, 28, 28))},
		"rank":       {"image": tensor.Must(tensor.New(tensor.Float32, 28, 28))},
		"dimension":  {"image": tensor.Must(tensor.New(tensor.Float32, 1, 3, 28, 28))},
		"no tensor":  {"image": &tensor.Sequence{Elem: tensor.TensorOf(tensor.Float32)}},
		"nil tensor": {"image": (*tensor.Tensor)(nil)},
	} {
		_, err := s.Run(t.Context(), in)
		var input *gort.InputError
		if !errors.As(err, &input) {
			t.Errorf("%s: error %v (%T), want *gort.InputError", name, err, err)
		}
	}
}

func addInput(t *testing.T, g *graph.Graph, name string, typ graph.Type) graph.ValueID {
	t.Helper()
	id, err := g.AddValue(name, typ)
	if err == nil {
		err = g.AddInput(id)
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func load(t *testing.T, g *graph.Graph) *gort.Session {
	t.Helper()
	s, err := gort.Load(encode(t, g))
	if err != nil {
		t.Fatal(fmt.Errorf("load %s: %w", g.Name, err))
	}
	t.Cleanup(func() { s.Close() })
	return s
}
