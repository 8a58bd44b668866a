package onnx

import (
	"errors"
	"fmt"

	"gort/graph"
	"gort/internal/onnxpb"
	"gort/tensor"
)

// Graph builds the intermediate representation of the model. Each call builds a
// new one; constants alias the model's bytes, so they live until Close.
//
// An initializer that is also a graph input is a default that a caller may
// override, from IR version 4 on. Before that, every initializer had to be listed
// among the inputs, which said nothing: there it is a constant and not an input.
//
// What a subgraph reads from outside becomes a [graph.Capture], at every level
// between. Names that a subgraph defines hide equal names outside. Sparse
// initializers become dense. It fails with *FormatError or *LimitError.
func (m *Model) Graph() (*graph.Model, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	out, err := m.build()
	if err != nil {
		return nil, withPath(err, m.path)
	}
	return out, nil
}

func (m *Model) build() (*graph.Model, error) {
	p := m.proto
	out := &graph.Model{
		IRVersion:       p.GetIrVersion(),
		ProducerName:    p.GetProducerName(),
		ProducerVersion: p.GetProducerVersion(),
		Domain:          p.GetDomain(),
		Version:         p.GetModelVersion(),
		Doc:             p.GetDocString(),
		Metadata:        make(map[string]string, len(p.MetadataProps)),
		Functions:       make(map[graph.FunctionKey]*graph.Function, len(p.Functions)),
	}
	for _, kv := range p.MetadataProps {
		out.Metadata[kv.GetKey()] = kv.GetValue()
	}
	var err error
	if out.Opsets, err = readOpsets(p.OpsetImport, "the model"); err != nil {
		return nil, err
	}
	if len(out.Opsets) == 0 && out.IRVersion < 3 {
		out.Opsets[""] = 1 // imports came with IR version 3
	}
	b := &builder{model: m, ir: out.IRVersion, opsets: out.Opsets, local: map[string]bool{}, values: new(int64)}
	for _, f := range p.Functions {
		b.local[graph.NormalDomain(f.GetDomain())] = true
	}
	if out.Graph, err = b.graph(p.Graph, nil, nil); err != nil {
		return nil, err
	}
	for _, f := range p.Functions {
		fn, err := b.function(f)
		if err != nil {
			return nil, err
		}
		if out.Functions[fn.Key] != nil {
			return nil, &FormatError{Where: "function " + quote(fn.Key.String()), Reason: "it is defined twice", Err: ErrName}
		}
		out.Functions[fn.Key] = fn
	}
	if _, err := out.CallOrder(); err != nil {
		return nil, &FormatError{Reason: err.Error(), Err: err}
	}
	return out, nil
}

// readOpsets gives the version of each imported domain.
func readOpsets(imports []*onnxpb.OperatorSetIdProto, where string) (map[string]int, error) {
	out := make(map[string]int, len(imports))
	for _, o := range imports {
		d, v := graph.NormalDomain(o.GetDomain()), o.GetVersion()
		if v < 1 || v > 1<<30 {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("it imports version %d of %s", v, domainName(d)), Err: ErrOpset}
		}
		if old, twice := out[d]; twice && old != int(v) {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("it imports versions %d and %d of %s", old, v, domainName(d)), Err: ErrOpset}
		}
		out[d] = int(v)
	}
	return out, nil
}

func domainName(d string) string {
	if d == "" {
		return "ai.onnx"
	}
	return quote(d)
}

// builder turns messages into graphs.
type builder struct {
	model  *Model
	ir     int64
	opsets map[string]int  // what the model or function being built imports
	local  map[string]bool // domains of model-local functions
	inBody bool            // inside a function body, where attributes may be references
	values *int64          // how many values all graphs have so far
}

