package cpu

import (
	"context"
	"errors"

	"gort/ep"
	"gort/internal/kernel/picture"
	"gort/tensor"
)

var imageBindings = []Binding{
	{Op: "ImageDecoder", New: newImageDecoder},
}

// newImageDecoder makes the kernel of ImageDecoder: what is no readable image
// gives an empty one, as the specification wants; a known format, or a variant of
// one, that is not read is an error.
func newImageDecoder(b *Build) (ep.Kernel, error) {
	format, pool := picture.Format(b.String("pixel_format")), b.Pool
	return Func(func(ctx context.Context, inv *ep.Invocation) error {
		p, err := picture.Decode(ctx, pool, tensor.Elements[uint8](inv.In(0)), format)
		if errors.Is(err, picture.ErrCorrupt) {
			_, err = inv.NewOut(0, tensor.Uint8, 0, 0, format.Colours())
			return err
		}
		if err != nil {
			return err
		}
		y, err := inv.NewOut(0, tensor.Uint8, p.Height, p.Width, format.Colours())
		if err != nil || y == nil {
			return err
		}
		copy(tensor.Elements[uint8](y), p.Data)
		return nil
	}), nil
}
