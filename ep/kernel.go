package ep

import (
	"context"
	"fmt"

	"gort/tensor"
)

// Kernel is one node made ready to run. Run may be called from several
// goroutines at once, each with its own Invocation, and keeps no state between
// calls. It watches ctx in long work. It reads only what Inputs give and writes
// only Outputs and scratch.
type Kernel interface {
	Run(ctx context.Context, inv *Invocation) error
}

// Arg is one operand of a running kernel: a window of a device buffer, and on
// hosts and for values that only the host has (strings, sequences, optionals,
// maps) the value itself.
type Arg struct {
	DType   tensor.DType
	Shape   tensor.Shape
	Strides []int // in elements; nil means row-major and gapless
	Buffer  *Buffer
	Offset  int          // of the first element within Buffer, in bytes
	Value   tensor.Value // on hosts; a *tensor.Tensor aliases Buffer
}

// Present reports whether the operand is given.
func (a *Arg) Present() bool { return a.Buffer != nil || a.Value != nil }

// Allocator gives running kernels the outputs whose shapes only they know.
type Allocator interface {
	// AllocateOutput makes output i a fresh tensor and returns its operand.
	AllocateOutput(i int, d tensor.DType, shape tensor.Shape) (*Arg, error)
	// SetOutput makes output i a host value: a sequence, optional, map, string
	// tensor, or a tensor that the kernel got from elsewhere and that nobody writes to.
	SetOutput(i int, v tensor.Value) error
}

// Subgraph runs one graph among the attributes of a node. Captured values are
// supplied by the engine.
type Subgraph interface {
	// NumInputs and NumOutputs are the counts of the graph's own inputs and outputs.
	NumInputs() int
	NumOutputs() int
	// Run computes the outputs. Inputs are borrowed until Run returns; outputs
	// stay valid until the node's Run returns, and outputs that the kernel passes
	// to SetOutput beyond that.
	Run(ctx context.Context, inputs []tensor.Value) ([]tensor.Value, error)
}

// Invocation is one call of a kernel.
type Invocation struct {
	Inputs  []Arg
	Outputs []Arg  // empty Arg where an output is not asked for or not yet allocated
	Wanted  []bool // which outputs are asked for
	// Scratch is as large as the kernel's Scratcher asked for; its contents are
	// undefined when Run starts.
	Scratch Arg
	// Subgraphs are the graphs among the node's attributes, in attribute order.
	Subgraphs []Subgraph
	Alloc     Allocator
}

// In returns input i as a host tensor, nil when it is omitted or no tensor.
func (v *Invocation) In(i int) *tensor.Tensor {
	if i >= len(v.Inputs) {
		return nil
	}
	t, _ := v.Inputs[i].Value.(*tensor.Tensor)
	return t
}

// InValue returns input i as a host value, nil when it is omitted.
func (v *Invocation) InValue(i int) tensor.Value {
	if i >= len(v.Inputs) {
		return nil
	}
	return v.Inputs[i].Value
}

// Wants reports whether output i is asked for.
func (v *Invocation) Wants(i int) bool { return i < len(v.Wanted) && v.Wanted[i] }

// Out returns output i as a host tensor whose shape was known before the call,
// nil when the output is not asked for.
func (v *Invocation) Out(i int) *tensor.Tensor {
	if i >= len(v.Outputs) {
		return nil
	}
	t, _ := v.Outputs[i].Value.(*tensor.Tensor)
	return t
}

// NewOut returns output i with a shape that the kernel found out, allocating it
// unless it is already there. It returns nil when the output is not asked for.
func (v *Invocation) NewOut(i int, d tensor.DType, shape ...int) (*tensor.Tensor, error) {
	if !v.Wants(i) {
		return nil, nil
	}
	if t := v.Out(i); t != nil {
		if t.DType() != d || !t.Shape().Equal(shape) {
			return nil, fmt.Errorf("output %d was planned as %v, the kernel makes %v %v", i, t, d, tensor.Shape(shape))
		}
		return t, nil
	}
	a, err := v.Alloc.AllocateOutput(i, d, shape)
	if err != nil {
		return nil, err
	}
	t, _ := a.Value.(*tensor.Tensor)
	return t, nil
}

// SetOut makes output i a host value. It does nothing when the output is not asked for.
func (v *Invocation) SetOut(i int, val tensor.Value) error {
	if !v.Wants(i) {
		return nil
	}
	return v.Alloc.SetOutput(i, val)
}

// ScratchBytes returns the scratch memory of a host kernel.
func (v *Invocation) ScratchBytes() []byte {
	t, _ := v.Scratch.Value.(*tensor.Tensor)
	if t == nil {
		return nil
	}
	b, _ := t.Bytes()
	return b
}

// Prepacker is a kernel that turns constant inputs into a form of its own.
type Prepacker interface {
	// Prepack sees the constant inputs once, when the model is built: nil where an
	// input is not constant. It returns which of them Run no longer reads.
	Prepack(ctx context.Context, consts []*tensor.Tensor) (done []bool, err error)
}

// Scratcher is a kernel that needs working memory.
type Scratcher interface {
	// Scratch returns how many bytes, for inputs of these shapes (nil where omitted).
	Scratch(inputs []tensor.Shape) int
}

// View says where an output lies inside an input: no work is done, the engine
// only describes the memory anew.
type View struct {
	Input   int
	Strides []int // in elements; nil means row-major
	Offset  int   // in elements, from the input's first element
}

// Viewer is a kernel whose outputs are windows of inputs.
type Viewer interface {
	// View returns the window for output i, whose shape is out. Inputs are
	// contiguous unless the kernel also is StridedInputs. While a plan is made only
	// constant inputs have elements; the others are tensors without storage
	// (tensor.Header), whose elements must not be read. ok is false when the output
	// has to be computed by Run for these operands.
	View(i int, inv *Invocation, out tensor.Shape) (v View, ok bool)
}

// Reuse says that an output may be written over an input.
type Reuse struct{ Output, Input int }

// InPlacer is a kernel that may write outputs over inputs of the same size.
type InPlacer interface {
	InPlace() []Reuse
}

// StridedInputs is a kernel that reads non-contiguous inputs. Without it the
// engine makes them contiguous first.
type StridedInputs interface {
	StridedInput(i int) bool
}

// Capturable is a kernel that may be recorded into a device graph. Absent means no.
type Capturable interface {
	// Capturable says whether for inputs of these shapes, and if not why.
	Capturable(inputs []tensor.Shape) (ok bool, reason string)
}
