package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"gort/graph"
	"gort/tensor"
)

// Session is a model ready to run, as the runner needs it.
type Session interface {
	InputTypes() []graph.Type
	OutputTypes() []graph.Type
	// Run computes the outputs. A nil input is one whose default applies.
	Run(ctx context.Context, inputs []tensor.Value) ([]tensor.Value, error)
	Close() error
}

// Opener makes a session of a model file.
type Opener func(ctx context.Context, fsys fs.FS, name string) (Session, error)

// Run opens the case's model, runs every data set and compares the outputs. It
// returns nil when all agree.
func (c *Case) Run(ctx context.Context, open Opener) (err error) {
	s, err := open(ctx, c.fsys, c.model)
	if err != nil {
		return err
	}
	defer func() {
		if e := s.Close(); e != nil && err == nil {
			err = e
		}
	}()
	if c.light != "" {
		return c.runLight(ctx, s)
	}
	if len(c.sets) == 0 {
		return fmt.Errorf("%s has no test_data_set folder", c.ID())
	}
	for _, set := range c.sets {
		if err := c.runSet(ctx, s, set); err != nil {
			return err
		}
	}
	return nil
}

func (c *Case) runSet(ctx context.Context, s Session, set string) error {
	inputs := make([]tensor.Value, len(s.InputTypes()))
	for i, t := range s.InputTypes() {
		v, err := c.read(set, "input", i, t)
		switch {
		case errors.Is(err, fs.ErrNotExist): // has a default
		case err != nil:
			return err
		default:
			inputs[i] = v
		}
	}
	got, err := s.Run(ctx, inputs)
	if err != nil {
		return err
	}
	n := 0
	for ; ; n++ {
		if _, err := fs.Stat(c.fsys, path.Join(set, fmt.Sprintf("output_%d.pb", n))); err != nil {
			break
		}
	}
	if n == 0 || n != len(got) {
		return fmt.Errorf("%d outputs, want %d", len(got), n)
	}
	types := s.OutputTypes()
	for i, g := range got {
		want, err := c.read(set, "output", i, types[i])
		if err != nil {
			return err
		}
		if err := tensor.Compare(g, want, c.RTol, c.ATol); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func (c *Case) read(set, kind string, i int, t graph.Type) (tensor.Value, error) {
	raw, err := fs.ReadFile(c.fsys, path.Join(set, fmt.Sprintf("%s_%d.pb", kind, i)))
	if err != nil {
		return nil, err
	}
	v, err := tensor.ReadPB(raw, t.WithoutShape())
	if err != nil {
		return nil, fmt.Errorf("%s %d: %w", kind, i, err)
	}
	return v, nil
}

// runLight feeds arange(n)/n to the one float input that a light network needs.
func (c *Case) runLight(ctx context.Context, s Session) error {
	inputs := make([]tensor.Value, len(s.InputTypes()))
	t := s.InputTypes()[0]
	shape := make(tensor.Shape, 0, len(t.Shape.Dims()))
	for _, d := range t.Shape.Dims() {
		n, ok := d.Size()
		if !ok {
			n = 1
		}
		shape = append(shape, n)
	}
	n, err := shape.NumElements()
	if err != nil {
		return err
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(float64(i) / float64(n))
	}
	in, err := tensor.FromSlice(data, shape...)
	if err != nil {
		return err
	}
	inputs[0] = in
	got, err := s.Run(ctx, inputs)
	if err != nil {
		return err
	}
	raw, err := fs.ReadFile(c.fsys, c.light)
	if err != nil {
		return err
	}
	want, err := tensor.ReadPB(raw, s.OutputTypes()[0].WithoutShape())
	if err != nil {
		return err
	}
	return tensor.Compare(got[0], want, c.RTol, c.ATol)
}
