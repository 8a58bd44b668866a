package gort

import (
	"context"
	"fmt"

	"gort/tensor"
)

// Binding is a set of inputs and outputs that stay the same tensors from run to
// run, so that a run makes nothing anew: the caller writes into the inputs'
// elements, runs, and reads the outputs' elements. A Binding is for one
// goroutine at a time; a session may have any number of them.
type Binding struct {
	s       *Session
	inputs  []tensor.Value
	outputs []*tensor.Tensor
	results []tensor.Value
}

// Bind returns an empty binding.
func (s *Session) Bind() *Binding {
	return &Binding{s: s, inputs: make([]tensor.Value, len(s.inputs)), outputs: make([]*tensor.Tensor, len(s.outputs))}
}

// Input binds a value to an input. The value is read at each Run.
func (b *Binding) Input(name string, v tensor.Value) error {
	for i := range b.s.inputs {
		if b.s.inputs[i].Name == name {
			b.inputs[i] = v
			return nil
		}
	}
	return unknownInput(name, b.s.inputs)
}

// Output binds a tensor to an output: each Run writes its elements. Its type and
// shape must be what the model gives for the bound inputs.
func (b *Binding) Output(name string, t *tensor.Tensor) error {
	for i := range b.s.outputs {
		if b.s.outputs[i].Name == name {
			b.outputs[i] = t
			return nil
		}
	}
	return fmt.Errorf("gort: the model has no output %q; it gives %v", name, names(b.s.outputs))
}

// Run computes the outputs into the bound tensors; outputs that are not bound
// are made anew. See Session.Run for errors.
func (b *Binding) Run(ctx context.Context) error {
	out, err := b.s.engine.Run(ctx, b.inputs, b.outputs)
	if err != nil {
		return err
	}
	b.results = out
	return nil
}

// Result returns an output of the last Run: the bound tensor, or the value that
// was made. It is nil before the first Run and for a name the model does not have.
func (b *Binding) Result(name string) tensor.Value {
	for i := range b.s.outputs {
		if b.s.outputs[i].Name == name && i < len(b.results) {
			return b.results[i]
		}
	}
	return nil
}
