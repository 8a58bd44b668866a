package graph

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"gort/tensor"
)

func itoa(n int) string { return strconv.Itoa(n) }

// NodeID names a node of one graph. Ids are never given twice, so the id of a
// removed node finds nothing rather than another node.
type NodeID int32

// ValueID names a value of one graph; like NodeID, never given twice.
type ValueID int32

// Ids that name nothing.
const (
	NoNode  NodeID  = -1
	NoValue ValueID = -1 // an omitted optional input or output
)

// Use is one place where a value is read: an input slot of a node, an implicit
// slot (a value that the node's subgraphs capture), or an output of the graph.
type Use struct {
	Node     NodeID // NoNode for a graph output
	Slot     int
	Implicit bool
}

// Value is an edge of the graph: made once, read anywhere.
type Value struct {
	ID   ValueID
	Name string
	Type Type
	// Const is the value itself when it is known before any run: an initializer
	// or a folded constant. On a graph input it is a default that a caller may override.
	Const *tensor.Tensor

	producer NodeID
	output   int // which output of the producer
	input    int // index among the graph's inputs, -1 when it is none
	uses     []Use
}

// Producer returns the node that makes the value and which of its outputs it is;
// NoNode for inputs, initializers and captured values.
func (v *Value) Producer() (NodeID, int) { return v.producer, v.output }

// Uses lists where the value is read. The caller must not change it, and its order means nothing.
func (v *Value) Uses() []Use { return v.uses }

// IsInput reports whether the value is an input of its graph.
func (v *Value) IsInput() bool { return v.input >= 0 }

// IsOutput reports whether the value is an output of its graph.
func (v *Value) IsOutput() bool {
	for _, u := range v.uses {
		if u.Node == NoNode {
			return true
		}
	}
	return false
}

// IsConstant reports whether the value is the same in every run.
func (v *Value) IsConstant() bool { return v.Const != nil && v.input < 0 }

// Node is one operator applied to values.
type Node struct {
	ID       NodeID
	Name     string
	Domain   string // "" is ai.onnx
	Op       string
	Overload string // of a model-local function
	Opset    int    // version of Domain that the node's graph imports
	Attrs    []Attr
	Provider string // set by placement
	Doc      string

	inputs   []ValueID // by position; NoValue where an optional one is omitted
	implicit []ValueID // outer values that subgraphs capture
	outputs  []ValueID
	inPos    []int // position of slot i's use in its value's list
	implPos  []int
}

// Inputs are the node's inputs by position, NoValue where omitted. Read only.
func (n *Node) Inputs() []ValueID { return n.inputs }

// Implicit are the outer values that the node's subgraphs capture. Read only.
func (n *Node) Implicit() []ValueID { return n.implicit }

// Outputs are the node's outputs by position, NoValue where omitted. Read only.
func (n *Node) Outputs() []ValueID { return n.outputs }

// Attr returns the attribute of that name.
func (n *Node) Attr(name string) (Attr, bool) {
	for _, a := range n.Attrs {
		if a.Name == name {
			return a, true
		}
	}
	return Attr{}, false
}

// SetAttr sets or replaces an attribute.
func (n *Node) SetAttr(a Attr) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == a.Name {
			n.Attrs[i] = a
			return
		}
	}
	n.Attrs = append(n.Attrs, a)
}

// Subgraphs returns the graphs among the node's attributes, in attribute order.
func (n *Node) Subgraphs() []*Graph {
	var out []*Graph
	for _, a := range n.Attrs {
		switch v := a.Value.(type) {
		case *Graph:
			out = append(out, v)
		case []*Graph:
			out = append(out, v...)
		}
	}
	return out
}

// Label names the node for people: its name, or its operator and id.
func (n *Node) Label() string {
	if n.Name != "" {
		return n.Name
	}
	return n.Op + "#" + itoa(int(n.ID))
}

// Capture ties a value of a subgraph to the value of the outer graph it stands for.
type Capture struct {
	Implicit int // index into the owner node's Implicit
	Inner    ValueID
}

