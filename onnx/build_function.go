package onnx

import (
	"fmt"
	"slices"

	"gort/graph"
	"gort/internal/onnxpb"
)

// function builds a model-local function. Its body sees no names from outside.
func (b *builder) function(p *onnxpb.FunctionProto) (*graph.Function, error) {
	key := graph.FunctionKey{Domain: graph.NormalDomain(p.GetDomain()), Name: p.GetName(), Overload: p.GetOverload()}
	where := "function " + quote(key.String())
	if key.Name == "" {
		return nil, &FormatError{Where: where, Reason: "it has no name", Err: ErrName}
	}
	opsets, err := readOpsets(p.OpsetImport, where)
	if err != nil {
		return nil, err
	}
	body := &builder{model: b.model, ir: b.ir, opsets: opsets, local: b.local, inBody: true, values: b.values}
	f := &graph.Function{Key: key, Doc: p.GetDocString(), Attrs: append([]string(nil), p.Attribute...), Opsets: opsets}
	g := graph.New(key.Name)
	f.Graph = g
	s := &scope{builder: body, graph: g}
	// Defaults can not hold references to attributes, so they are read as outside a function.
	if f.Defaults, err = b.attributes(p.AttributeProto, s, new(ownerNode), where); err != nil {
		return nil, err
	}
	if err := distinctAttrs(f, where); err != nil {
		return nil, err
	}
	for i, name := range p.Input {
		if name == "" {
			return nil, &FormatError{Where: where, Reason: fmt.Sprintf("input %d has no name", i), Err: ErrName}
		}
		if err := b.count(where); err != nil {
			return nil, err
		}
		id, err := g.AddValue(name, graph.Type{})
		if err != nil {
			return nil, &FormatError{Where: where, Reason: "two inputs are named " + quote(name), Err: ErrName}
		}
		if err := g.AddInput(id); err != nil {
			return nil, err
		}
	}
	if err := body.declare(g, p.Node, where); err != nil {
		return nil, err
	}
	if err := body.annotate(g, p.ValueInfo, where, false); err != nil {
		return nil, err
	}
	if err := body.nodes(s, p.Node, where); err != nil {
		return nil, err
	}
	for _, name := range p.Output {
		if err := addOutput(s, name, where); err != nil {
			return nil, err
		}
	}
	if _, err := g.Order(); err != nil {
		return nil, &FormatError{Where: where, Reason: err.Error(), Err: err}
	}
	return f, nil
}

// distinctAttrs checks the names of a function's attributes: each stands once, with
// a default or without.
func distinctAttrs(f *graph.Function, where string) error {
	seen := map[string]bool{}
	names := slices.Clone(f.Attrs)
	for _, a := range f.Defaults {
		names = append(names, a.Name)
	}
	for _, name := range names {
		switch {
		case name == "":
			return &FormatError{Where: where, Reason: "an attribute has no name", Err: ErrName}
		case seen[name]:
			return &FormatError{Where: where, Reason: "attribute " + quote(name) + " is listed twice", Err: ErrName}
		}
		seen[name] = true
	}
	return nil
}
