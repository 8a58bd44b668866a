package engine

import (
	"math"

	"gort/optimize"
)

// Options say how a model is built and what it may use.
type Options struct {
	// Level is how much the graph is rewritten.
	Level optimize.Level
	// MaxTensorBytes bounds each tensor that a run makes; 0 means DefaultMaxTensorBytes.
	MaxTensorBytes int64
	// MaxMemory bounds the memory planned for one run; 0 means no bound but
	// that of the providers.
	MaxMemory int64
	// MaxPlans bounds how many sets of input shapes are kept planned; 0 means DefaultMaxPlans.
	MaxPlans int
	// MaxNodes bounds the graph after functions are inlined; 0 means DefaultMaxNodes.
	MaxNodes int
}

// Defaults of Options.
const (
	DefaultMaxTensorBytes = 16 << 30
	DefaultMaxPlans       = 16
	DefaultMaxNodes       = 1 << 20
)

func (o Options) withDefaults() Options {
	if o.MaxTensorBytes <= 0 {
		o.MaxTensorBytes = min(DefaultMaxTensorBytes, math.MaxInt/4)
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = math.MaxInt64
	}
	if o.MaxPlans <= 0 {
		o.MaxPlans = DefaultMaxPlans
	}
	if o.MaxNodes <= 0 {
		o.MaxNodes = DefaultMaxNodes
	}
	return o
}

// LimitError says that a run or a model exceeds one of the Options.
type LimitError struct {
	What  string // "tensor bytes", "planned memory", "nodes"
	Node  string // where, when a node is to blame
	Value int64
	Limit int64
}