// Graph is a set of nodes joined by values. It is not safe for concurrent edits.
type Graph struct {
	Name string
	Doc  string
	// Captures are, in a subgraph, the values that come from outside.
	Captures []Capture

	nodes   []*Node // by id, nil once removed
	values  []*Value
	inputs  []ValueID
	outputs []ValueID
	outPos  []int
	byName  map[string]ValueID
	live    int
	fresh   int
}

// ErrInUse is returned when something still read would be removed.
var ErrInUse = errors.New("graph: value is still in use")

// New returns an empty graph.
func New(name string) *Graph { return &Graph{Name: name, byName: map[string]ValueID{}} }

// NumNodes is the number of live nodes.
func (g *Graph) NumNodes() int { return g.live }

// NodeBound is one more than the largest node id ever given, for tables indexed by id.
func (g *Graph) NodeBound() int { return len(g.nodes) }

// ValueBound is one more than the largest value id ever given, for tables indexed by id.
func (g *Graph) ValueBound() int { return len(g.values) }

// Node returns a node, or nil when it was removed or never was.
func (g *Graph) Node(id NodeID) *Node {
	if id < 0 || int(id) >= len(g.nodes) {
		return nil
	}
	return g.nodes[id]
}

// Value returns a value, or nil when it was removed or never was.
func (g *Graph) Value(id ValueID) *Value {
	if id < 0 || int(id) >= len(g.values) {
		return nil
	}
	return g.values[id]
}

// Nodes walks the live nodes by id. Nodes added meanwhile are walked too.
func (g *Graph) Nodes() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for i := 0; i < len(g.nodes); i++ {
			if n := g.nodes[i]; n != nil && !yield(n) {
				return
			}
		}
	}
}

// Values walks the live values by id.
func (g *Graph) Values() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		for i := 0; i < len(g.values); i++ {
			if v := g.values[i]; v != nil && !yield(v) {
				return
			}
		}
	}
}

// Inputs are the graph's inputs in order. Read only.
func (g *Graph) Inputs() []ValueID { return g.inputs }

// Outputs are the graph's outputs in order. Read only.
func (g *Graph) Outputs() []ValueID { return g.outputs }

// Lookup finds a value by name.
func (g *Graph) Lookup(name string) (ValueID, bool) {
	id, ok := g.byName[name]
	return id, ok
}

// AddValue adds a value. An empty name gets a fresh one; a name that is taken is an error.
func (g *Graph) AddValue(name string, t Type) (ValueID, error) {
	if name == "" {
		for {
			g.fresh++
			name = "gort_" + itoa(g.fresh)
			if _, taken := g.byName[name]; !taken {
				break
			}
		}
	}
	if _, taken := g.byName[name]; taken {
		return NoValue, fmt.Errorf("graph: two values are named %q", name)
	}
	id := ValueID(len(g.values))
	g.values = append(g.values, &Value{ID: id, Name: name, Type: t, producer: NoNode, input: -1})
	g.byName[name] = id
	return id, nil
}

// NewValue adds a value under a fresh name.
func (g *Graph) NewValue(t Type) ValueID {
	id, err := g.AddValue("", t)
	if err != nil {
		panic(err) // a fresh name is never taken
	}
	return id
}

// AddConst adds a constant value; an empty name gets a fresh one.
func (g *Graph) AddConst(name string, c *tensor.Tensor) (ValueID, error) {
	id, err := g.AddValue(name, TypeOf(c))
	if err == nil {
		g.values[id].Const = c
	}
	return id, err
}

// Rename gives a value another name; a name that is taken is an error.
func (g *Graph) Rename(id ValueID, name string) error {
	v := g.Value(id)
	if v == nil {
		return fmt.Errorf("graph: no value %d", id)
	}
	if other, taken := g.byName[name]; taken && other != id {
		return fmt.Errorf("graph: two values are named %q", name)
	}
	delete(g.byName, v.Name)
	v.Name = name
	g.byName[name] = id
	return nil
}

// AddInput makes a value the next input of the graph. The value must have no producer.
func (g *Graph) AddInput(id ValueID) error {
	v := g.Value(id)
	switch {
	case v == nil:
		return fmt.Errorf("graph: no value %d", id)
	case v.producer != NoNode:
		return fmt.Errorf("graph: input %q is made by node %q", v.Name, g.nodes[v.producer].Label())
	case v.input >= 0:
		return fmt.Errorf("graph: two inputs are named %q", v.Name)
	}
	v.input = len(g.inputs)
	g.inputs = append(g.inputs, id)
	return nil
}

