package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// defaultIRVersion is what FromGraph writes when the graph names none.
const defaultIRVersion = 10

// FromGraph returns a model that holds the graph, to be written with Write or
// Save. Constants are aliased: the graph's tensors must stay valid for as long as
// the model is used. Nodes are listed in topological order.
//
// What the intermediate representation does not hold is not written: training
// information, quantization annotations, device configurations and the metadata of
// single nodes. It fails with *FormatError when a node's operator set is not
// imported, and when the graph has a cycle. Other invariants are the caller's:
// [graph.Model.Validate] checks them.
func FromGraph(g *graph.Model) (*Model, error) {
	if g.Graph == nil {
		return nil, &FormatError{Reason: "the model has no graph", Err: ErrName}
	}
	p := &onnxpb.ModelProto{
		IrVersion:       new(cmp.Or(g.IRVersion, defaultIRVersion)),
		ProducerName:    optional(g.ProducerName),
		ProducerVersion: optional(g.ProducerVersion),
		Domain:          optional(g.Domain),
		DocString:       optional(g.Doc),
		OpsetImport:     writeOpsets(g.Opsets),
	}
	if g.Version != 0 {
		p.ModelVersion = new(g.Version)
	}
	for _, k := range slices.Sorted(maps.Keys(g.Metadata)) {
		p.MetadataProps = append(p.MetadataProps, &onnxpb.StringStringEntryProto{Key: new(k), Value: new(g.Metadata[k])})
	}
	w := writer{opsets: g.Opsets, local: map[string]bool{}, listConstants: p.GetIrVersion() < 4}
	for k := range g.Functions {
		w.local[k.Domain] = true
	}
	var err error
	if p.Graph, err = w.graph(g.Graph, nil); err != nil {
		return nil, err
	}
	keys := slices.SortedFunc(maps.Keys(g.Functions), func(a, b graph.FunctionKey) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Overload, b.Overload))
	})
	for _, k := range keys {
		f, err := w.function(g.Functions[k])
		if err != nil {
			return nil, err
		}
		p.Functions = append(p.Functions, f)
	}
	return &Model{proto: p, config: newConfig(nil)}, nil
}

// optional is a field that is absent when empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func writeOpsets(opsets map[string]int) []*onnxpb.OperatorSetIdProto {
	var out []*onnxpb.OperatorSetIdProto
	for _, d := range slices.Sorted(maps.Keys(opsets)) {
		out = append(out, &onnxpb.OperatorSetIdProto{Domain: new(d), Version: new(int64(opsets[d]))})
	}
	return out
}

// writer turns graphs into messages.
type writer struct {
	opsets        map[string]int
	local         map[string]bool // domains of model-local functions
	listConstants bool            // initializers of the main graph must be inputs too
}

// names gives the name of each value of one graph in the file.
type names []string

// name chooses the names of a graph's values: captured ones bear their outer name,
// the others their own, unless it would hide a captured one.
func name(g *graph.Graph, captured map[graph.ValueID]string) names {
	out := make(names, g.ValueBound())
	taken := make(map[string]bool, len(captured))
	for id, s := range captured {
		out[id] = s
		taken[s] = true
	}
	for v := range g.Values() {
		if _, ok := captured[v.ID]; ok {
			continue
		}
		s := v.Name
		for i := 1; taken[s]; i++ {
			s = fmt.Sprintf("%s_%d", v.Name, i)
			if _, other := g.Lookup(s); other {
				taken[s] = true
			}
		}
		out[v.ID] = s
	}
	return out
}

func (n names) of(ids []graph.ValueID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		if id != graph.NoValue {
			out[i] = n[id]
		}
	}
	return out
}

