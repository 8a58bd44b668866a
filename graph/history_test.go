package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gort/tensor"
)

// editor applies random edits to a graph and keeps an independent picture of
// which value each node reads, to compare with.
type editor struct {
	t      *testing.T
	rng    *rand.Rand
	g      *Graph
	reads  map[NodeID][]ValueID
	output []ValueID
	log    []string
}

func newEditor(t *testing.T, seed uint64) *editor {
	e := &editor{t: t, rng: rand.New(rand.NewPCG(seed, 1)), g: New("history"), reads: map[NodeID][]ValueID{}}
	for range 3 {
		id, err := e.g.AddValue("", TensorType(tensor.Float32, OfRank(1)))
		e.must(err)
		e.must(e.g.AddInput(id))
	}
	return e
}

func (e *editor) must(err error) {
	if err != nil {
		e.t.Fatalf("%v\nhistory:\n%s", err, strings.Join(e.log, "\n"))
	}
}

func (e *editor) anyValue() ValueID {
	for {
		id := ValueID(e.rng.IntN(e.g.ValueBound()))
		if v := e.g.Value(id); v != nil {
			return id
		}
	}
}

func (e *editor) anyNode() *Node {
	if e.g.NumNodes() == 0 {
		return nil
	}
	for {
		if n := e.g.Node(NodeID(e.rng.IntN(e.g.NodeBound()))); n != nil {
			return n
		}
	}
}

// step makes one random edit. Edits that could close a ring read only from values
// with smaller ids than what the node makes, which keeps the graph acyclic.
func (e *editor) step() {
	switch e.rng.IntN(8) {
	case 0, 1, 2:
		e.addNode()
	case 3:
		if n := e.anyNode(); n != nil && len(n.inputs) > 0 {
			slot, v := e.rng.IntN(len(n.inputs)+1), e.below(n)
			e.log = append(e.log, fmt.Sprintf("SetInput(%d, %d, %d)", n.ID, slot, v))
			e.must(e.g.SetInput(n.ID, slot, v))
			if slot == len(e.reads[n.ID]) {
				e.reads[n.ID] = append(e.reads[n.ID], NoValue)
			}
			e.reads[n.ID][slot] = v
		}
	case 4:
		e.replace()
	case 5:
		e.remove()
	case 6:
		v := e.anyValue()
		if len(e.output) > 0 && e.rng.IntN(2) == 0 {
			i := e.rng.IntN(len(e.output))
			e.log = append(e.log, fmt.Sprintf("SetOutput(%d, %d)", i, v))
			e.must(e.g.SetOutput(i, v))
			e.output[i] = v
			return
		}
		e.log = append(e.log, fmt.Sprintf("AddOutput(%d)", v))
		e.must(e.g.AddOutput(v))
		e.output = append(e.output, v)
	case 7:
		v := e.anyValue()
		e.must(e.g.Rename(v, fmt.Sprintf("renamed_%d_%d", v, e.rng.IntN(1000))))
	}
}

func (e *editor) addNode() {
	spec := NodeSpec{Op: "Op"}
	for range e.rng.IntN(4) {
		if e.rng.IntN(5) == 0 {
			spec.Inputs = append(spec.Inputs, NoValue)
		} else {
			spec.Inputs = append(spec.Inputs, e.anyValue())
		}
	}
	for range 1 + e.rng.IntN(2) {
		spec.Outputs = append(spec.Outputs, e.g.NewValue(Type{}))
	}
	id, err := e.g.AddNode(spec)
	e.must(err)
	e.log = append(e.log, fmt.Sprintf("AddNode %v -> %v", spec.Inputs, spec.Outputs))
	e.reads[id] = slices.Clone(spec.Inputs)
}

// below picks a value older than everything the node makes.
func (e *editor) below(n *Node) ValueID {
	for {
		if v := e.anyValue(); v < slices.Min(n.outputs) {
			return v
		}
	}
}