// AddOutput makes a value the next output of the graph. One value may be several outputs.
func (g *Graph) AddOutput(id ValueID) error {
	v := g.Value(id)
	if v == nil {
		return fmt.Errorf("graph: no value %d", id)
	}
	g.outPos = append(g.outPos, len(v.uses))
	v.uses = append(v.uses, Use{Node: NoNode, Slot: len(g.outputs)})
	g.outputs = append(g.outputs, id)
	return nil
}

// SetOutput makes output i another value.
func (g *Graph) SetOutput(i int, id ValueID) error {
	if i < 0 || i >= len(g.outputs) || g.Value(id) == nil {
		return fmt.Errorf("graph: cannot make value %d output %d", id, i)
	}
	g.dropUse(g.outputs[i], g.outPos[i])
	v := g.values[id]
	g.outputs[i] = id
	g.outPos[i] = len(v.uses)
	v.uses = append(v.uses, Use{Node: NoNode, Slot: i})
	return nil
}

// NodeSpec describes a node to add.
type NodeSpec struct {
	Name, Domain, Op, Overload string
	Opset                      int
	Inputs                     []ValueID
	Implicit                   []ValueID
	Outputs                    []ValueID
	Attrs                      []Attr
	Doc                        string
}

// AddNode adds a node. Its outputs must exist and have no producer yet.
func (g *Graph) AddNode(s NodeSpec) (NodeID, error) {
	id := NodeID(len(g.nodes))
	for i, o := range s.Outputs {
		if o == NoValue {
			continue
		}
		v := g.Value(o)
		switch {
		case v == nil:
			return NoNode, fmt.Errorf("graph: node %q (%s): output %d is no value", s.Name, s.Op, i)
		case v.producer != NoNode:
			return NoNode, fmt.Errorf("graph: value %q is made twice, by node %q and node %q (%s)", v.Name, g.nodes[v.producer].Label(), s.Name, s.Op)
		case v.input >= 0 || v.Const != nil:
			return NoNode, fmt.Errorf("graph: node %q (%s) makes %q, which is an input or initializer", s.Name, s.Op, v.Name)
		}
	}
	for _, list := range [2][]ValueID{s.Inputs, s.Implicit} {
		for i, in := range list {
			if in != NoValue && g.Value(in) == nil {
				return NoNode, fmt.Errorf("graph: node %q (%s): input %d is no value", s.Name, s.Op, i)
			}
		}
	}
	n := &Node{ID: id, Name: s.Name, Domain: s.Domain, Op: s.Op, Overload: s.Overload, Opset: s.Opset, Attrs: s.Attrs, Doc: s.Doc}
	g.nodes = append(g.nodes, n)
	g.live++
	n.outputs = append([]ValueID(nil), s.Outputs...)
	for i, o := range n.outputs {
		if o == NoValue {
			continue
		}
		v := g.values[o]
		if v.producer == id {
			for _, p := range n.outputs[:i] { // as if the node had never been added
				if p != NoValue {
					g.values[p].producer, g.values[p].output = NoNode, 0
				}
			}
			g.nodes = g.nodes[:id]
			g.live--
			return NoNode, fmt.Errorf("graph: node %q (%s) makes %q twice", s.Name, s.Op, v.Name)
		}
		v.producer, v.output = id, i
	}
	n.inputs, n.inPos = make([]ValueID, len(s.Inputs)), make([]int, len(s.Inputs))
	for i, in := range s.Inputs {
		n.inputs[i] = in
		n.inPos[i] = g.addUse(in, Use{Node: id, Slot: i})
	}
	for _, in := range s.Implicit {
		g.appendImplicit(n, in)
	}
	return id, nil
}

// AddImplicit makes a node read one more outer value through its subgraphs and
// returns the value's index among the node's implicit inputs.
func (g *Graph) AddImplicit(n *Node, outer ValueID) int {
	for i, v := range n.implicit {
		if v == outer {
			return i
		}
	}
	return g.appendImplicit(n, outer)
}

