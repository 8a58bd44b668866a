package gort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"gort/ep"
	"gort/ep/cpu"
	"gort/graph"
	"gort/internal/engine"
	"gort/onnx"
	"gort/op"
	"gort/tensor"
)

// Session is a model ready to run. It is safe for concurrent use: any number of
// goroutines may call Run at once. Close it when it is no longer needed.
type Session struct {
	model    *onnx.Model
	engine   *engine.Session
	inputs   []ValueInfo
	outputs  []ValueInfo
	metadata Metadata
	close    sync.Once
}

// ValueInfo describes an input or output of a model.
type ValueInfo struct {
	Name string
	// Type is the ONNX type with the dimensions the model declares, as far as it
	// does: known, symbolic or unknown.
	Type graph.Type
	// Optional is set for inputs that have a default in the model.
	Optional bool
}

// Metadata is what a model says about itself.
type Metadata struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	Version         int64
	Description     string
	GraphName       string
	Opsets          map[string]int    // version by domain; "" is ai.onnx
	Custom          map[string]string // the model's metadata_props
}

// Open makes a session of the model in a file. The file is mapped into memory,
// and side files that hold external data are looked for in its directory. The
// error says what is wrong with the model and where: *onnx.FormatError and its
// kin for the file, *op.Error for a node that breaks its definition,
// *UnsupportedError for nodes that no provider runs.
func Open(path string, opts ...Option) (*Session, error) {
	c := newConfig(opts)
	m, err := onnx.Open(path, c.onnx...)
	if err != nil {
		return nil, err
	}
	return newSession(m, c)
}

// OpenFS is Open for a file in a file system, such as an embed.FS or a zip archive.
func OpenFS(fsys fs.FS, name string, opts ...Option) (*Session, error) {
	c := newConfig(opts)
	m, err := onnx.OpenFS(fsys, name, c.onnx...)
	if err != nil {
		return nil, err
	}
	return newSession(m, c)
}

// Load makes a session of a model read from r. External data needs WithExternalData.
func Load(r io.Reader, opts ...Option) (*Session, error) {
	c := newConfig(opts)
	m, err := onnx.Read(r, c.onnx...)
	if err != nil {
		return nil, err
	}
	return newSession(m, c)
}

func newSession(m *onnx.Model, c *config) (s *Session, err error) {
	defer func() {
		if err != nil {
			s, err = nil, errors.Join(err, m.Close())
		}
	}()
	g, err := m.Graph()
	if err != nil {
		return nil, err
	}
	s = &Session{model: m}
	s.describe(g)
	registry := op.Standard()
	if len(c.defs) > 0 {
		if registry, err = registry.With(c.defs...); err != nil {
			return nil, err
		}
	}
	list := c.providers
	if !slices.ContainsFunc(list, func(p ep.Provider) bool { return p.Name() == cpu.Name }) {
		list = append(slices.Clone(list), cpu.New())
	}
	providers, err := ep.NewRegistry(list...)
	if err != nil {
		return nil, err
	}
	configs := map[string]ep.Config{}
	for _, p := range list {
		configs[p.Name()] = ep.Config{Options: c.providerOptions[p.Name()], Threads: c.threads}
	}
	for name := range c.providerOptions {
		if _, ok := configs[name]; !ok {
			return nil, fmt.Errorf("gort: options are given for provider %q, which the session does not have", name)
		}
	}
	if s.engine, err = engine.NewSession(c.ctx, g, registry, providers, configs, c.engine); err != nil {
		return nil, err
	}
	// What the file leaves out of its outputs' types, inference may have found.
	facts := s.engine.Facts()
	for i, id := range s.engine.Graph().Outputs() {
		if t, ok := graph.MergeType(s.outputs[i].Type, facts[id].Type); ok {
			s.outputs[i].Type = t
		}
	}
	return s, nil
}

func (s *Session) describe(m *graph.Model) {
	s.metadata = Metadata{
		IRVersion: m.IRVersion, ProducerName: m.ProducerName, ProducerVersion: m.ProducerVersion,
		Domain: m.Domain, Version: m.Version, Description: m.Doc, GraphName: m.Graph.Name,
		Opsets: m.Opsets, Custom: m.Metadata,
	}
	for _, id := range m.Graph.Inputs() {
		v := m.Graph.Value(id)
		s.inputs = append(s.inputs, ValueInfo{Name: v.Name, Type: v.Type, Optional: v.Const != nil})
	}
	for _, id := range m.Graph.Outputs() {
		v := m.Graph.Value(id)
		s.outputs = append(s.outputs, ValueInfo{Name: v.Name, Type: v.Type})
	}
}

// Inputs describes the model's inputs in order. The caller must not change it.
func (s *Session) Inputs() []ValueInfo { return s.inputs }

// Outputs describes the model's outputs in order. The caller must not change it.
func (s *Session) Outputs() []ValueInfo { return s.outputs }

// Metadata returns what the model says about itself. The caller must not change it.
func (s *Session) Metadata() Metadata { return s.metadata }

// Run computes all outputs from inputs given by name. Inputs are borrowed until
// Run returns and must not be written meanwhile; outputs belong to the caller.
// It fails with *InputError for a missing, unknown or unfitting input, with
// *NodeError when a node fails, and with the context's error when it is cancelled.
func (s *Session) Run(ctx context.Context, inputs map[string]tensor.Value) (map[string]tensor.Value, error) {
	in, err := s.byPosition(inputs)
	if err != nil {
		return nil, err
	}
	out, err := s.engine.Run(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	named := make(map[string]tensor.Value, len(out))
	for i, v := range out {
		named[s.outputs[i].Name] = v
	}
	return named, nil
}

func (s *Session) byPosition(inputs map[string]tensor.Value) ([]tensor.Value, error) {
	in := make([]tensor.Value, len(s.inputs))
	found := 0
	for i, info := range s.inputs {
		if v, ok := inputs[info.Name]; ok {
			in[i] = v
			found++
		}
	}
	if found < len(inputs) {
		for name := range inputs {
			if !slices.ContainsFunc(s.inputs, func(v ValueInfo) bool { return v.Name == name }) {
				return nil, unknownInput(name, s.inputs)
			}
		}
	}
	return in, nil
}

func unknownInput(name string, inputs []ValueInfo) error {
	return &InputError{Name: name, Reason: fmt.Sprintf("is not an input of the model; it takes %v", names(inputs))}
}

func names(list []ValueInfo) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name)
	}
	return out
}

// RunValues computes all outputs from inputs given by position. A nil or missing
// trailing input takes its default.
func (s *Session) RunValues(ctx context.Context, inputs ...tensor.Value) ([]tensor.Value, error) {
	if len(inputs) > len(s.inputs) {
		return nil, fmt.Errorf("gort: %d inputs given, the model takes %d: %v", len(inputs), len(s.inputs), names(s.inputs))
	}
	for len(inputs) < len(s.inputs) {
		inputs = append(inputs[:len(inputs):len(inputs)], nil)
	}
	return s.engine.Run(ctx, inputs, nil)
}

// Close waits for runs to end and releases everything the session holds: worker
// goroutines, buffers, and the mapped model file. Later calls do nothing.
func (s *Session) Close() error {
	var err error
	s.close.Do(func() { err = errors.Join(s.engine.Close(), s.model.Close()) })
	return err
}
