package gort

import (
	"context"
	"io/fs"

	"gort/ep"
	"gort/internal/engine"
	"gort/onnx"
	"gort/op"
	"gort/optimize"
)

// Option changes how a session is made.
type Option func(*config)

type config struct {
	ctx             context.Context
	threads         int
	engine          engine.Options
	onnx            []onnx.Option
	providers       []ep.Provider
	providerOptions map[string]map[string]string
	defs            []*op.Def
}

func newConfig(opts []Option) *config {
	c := &config{ctx: context.Background(), providerOptions: map[string]map[string]string{}}
	for _, o := range opts {
		o(c)
	}
	return c
}

// WithContext lets a context cancel the loading of a model.
func WithContext(ctx context.Context) Option { return func(c *config) { c.ctx = ctx } }

// WithThreads limits the threads that one run computes with, the caller's
// included. 0, the default, means GOMAXPROCS.
func WithThreads(n int) Option { return func(c *config) { c.threads = n } }

// OptimizationLevel is how much a model's graph is rewritten before it runs.
type OptimizationLevel = optimize.Level

// Optimisation levels. OptimizeAll is the default.
const (
	OptimizeAll   = optimize.LevelAll
	OptimizeBasic = optimize.LevelBasic
	OptimizeOff   = optimize.LevelOff
)

// WithOptimization sets the optimisation level.
func WithOptimization(l OptimizationLevel) Option { return func(c *config) { c.engine.Level = l } }

// WithProviders gives the session execution providers, asked in this order for
// each node. The session opens and closes them. The CPU provider is added at the
// end unless it is among them.
func WithProviders(p ...ep.Provider) Option {
	return func(c *config) { c.providers = append(c.providers, p...) }
}

// WithProviderOptions sets a provider's own options by the provider's name. An
// option that the provider does not know makes opening fail.
func WithProviderOptions(provider string, options map[string]string) Option {
	return func(c *config) { c.providerOptions[provider] = options }
}

// WithOperators adds definitions of operators beyond the standard's. A provider
// that runs them, or their bodies, has to be there too.
func WithOperators(defs ...*op.Def) Option {
	return func(c *config) { c.defs = append(c.defs, defs...) }
}

// WithExternalData says where the side files of a model lie that is not opened by path.
func WithExternalData(fsys fs.FS) Option {
	return func(c *config) { c.onnx = append(c.onnx, onnx.WithExternalData(fsys)) }
}

// Limits bound what a model may use. Zero fields keep their defaults.
type Limits struct {
	// File bounds what is accepted when reading; see onnx.Limits.
	File onnx.Limits
	// MaxTensorBytes bounds each tensor a run makes; 16 GiB by default.
	MaxTensorBytes int64
	// MaxMemory bounds the planned memory of one run, in bytes; no bound by default.
	MaxMemory int64
	// MaxPlans bounds how many sets of input shapes stay planned; 16 by default.
	MaxPlans int
	// MaxNodes bounds the nodes after functions are inlined; 1,048,576 by default.
	MaxNodes int
}

// WithLimits sets limits.
func WithLimits(l Limits) Option {
	return func(c *config) {
		c.onnx = append(c.onnx, onnx.WithLimits(l.File))
		c.engine.MaxTensorBytes, c.engine.MaxMemory = l.MaxTensorBytes, l.MaxMemory
		c.engine.MaxPlans, c.engine.MaxNodes = l.MaxPlans, l.MaxNodes
	}
}

// Errors that a session returns, for errors.As.
type (
	// UnsupportedError lists every node that no provider runs, with the reasons.
	UnsupportedError = engine.UnsupportedError
	// UnsupportedNode is one of them.
	UnsupportedNode = engine.UnsupportedNode
	// Refusal is one provider's reason.
	Refusal = engine.Refusal
	// NodeError names the node that failed in a run, its operator, opset and inputs.
	NodeError = engine.NodeError
	// InputError says what is wrong with an input.
	InputError = engine.InputError
	// LimitError says which limit was exceeded.
	LimitError = engine.LimitError
	// PanicError is a mistake in gort itself or in a provider: a panic that was
	// caught, with its stack. Please report it.
	PanicError = engine.PanicError
)

// ErrClosed is returned by a closed session.
var ErrClosed = engine.ErrClosed
