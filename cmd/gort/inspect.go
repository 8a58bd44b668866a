package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"

	"gort"
	"gort/graph"
	"gort/onnx"
	"gort/tensor"
)

func inspectCommand() *command {
	return &command{
		name:    "inspect",
		purpose: "Show what is in a model and whether it can be run.",
		args:    "MODEL",
		about: `
Any model that can be read is shown, also one with operators that gort does not
have: they are listed with the reasons, and the exit code is 0 all the same.
Memory is estimated for the shapes given; open dimensions count as 1.`,
		examples: []string{"gort inspect model.onnx", "gort inspect model.onnx --dim batch=8", "gort inspect model.onnx --json"},
		setup: func(fs *flag.FlagSet) action {
			var c inspectConfig
			c.shapes.register(fs)
			fs.BoolVar(&c.check, "check", true, "find out whether all nodes can be run, which takes as long as loading; --check=false does not")
			fs.BoolVar(&c.json, "json", false, "print JSON")
			return c.run
		},
	}
}

// inspectConfig is what the flags of gort inspect say.
type inspectConfig struct {
	shapes shapeFlags
	check  bool
	json   bool
}

// modelReport is all that gort inspect shows.
type modelReport struct {
	File            string            `json:"file"`
	Bytes           int64             `json:"bytes"`
	IRVersion       int64             `json:"ir_version"`
	Graph           string            `json:"graph"`
	Producer        string            `json:"producer,omitempty"`
	ProducerVersion string            `json:"producer_version,omitempty"`
	Domain          string            `json:"domain,omitempty"`
	Version         int64             `json:"model_version,omitempty"`
	Description     string            `json:"description,omitempty"`
	Metadata        map[string]string `json:"metadata,omitempty"`
	Opsets          map[string]int    `json:"opsets"`
	Inputs          []valueReport     `json:"inputs"`
	Outputs         []valueReport     `json:"outputs"`
	Nodes           int               `json:"nodes"`
	Operators       []operatorCount   `json:"operators"`
	Functions       []functionReport  `json:"functions,omitempty"`
	Parameters      parameterReport   `json:"parameters"`
	Memory          memoryReport      `json:"memory"`
	// Runs is nil when that was not tried.
	Runs        *bool             `json:"runs,omitempty"`
	Problem     string            `json:"problem,omitempty"`
	Unsupported []unsupportedNode `json:"unsupported,omitempty"`
}

type valueReport struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
}

type operatorCount struct {
	Domain string `json:"domain"`
	Name   string `json:"name"`
	Count  int    `json:"count"`
}

type functionReport struct {
	Domain string `json:"domain"`
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`
}

type parameterReport struct {
	Count   int64 `json:"count"` // elements
	Tensors int   `json:"tensors"`
	Bytes   int64 `json:"bytes"`
}

type unsupportedNode struct {
	Node    string   `json:"node"`
	Domain  string   `json:"domain"`
	Op      string   `json:"op"`
	Opset   int      `json:"opset"`
	Reasons []string `json:"reasons"`
}

func (c *inspectConfig) run(ctx context.Context, std *streams, args []string) (err error) {
	path, err := oneModel(args)
	if err != nil {
		return err
	}
	m, err := onnx.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	g, err := m.Graph()
	if err != nil {
		return err
	}
	inputs := graphInputs(g.Graph)
	if err := c.shapes.check(inputs); err != nil {
		return err
	}
	r := describeModel(g)
	r.File = path
	if info, err := os.Stat(path); err == nil {
		r.Bytes = info.Size()
	}
	r.Memory = estimateMemory(g, inputs, &c.shapes)
	r.Memory.Parameters = r.Parameters.Bytes
	if c.check {
		if err := r.tryToOpen(ctx, path); err != nil {
			return err
		}
	}
	if c.json {
		return json.NewEncoder(std.out).Encode(r)
	}
	return r.write(std.out)
}

func graphInputs(g *graph.Graph) []gort.ValueInfo {
	var out []gort.ValueInfo
	for _, id := range g.Inputs() {
		v := g.Value(id)
		out = append(out, gort.ValueInfo{Name: v.Name, Type: v.Type, Optional: v.Const != nil})
	}
	return out
}

// describeModel collects what can be said without running anything.
func describeModel(m *graph.Model) *modelReport {
	r := &modelReport{
		IRVersion: m.IRVersion, Graph: m.Graph.Name, Producer: m.ProducerName, ProducerVersion: m.ProducerVersion,
		Domain: m.Domain, Version: m.Version, Description: m.Doc, Metadata: m.Metadata, Opsets: map[string]int{},
		Inputs: []valueReport{}, Outputs: []valueReport{}, Operators: []operatorCount{},
	}
	for domain, v := range m.Opsets {
		r.Opsets[shownDomain(domain)] = v
	}
	for _, in := range graphInputs(m.Graph) {
		r.Inputs = append(r.Inputs, valueReport{in.Name, in.Type.String(), in.Optional})
	}
	for _, id := range m.Graph.Outputs() {
		v := m.Graph.Value(id)
		r.Outputs = append(r.Outputs, valueReport{v.Name, v.Type.String(), false})
	}
	counts := map[operatorCount]int{}
	r.Nodes = r.walk(m.Graph, counts)
	for k, f := range m.Functions {
		nodes := r.walk(f.Graph, map[operatorCount]int{})
		r.Functions = append(r.Functions, functionReport{shownDomain(k.Domain), k.Name, nodes})
	}
	slices.SortFunc(r.Functions, func(a, b functionReport) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name))
	})
	for k, n := range counts {
		k.Count = n
		r.Operators = append(r.Operators, k)
	}
	slices.SortFunc(r.Operators, func(a, b operatorCount) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name))
	})
	return r
}

// walk counts operators and parameters of a graph and of the graphs inside it,
// and returns the number of nodes.
func (r *modelReport) walk(g *graph.Graph, counts map[operatorCount]int) int {
	nodes := 0
	for v := range g.Values() {
		if v.Const != nil {
			r.Parameters.add(v.Const)
		}
	}
	for n := range g.Nodes() {
		nodes++
		counts[operatorCount{Domain: shownDomain(n.Domain), Name: n.Op}]++
		for _, a := range n.Attrs {
			if t, ok := a.Value.(*tensor.Tensor); ok {
				r.Parameters.add(t)
			}
		}
		for _, sub := range n.Subgraphs() {
			nodes += r.walk(sub, counts)
		}
	}
	return nodes
}

func (p *parameterReport) add(t *tensor.Tensor) {
	p.Count += int64(t.Size())
	p.Tensors++
	p.Bytes += int64(t.NumBytes())
}

// tryToOpen finds out whether the model can be run. Only an interruption is an error.
func (r *modelReport) tryToOpen(ctx context.Context, path string) error {
	s, err := gort.Open(path, gort.WithContext(ctx))
	if err == nil {
		err = s.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	runs := err == nil
	r.Runs = &runs
	var unsupported *gort.UnsupportedError
	switch {
	case runs:
	case errors.As(err, &unsupported):
		for _, n := range unsupported.Nodes {
			u := unsupportedNode{Node: n.Node, Domain: shownDomain(n.Domain), Op: n.Op, Opset: n.Opset}
			for _, reason := range n.Refusals {
				u.Reasons = append(u.Reasons, reason.Provider+": "+reason.Reason)
			}
			r.Unsupported = append(r.Unsupported, u)
		}
	default:
		r.Problem = err.Error()
	}
	return nil
}