// graph builds a graph. All names it defines are declared before its nodes are
// added, because files exist whose nodes are not in order, and because a name that
// is defined later must not be taken for a capture.
func (b *builder) graph(p *onnxpb.GraphProto, outer *scope, owner *ownerNode) (*graph.Graph, error) {
	g := graph.New(p.GetName())
	g.Doc = p.GetDocString()
	where := "graph " + quote(p.GetName())
	s := &scope{builder: b, graph: g, outer: outer, owner: owner}
	if err := b.inputs(g, p, outer != nil, where); err != nil {
		return nil, err
	}
	if err := b.declare(g, p.Node, where); err != nil {
		return nil, err
	}
	if err := b.annotate(g, p.ValueInfo, where, false); err != nil {
		return nil, err
	}
	if err := b.annotate(g, p.Output, where, true); err != nil {
		return nil, err
	}
	if err := b.nodes(s, p.Node, where); err != nil {
		return nil, err
	}
	for _, o := range p.Output {
		if err := addOutput(s, o.GetName(), where); err != nil {
			return nil, err
		}
	}
	if _, err := g.Order(); err != nil {
		return nil, &FormatError{Where: where, Reason: err.Error(), Err: err}
	}
	return g, nil
}

// inputs declares the initializers and inputs of a graph.
func (b *builder) inputs(g *graph.Graph, p *onnxpb.GraphProto, subgraph bool, where string) error {
	for _, t := range p.Initializer {
		c, err := b.model.tensor(t, where)
		if err != nil {
			return err
		}
		if err := b.initializer(g, t.GetName(), c, where); err != nil {
			return err
		}
	}
	for _, sp := range p.SparseInitializer {
		c, err := b.model.denseInitializer(sp, where)
		if err != nil {
			return err
		}
		if err := b.initializer(g, sp.GetValues().GetName(), c, where); err != nil {
			return err
		}
	}
	listed := map[string]bool{}
	for i, in := range p.Input {
		name := in.GetName()
		if name == "" {
			return &FormatError{Where: where, Reason: fmt.Sprintf("input %d has no name", i), Err: ErrName}
		}
		if listed[name] {
			return &FormatError{Where: where, Reason: "two inputs are named " + quote(name), Err: ErrName}
		}
		listed[name] = true
		t, err := b.typeOf(in, where)
		if err != nil {
			return err
		}
		id, initialized := g.Lookup(name)
		if !initialized {
			if err := b.count(where); err != nil {
				return err
			}
			if id, err = g.AddValue(name, t); err != nil {
				return err
			}
		} else if t, err = declaredDefault(t, g.Value(id).Const, name, where); err != nil {
			return err
		}
		if initialized && b.ir < 4 && !subgraph {
			continue
		}
		g.Value(id).Type = t
		if err := g.AddInput(id); err != nil {
			return err
		}
	}
	return nil
}

// declaredDefault is the type of an input that has a default: what is declared,
// so that dimensions left open stay open for the caller.
func declaredDefault(t graph.Type, c *tensor.Tensor, name, where string) (graph.Type, error) {
	exact := graph.TypeOf(c)
	if _, ok := graph.MergeType(t, exact); !ok {
		return t, &FormatError{Where: where, Reason: fmt.Sprintf("input %s is declared as %v but its initializer is %v", quote(name), t, exact), Err: ErrType}
	}
	if !t.IsKnown() {
		return exact, nil
	}
	return t, nil
}

func (b *builder) initializer(g *graph.Graph, name string, c *tensor.Tensor, where string) error {
	if name == "" {
		return &FormatError{Where: where, Reason: "an initializer has no name", Err: ErrName}
	}
	if err := b.count(where); err != nil {
		return err
	}
	if _, err := g.AddConst(name, c); err != nil {
		return &FormatError{Where: where, Reason: "two initializers are named " + quote(name), Err: ErrName}
	}
	return nil
}

// declare adds a value for each output of each node.
func (b *builder) declare(g *graph.Graph, nodes []*onnxpb.NodeProto, where string) error {
	for _, n := range nodes {
		for _, name := range n.Output {
			if name == "" {
				continue
			}
			if err := b.count(where); err != nil {
				return err
			}
			if _, err := g.AddValue(name, graph.Type{}); err != nil {
				return &FormatError{Where: nodeWhere(n, where), Reason: fmt.Sprintf("its output %s is already an input, an initializer or made by another node", quote(name)), Err: ErrName}
			}
		}
	}
	return nil
}

