package ep

import (
	"context"

	"gort/graph"
)

// Partition is a convex part of a model placed on one provider: a graph whose
// inputs and outputs are the values that cross its border.
type Partition struct {
	Name  string
	Graph *graph.Graph
}

// PartitionCompiler is a provider that turns whole partitions into programs.
type PartitionCompiler interface {
	Compile(ctx context.Context, p *Partition) (Compiled, error)
}

// Compiled is a compiled partition.
type Compiled interface {
	// Kernel runs the partition: its operands are the partition's inputs and outputs.
	Kernel() Kernel
	// Save returns the program in a form that Load takes back.
	Save() (*Context, error)
}

// Context is a saved compiled partition, with the attributes of an EPContext
// node as ONNX Runtime documents them.
type Context struct {
	Main         bool   // main_context: this node holds the program, others refer to it
	Cache        []byte // ep_cache_context, or what the side file it names holds
	Embedded     bool   // embed_mode
	SDKVersion   string // ep_sdk_version
	Source       string // source: the key that finds the provider
	Partition    string // partition_name
	Hardware     string // hardware_architecture
	ONNXFilename string // onnx_model_filename
	Notes        string // notes
	MaxSize      int64  // max_size, bytes
}

// ContextProvider is a provider that runs saved programs.
type ContextProvider interface {
	// ContextSources are the source keys the provider answers to.
	ContextSources() []string
	// LoadContext makes a saved program ready. A program for other hardware or
	// another version fails with ErrContext and both fingerprints in the message.
	LoadContext(ctx context.Context, c *Context) (Kernel, error)
}