func (e *editor) replace() {
	old, new := e.anyValue(), e.anyValue()
	if new > old {
		old, new = new, old
	}
	e.log = append(e.log, fmt.Sprintf("ReplaceUses(%d, %d)", old, new))
	e.must(e.g.ReplaceUses(old, new))
	for _, list := range e.reads {
		for i := range list {
			if list[i] == old {
				list[i] = new
			}
		}
	}
	for i := range e.output {
		if e.output[i] == old {
			e.output[i] = new
		}
	}
}

func (e *editor) remove() {
	n := e.anyNode()
	if n == nil {
		return
	}
	used := false
	for _, o := range n.outputs {
		used = used || len(e.g.Value(o).uses) > 0
	}
	e.log = append(e.log, fmt.Sprintf("RemoveNode(%d)", n.ID))
	err := e.g.RemoveNode(n.ID)
	if used != errors.Is(err, ErrInUse) {
		e.t.Fatalf("RemoveNode(%d) of a node in use %v: %v", n.ID, used, err)
	}
	if err == nil {
		delete(e.reads, n.ID)
	}
}

// check compares the graph with the independent picture.
func (e *editor) check() {
	e.must(e.g.Validate())
	if e.g.NumNodes() != len(e.reads) {
		e.t.Fatalf("%d nodes, want %d", e.g.NumNodes(), len(e.reads))
	}
	for id, want := range e.reads {
		if got := e.g.Node(id).Inputs(); !slices.Equal(got, want) {
			e.t.Fatalf("node %d reads %v, want %v\nhistory:\n%s", id, got, want, strings.Join(e.log, "\n"))
		}
	}
	if !slices.Equal(e.g.Outputs(), e.output) {
		e.t.Fatalf("outputs %v, want %v", e.g.Outputs(), e.output)
	}
	order, err := e.g.Order()
	e.must(err)
	checkOrder(e.t, e.g, order)
}

func checkOrder(t *testing.T, g *Graph, order []NodeID) {
	t.Helper()
	if len(order) != g.NumNodes() {
		t.Fatalf("the order has %d of %d nodes", len(order), g.NumNodes())
	}
	at := make(map[NodeID]int)
	for i, id := range order {
		at[id] = i + 1
	}
	for n := range g.Nodes() {
		for _, in := range slices.Concat(n.Inputs(), n.Implicit()) {
			if in == NoValue {
				continue
			}
			if p, _ := g.Value(in).Producer(); p != NoNode && at[p] >= at[n.ID] {
				t.Fatalf("node %d comes before node %d, which it reads", n.ID, p)
			}
		}
	}
}

func TestRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		e := newEditor(t, seed)
		for range 150 {
			e.step()
			e.check()
		}
		before := describe(e.g)
		c := &editor{t: t, rng: e.rng, g: e.g.Clone(), reads: map[NodeID][]ValueID{}, output: slices.Clone(e.output)}
		for id, list := range e.reads {
			c.reads[id] = slices.Clone(list)
		}
		c.check()
		if got := describe(c.g); got != before {
			t.Fatalf("seed %d: the clone differs:\n%s\nfrom\n%s", seed, got, before)
		}
		for range 50 {
			c.step()
		}
		c.check()
		if got := describe(e.g); got != before {
			t.Fatalf("seed %d: editing the clone changed the original", seed)
		}
		first, _ := e.g.Order()
		for range 3 {
			if again, _ := e.g.Clone().Order(); !slices.Equal(first, again) {
				t.Fatalf("seed %d: the order changes from call to call", seed)
			}
		}
	}
}

// describe prints everything a graph is.
func describe(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %v out %v captures %v\n", g.Name, g.inputs, g.outputs, g.Captures)
	for v := range g.Values() {
		fmt.Fprintf(&b, "value %d %q %v %v const %v producer %d.%d\n", v.ID, v.Name, v.Type, v.uses, v.Const, v.producer, v.output)
	}
	for n := range g.Nodes() {
		fmt.Fprintf(&b, "node %d %s %v %v -> %v\n", n.ID, n.Op, n.inputs, n.implicit, n.outputs)
		for _, s := range n.Subgraphs() {
			b.WriteString(describe(s))
		}
	}
	return b.String()
}
