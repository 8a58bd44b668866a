package ep

import (
	"context"

	"gort/graph"
	"gort/op"
	"gort/optimize"
	"gort/tensor"
)

// Config is what a session hands to the providers it opens.
type Config struct {
	// Options are the provider's own, by namespaced key such as
	// "cuda.arena_extend_strategy". A key the provider does not know is an error
	// that wraps ErrUnknownOption and lists the known ones.
	Options map[string]string
	// Threads limits the host threads the provider computes with; 0 means as many
	// as the process may use.
	Threads int
}

// Provider runs nodes on one device. All methods may be called concurrently
// once Open has returned, and none may panic.
type Provider interface {
	// Name identifies the kind of provider in snake_case, such as "cpu_ep". It
	// never changes.
	Name() string
	// Device is where the provider computes. It never changes.
	Device() graph.Device
	// Open makes the provider ready. The session that was given the provider
	// calls it once, before anything but Name and Device.
	Open(ctx context.Context, c Config) error
	// Close releases everything. The session calls it once, also when building
	// failed half way; afterwards Supports declines and every other method but
	// Name and Device fails with ErrClosed. Free may still take back a buffer that
	// was out. Close fails when it finds such buffers, or AllocationCounter shows them.
	Close() error

	// Supports says whether and at what cost the provider runs a node, given what
	// is known of its operands when the model is built.
	Supports(q *Query) Match
	// Kernel makes a node ready to run. It must succeed when Supports accepted
	// the same query.
	Kernel(q *Query) (Kernel, error)

	// Allocate returns uninitialised memory of the device. Zero bytes are legal;
	// an alignment that is no power of two is not. It fails with
	// *OutOfMemoryError and stays usable then.
	Allocate(size, align int) (*Buffer, error)
	// Free gives back what Allocate returned, or detaches a borrowed buffer.
	Free(b *Buffer) error
	// Copy copies n bytes between two buffers of this device, and returns when
	// the work is done or queued before any later work on dst and src.
	Copy(ctx context.Context, dst *Buffer, dstOffset int, src *Buffer, srcOffset, n int) error
	// Sync waits for all work of this provider. The engine calls it before it
	// reads results on the host and before it frees memory.
	Sync(ctx context.Context) error
}

// Operand is what is known of one input or output of a node when it is built.
type Operand struct {
	Present bool // false where an optional operand is omitted
	Type    graph.Type
	Layout  graph.Layout
	Const   *tensor.Tensor // the value of a constant input
}

// Query describes one node to a provider. Operands keep their positions, also
// where optional ones are omitted.
type Query struct {
	Node    *graph.Node
	Def     *op.Def
	Opset   int // effective version of the node's domain
	Inputs  []Operand
	Outputs []Operand
}

// Attrs reads the node's attributes with the definition's defaults.
func (q *Query) Attrs() op.Attrs { return op.Attrs{Node: q.Node, Def: q.Def} }

// Cost is the structure of the work, from which the engine estimates time with
// rates that it measures; a provider states no times.
type Cost struct {
	Bytes    int64 // read and written
	Flops    int64
	Launches int // dispatches to the device
}

// Match is a provider's answer to a query. Make it with Accept or Decline.
type Match struct {
	Supported bool
	// Reason says, when declined, what the provider accepts and how to change
	// the model or the options. Never empty then.
	Reason string
	Cost   Cost
	// InputLayouts and OutputLayouts name the layouts the kernel needs and
	// yields, by position; nil means row-major everywhere.
	InputLayouts, OutputLayouts []graph.Layout
}

// Accept is the answer yes.
func Accept(c Cost) Match { return Match{Supported: true, Cost: c} }

// Decline is the answer no, with what would be accepted.
func Decline(reason string) Match { return Match{Reason: reason} }

// HostTransfer moves bytes between the host and the device. Both directions take
// ranges. The checks come in this order: overflow and range (ErrRange), nothing
// to do (success, even on a device the host can not access), access.
type HostTransfer interface {
	// Upload copies src into dst from a byte offset on.
	Upload(ctx context.Context, dst *Buffer, offset int, src []byte) error
	// Download copies bytes of src from a byte offset on into dst.
	Download(ctx context.Context, dst []byte, src *Buffer, offset int) error
}

// Fence marks a point in a queue of work.
type Fence interface {
	// Wait blocks until the guarded work is done and returns its error.
	Wait(ctx context.Context) error
	// Done reports whether the guarded work is done, and then its error.
	Done() (bool, error)
}

// AsyncCopier is a provider whose copies can run beside other work.
type AsyncCopier interface {
	// CopyAsync queues a copy and returns the fence that guards it.
	CopyAsync(ctx context.Context, dst *Buffer, dstOffset int, src *Buffer, srcOffset, n int) (Fence, error)
}

// AllocationCounts are cumulative but for Live and Peak.
type AllocationCounts struct {
	Allocs, Frees int64
	Live, Peak    int64 // bytes
}

// AllocationCounter is a provider that counts its allocations.
type AllocationCounter interface {
	AllocationCounts() AllocationCounts
}

// Argmaxer is a provider that picks the greatest of a row of scores where they
// lie, so that greedy decoding brings back one number instead of a vocabulary.
type Argmaxer interface {
	// ArgmaxResultSize is the size of the result in bytes.
	ArgmaxResultSize() int
	// Argmax queues the search over n contiguous elements (float32, float16 or
	// bfloat16) of scores. The result holds, as little-endian uint32, the index of
	// the first maximum and the latched error mask. NaN never wins and sets a bit
	// of the mask. It neither allocates nor waits.
	Argmax(ctx context.Context, result *Buffer, scores *Buffer, offset, n int, d tensor.DType) error
}

// NodeClaimer is a provider that takes certain nodes before costs are compared.
type NodeClaimer interface {
	Claims(g *graph.Graph) []graph.NodeID
}

// PassProvider is a provider with graph passes of its own. They run after the
// generic ones, see only nodes placed on the provider, and inference runs again
// after them.
type PassProvider interface {
	Passes() []optimize.Pass
}

// WeightPager is a provider that brings constant weights to the device when a
// kernel needs them, so that they need not all be resident. Without it the engine
// uploads every constant once and keeps it.
type WeightPager interface {
	// Register makes a weight known and returns a handle to pin it by. read
	// fills dst with the weight's bytes from offset on.
	Register(size int, read func(dst []byte, offset int) error) (WeightHandle, error)
}

// WeightHandle is one paged weight.
type WeightHandle interface {
	// Pin brings the weight to the device and keeps it there until Unpin.
	Pin(ctx context.Context) (*Buffer, error)
	Unpin()
	// Release forgets the weight.
	Release() error
}