// graph converts a graph; captured names the values it has from outside.
func (w *writer) graph(g *graph.Graph, captured map[graph.ValueID]string) (*onnxpb.GraphProto, error) {
	p := &onnxpb.GraphProto{Name: new(g.Name), DocString: optional(g.Doc)}
	n := name(g, captured)
	for _, id := range g.Inputs() {
		p.Input = append(p.Input, valueInfo(n[id], g.Value(id).Type))
	}
	for v := range g.Values() {
		producer, _ := v.Producer()
		_, outside := captured[v.ID]
		switch {
		case outside:
		case producer == graph.NoNode && v.Const != nil:
			t := tensor.ToProto(v.Const)
			t.Name = new(n[v.ID])
			p.Initializer = append(p.Initializer, t)
			if w.listConstants && captured == nil && !v.IsInput() {
				p.Input = append(p.Input, valueInfo(n[v.ID], v.Type))
			}
		case producer != graph.NoNode && v.Type.IsKnown() && !v.IsOutput():
			p.ValueInfo = append(p.ValueInfo, valueInfo(n[v.ID], v.Type))
		}
	}
	for _, id := range g.Outputs() {
		p.Output = append(p.Output, valueInfo(n[id], g.Value(id).Type))
	}
	var err error
	p.Node, err = w.nodes(g, n)
	return p, err
}

func (w *writer) nodes(g *graph.Graph, n names) ([]*onnxpb.NodeProto, error) {
	order, err := g.Order()
	if err != nil {
		return nil, &FormatError{Where: "graph " + quote(g.Name), Reason: err.Error(), Err: err}
	}
	out := make([]*onnxpb.NodeProto, 0, len(order))
	for _, id := range order {
		p, err := w.node(g.Node(id), n)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (w *writer) node(node *graph.Node, n names) (*onnxpb.NodeProto, error) {
	where := fmt.Sprintf("node %s (%s)", quote(node.Label()), node.Op)
	opset, imported := w.opsets[node.Domain]
	switch {
	case !imported && !w.local[node.Domain]:
		return nil, &FormatError{Where: where, Reason: fmt.Sprintf("its domain %s is not among the model's operator sets", domainName(node.Domain)), Err: ErrOpset}
	case imported && node.Opset != 0 && node.Opset != opset:
		return nil, &FormatError{Where: where, Reason: fmt.Sprintf("it is of version %d of %s, the model imports %d", node.Opset, domainName(node.Domain), opset), Err: ErrOpset}
	}
	p := &onnxpb.NodeProto{
		Name: optional(node.Name), OpType: new(node.Op), Domain: optional(node.Domain), Overload: optional(node.Overload),
		DocString: optional(node.Doc), Input: n.of(node.Inputs()), Output: n.of(node.Outputs()),
	}
	implicit := n.of(node.Implicit())
	var err error
	p.Attribute, err = w.attributes(node.Attrs, implicit, where)
	return p, err
}

func (w *writer) function(f *graph.Function) (*onnxpb.FunctionProto, error) {
	p := &onnxpb.FunctionProto{
		Name: new(f.Key.Name), Domain: new(f.Key.Domain), Overload: optional(f.Key.Overload), DocString: optional(f.Doc),
		Attribute: f.Attrs, OpsetImport: writeOpsets(f.Opsets),
	}
	where := "function " + quote(f.Key.String())
	body := writer{opsets: f.Opsets, local: w.local}
	n := name(f.Graph, nil)
	p.Input, p.Output = n.of(f.Graph.Inputs()), n.of(f.Graph.Outputs())
	for v := range f.Graph.Values() {
		if producer, _ := v.Producer(); producer == graph.NoNode && v.Const != nil {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("value %s is an initializer, which functions can not have", quote(v.Name)), Remedy: "make it a Constant node", Err: ErrName}
		}
		if v.Type.IsKnown() {
			p.ValueInfo = append(p.ValueInfo, valueInfo(n[v.ID], v.Type))
		}
	}
	var err error
	if p.AttributeProto, err = body.attributes(f.Defaults, nil, where); err != nil {
		return nil, err
	}
	p.Node, err = body.nodes(f.Graph, n)
	return p, err
}
