package optimize_test

import (
	"fmt"
	"runtime"
	"testing"

	"gort/graph"
	"gort/optimize"
	"gort/tensor"
)

// grower builds large graphs of floats of shape [2].
type grower struct {
	t testing.TB
	*graph.Graph
	x graph.ValueID
}

func newGrower(t testing.TB) *grower {
	g := &grower{t: t, Graph: graph.New("large")}
	id, err := g.AddValue("x", parseType("float[2]"))
	g.ok(err)
	g.ok(g.AddInput(id))
	g.x = id
	return g
}

func (g *grower) ok(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *grower) node(op string, inputs ...graph.ValueID) graph.ValueID {
	out := g.NewValue(graph.Type{})
	_, err := g.AddNode(graph.NodeSpec{Op: op, Opset: 21, Inputs: inputs, Outputs: []graph.ValueID{out}})
	g.ok(err)
	return out
}

func (g *grower) constant(v float32) graph.ValueID {
	id, err := g.AddConst("", tensor.Must(tensor.FromSlice([]float32{v, v})))
	g.ok(err)
	return id
}

// growths are graphs of about n nodes in the forms that cost most when a pass
// does more than look at each node and link once.
var growths = map[string]func(g *grower, n int){
	"chain of identities": func(g *grower, n int) {
		v := g.x
		for range n {
			v = g.node("Identity", v)
		}
		g.ok(g.AddOutput(v))
	},
	"identities of one value": func(g *grower, n int) {
		for range n / 2 {
			g.ok(g.AddOutput(g.node("Neg", g.node("Identity", g.x))))
		}
	},
	"readers at the end of a chain of identities": func(g *grower, n int) {
		v := g.x
		for range n / 2 {
			v = g.node("Identity", v)
		}
		for range n / 2 {
			g.ok(g.AddOutput(g.node("Neg", v)))
		}
	},
	"dead chain": func(g *grower, n int) {
		v := g.x
		for range n {
			v = g.node("Neg", v)
		}
		g.ok(g.AddOutput(g.x))
	},
	"dead readers of one chain": func(g *grower, n int) {
		v := g.x
		for range n / 2 {
			v = g.node("Neg", v)
			g.node("Exp", v)
		}
		g.ok(g.AddOutput(g.x))
	},
	"two equal chains": func(g *grower, n int) {
		v, w := g.x, g.x
		for range n / 2 {
			v, w = g.node("Neg", v), g.node("Neg", w)
		}
		g.ok(g.AddOutput(g.node("Add", v, w)))
	},
	"equal nodes": func(g *grower, n int) {
		for range n {
			g.ok(g.AddOutput(g.node("Neg", g.x)))
		}
	},
	"equal constants": func(g *grower, n int) {
		v := g.x
		for range n {
			v = g.node("Add", v, g.constant(1))
		}
		g.ok(g.AddOutput(v))
	},
	"constants in a chain": func(g *grower, n int) {
		v := g.constant(1)
		for i := range n {
			v = g.node("Add", v, g.constant(float32(i)))
		}
		g.ok(g.AddOutput(v))
	},
	"shapes of one value": func(g *grower, n int) {
		for range n / 2 {
			g.ok(g.AddOutput(g.node("Neg", g.node("Shape", g.x))))
		}
	},
	"a node that reads all others": func(g *grower, n int) {
		var all []graph.ValueID
		for range n {
			all = append(all, g.node("Identity", g.x))
		}
		g.ok(g.AddOutput(g.node("Sum", all...)))
	},
}

func grown(t testing.TB, name string, n int) *graph.Graph {
	g := newGrower(t)
	growths[name](g, n)
	return g.Graph
}

// run optimizes a graph and returns how often memory was asked for, which goes
// with the number of nodes and links looked at.
func run(t testing.TB, g *graph.Graph) uint64 {
	env := newEnv()
	o := optimize.Options{Evaluator: interpreter(t, env)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := optimize.Run(t.Context(), g, env, o); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// Twenty thousand nodes cost twenty times what a thousand cost.
func TestLargeGraphsCostWhatTheirNodesCost(t *testing.T) {
	for name := range growths {
		t.Run(name, func(t *testing.T) {
			small := run(t, grown(t, name, 1000))
			g := grown(t, name, 20000)
			large := run(t, g)
			if large > 30*small {
				t.Errorf("1,000 nodes ask for memory %d times, 20,000 nodes %d times: more than 30 times as often", small, large)
			}
			if err := g.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkRun gives the time per node, which should not depend on their number.
func BenchmarkRun(b *testing.B) {
	for name := range growths {
		for _, n := range []int{1000, 5000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				original := grown(b, name, n)
				for b.Loop() {
					b.StopTimer()
					g := original.Clone()
					b.StartTimer()
					run(b, g)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
			})
		}
	}
}