func (g *Graph) appendImplicit(n *Node, outer ValueID) int {
	i := len(n.implicit)
	n.implicit = append(n.implicit, outer)
	n.implPos = append(n.implPos, g.addUse(outer, Use{Node: n.ID, Slot: i, Implicit: true}))
	return i
}

// SetInput makes a node read another value (or NoValue) at an input slot, which
// may be one past the last.
func (g *Graph) SetInput(id NodeID, slot int, v ValueID) error {
	n := g.Node(id)
	if n == nil || slot < 0 || slot > len(n.inputs) || v != NoValue && g.Value(v) == nil {
		return fmt.Errorf("graph: cannot set input %d of node %d to value %d", slot, id, v)
	}
	if slot == len(n.inputs) {
		n.inputs, n.inPos = append(n.inputs, NoValue), append(n.inPos, 0)
	}
	g.dropUse(n.inputs[slot], n.inPos[slot])
	n.inputs[slot] = v
	n.inPos[slot] = g.addUse(v, Use{Node: id, Slot: slot})
	return nil
}

// ReplaceUses makes everything that reads old read new instead, graph outputs
// and captures included. The cost is the number of uses.
func (g *Graph) ReplaceUses(old, new ValueID) error {
	o := g.Value(old)
	w := g.Value(new)
	if o == nil || w == nil {
		return fmt.Errorf("graph: cannot replace value %d by %d", old, new)
	}
	if old == new {
		return nil
	}
	uses := o.uses
	o.uses = nil
	for _, u := range uses {
		pos := len(w.uses)
		w.uses = append(w.uses, u)
		switch {
		case u.Node == NoNode:
			g.outputs[u.Slot], g.outPos[u.Slot] = new, pos
		case u.Implicit:
			n := g.nodes[u.Node]
			n.implicit[u.Slot], n.implPos[u.Slot] = new, pos
		default:
			n := g.nodes[u.Node]
			n.inputs[u.Slot], n.inPos[u.Slot] = new, pos
		}
	}
	return nil
}

// RemoveNode removes a node and the values it makes. It fails with ErrInUse when
// one of them is still read.
func (g *Graph) RemoveNode(id NodeID) error {
	n := g.Node(id)
	if n == nil {
		return fmt.Errorf("graph: no node %d", id)
	}
	for _, o := range n.outputs {
		if o != NoValue && len(g.values[o].uses) > 0 {
			return fmt.Errorf("%w: %q of node %q", ErrInUse, g.values[o].Name, n.Label())
		}
	}
	for i, in := range n.inputs {
		g.dropUse(in, n.inPos[i])
	}
	for i, in := range n.implicit {
		g.dropUse(in, n.implPos[i])
	}
	for _, o := range n.outputs {
		if o != NoValue {
			g.dropValue(o)
		}
	}
	g.nodes[id] = nil
	g.live--
	return nil
}

// RemoveValue removes a value that nothing makes and nothing reads. Inputs can
// not be removed.
func (g *Graph) RemoveValue(id ValueID) error {
	v := g.Value(id)
	switch {
	case v == nil:
		return fmt.Errorf("graph: no value %d", id)
	case len(v.uses) > 0 || v.input >= 0 || v.producer != NoNode:
		return fmt.Errorf("%w: %q", ErrInUse, v.Name)
	}
	g.dropValue(id)
	return nil
}

func (g *Graph) dropValue(id ValueID) {
	delete(g.byName, g.values[id].Name)
	g.values[id] = nil
}

func (g *Graph) addUse(id ValueID, u Use) int {
	if id == NoValue {
		return 0
	}
	v := g.values[id]
	v.uses = append(v.uses, u)
	return len(v.uses) - 1
}

// dropUse removes the use at pos by moving the last one into its place, and
// tells the moved use's holder where it now is.
func (g *Graph) dropUse(id ValueID, pos int) {
	if id == NoValue {
		return
	}
	v := g.values[id]
	last := len(v.uses) - 1
	if pos != last {
		u := v.uses[last]
		v.uses[pos] = u
		switch {
		case u.Node == NoNode:
			g.outPos[u.Slot] = pos
		case u.Implicit:
			g.nodes[u.Node].implPos[u.Slot] = pos
		default:
			g.nodes[u.Node].inPos[u.Slot] = pos
		}
	}
	v.uses = v.uses[:last]
}
