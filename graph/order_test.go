package graph

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// chain returns n nodes, each reading the one before; with reversed ids, each
// reading the one after.
func chain(t testing.TB, n int, reversed bool) *Graph {
	t.Helper()
	g := New("chain")
	in := g.NewValue(Type{})
	if err := g.AddInput(in); err != nil {
		t.Fatal(err)
	}
	vals := make([]ValueID, n+1)
	vals[0] = in
	for i := 1; i <= n; i++ {
		vals[i] = g.NewValue(Type{})
	}
	for i := range n {
		k := i
		if reversed {
			k = n - 1 - i
		}
		if _, err := g.AddNode(NodeSpec{Op: "Relu", Inputs: vals[k : k+1], Outputs: vals[k+1 : k+2]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.AddOutput(vals[n]); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOrderKeepsIdsThatAreInOrder(t *testing.T) {
	order, err := chain(t, 1000, false).Order()
	if err != nil || !slices.IsSorted(order) {
		t.Errorf("nodes already in order were moved (%v)", err)
	}
	g := chain(t, 100_000, true) // deep enough to overflow a recursive walk's budget
	order, err = g.Order()
	if err != nil {
		t.Fatal(err)
	}
	checkOrder(t, g, order)
}

func TestOrderNamesTheCycle(t *testing.T) {
	g := chain(t, 5, false)
	last := g.Outputs()[0]
	if err := g.SetInput(1, 0, last); err != nil {
		t.Fatal(err)
	}
	var cycle *CycleError
	if _, err := g.Order(); !errors.As(err, &cycle) || len(cycle.Nodes) != 4 {
		t.Errorf("got %v, want a cycle of four nodes", err)
	}
}

// BenchmarkEdit inserts a node behind a random one and removes it again: the cost
// must not depend on the size of the graph.
func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := chain(b, n, false)
			x := g.Node(NodeID(n / 2)).Outputs()[0]
			b.ReportAllocs()
			for b.Loop() {
				y := g.NewValue(Type{})
				if err := g.ReplaceUses(x, y); err != nil {
					b.Fatal(err)
				}
				id, err := g.AddNode(NodeSpec{Op: "Abs", Inputs: []ValueID{x}, Outputs: []ValueID{y}})
				if err != nil {
					b.Fatal(err)
				}
				if err := g.ReplaceUses(y, x); err != nil {
					b.Fatal(err)
				}
				// The new node now reads what it would feed; it goes again.
				if err := g.SetInput(id, 0, NoValue); err != nil {
					b.Fatal(err)
				}
				if err := g.RemoveNode(id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOrder(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := chain(b, n, false)
			for b.Loop() {
				if _, err := g.Order(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