// annotate adds what value_info or the graph's outputs say of types. Where two
// declarations of a shape contradict each other, that of an output counts:
// value_info is often left over from before a model was edited.
func (b *builder) annotate(g *graph.Graph, infos []*onnxpb.ValueInfoProto, where string, outputs bool) error {
	for _, info := range infos {
		t, err := b.typeOf(info, where)
		if err != nil {
			return err
		}
		id, ok := g.Lookup(info.GetName())
		if !ok || !t.IsKnown() {
			continue
		}
		v := g.Value(id)
		merged, ok := graph.MergeType(v.Type, t)
		switch {
		case ok && !(v.IsInput() && v.Const != nil):
			v.Type = merged
		case ok:
		case !v.Type.WithoutShape().Equal(t.WithoutShape()):
			return &FormatError{Where: where, Reason: fmt.Sprintf("value %s is declared as %v and as %v", quote(v.Name), v.Type, t), Err: ErrType}
		case outputs && v.Const == nil && !v.IsInput():
			v.Type = t
		}
	}
	return nil
}

func addOutput(s *scope, name, where string) error {
	if name == "" {
		return &FormatError{Where: where, Reason: "an output has no name", Err: ErrName}
	}
	id, ok, err := s.lookup(name)
	if err != nil {
		return err
	}
	if !ok {
		return &FormatError{Where: where, Reason: fmt.Sprintf("output %s is made by no node", quote(name)), Err: ErrName}
	}
	return s.graph.AddOutput(id)
}

// nodes adds the nodes of a graph whose names have been declared.
func (b *builder) nodes(s *scope, nodes []*onnxpb.NodeProto, where string) error {
	for _, n := range nodes {
		if err := b.node(s, n, where); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) node(s *scope, n *onnxpb.NodeProto, graphWhere string) error {
	where := nodeWhere(n, graphWhere)
	if n.GetOpType() == "" {
		return &FormatError{Where: where, Reason: "it has no operator", Err: ErrName}
	}
	domain := graph.NormalDomain(n.GetDomain())
	opset, imported := b.opsets[domain]
	if !imported && !b.local[domain] {
		return &FormatError{
			Where:  where,
			Reason: fmt.Sprintf("it is of domain %s, which is not imported", domainName(domain)),
			Remedy: "add the domain's version to opset_import",
			Err:    ErrOpset,
		}
	}
	spec := graph.NodeSpec{
		Name: n.GetName(), Domain: domain, Op: n.GetOpType(), Overload: n.GetOverload(), Opset: opset, Doc: n.GetDocString(),
		Inputs: make([]graph.ValueID, len(n.Input)), Outputs: make([]graph.ValueID, len(n.Output)),
	}
	for i, name := range n.Input {
		spec.Inputs[i] = graph.NoValue
		if name == "" {
			continue
		}
		id, ok, err := s.lookup(name)
		if err != nil {
			return err
		}
		if !ok {
			return &FormatError{Where: where, Reason: fmt.Sprintf("its input %d, %s, is not defined", i, quote(name)), Err: ErrName}
		}
		spec.Inputs[i] = id
	}
	for i, name := range n.Output {
		spec.Outputs[i] = graph.NoValue
		if name != "" {
			spec.Outputs[i], _ = s.graph.Lookup(name)
		}
	}
	owner := new(ownerNode)
	var err error
	if spec.Attrs, err = b.attributes(n.Attribute, s, owner, where); err != nil {
		return err
	}
	spec.Implicit = owner.implicit
	if _, err := s.graph.AddNode(spec); err != nil {
		return &FormatError{Where: where, Reason: err.Error(), Err: errors.Join(ErrName, err)}
	}
	return nil
}

// nodeWhere names a node for people: unnamed ones by what they make.
func nodeWhere(n *onnxpb.NodeProto, graphWhere string) string {
	op := n.GetOpType()
	if len(op) > maxShownName {
		op = op[:maxShownName] + "…"
	}
	s := "node " + quote(n.GetName())
	if n.GetName() == "" && len(n.Output) > 0 {
		s = "the node that makes " + quote(n.Output[0])
	}
	return s + " (" + op + ") in " + graphWhere
}
