package picture

import (
	"context"
	"errors"
	"fmt"

	"gort/internal/kernel/jpeg"
	"gort/internal/kernel/jpeg2000"
	"gort/internal/kernel/tiff"
	"gort/internal/parallel"
)

// Formats that packages beside this one decode.

func decodeJPEG(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	m, err := jpeg.Decode(ctx, pool, file, maxPixels)
	if err != nil {
		return classify(err, jpeg.ErrCorrupt, jpeg.ErrUnsupported)
	}
	if err := p.size(m.Width, m.Height, len(file)); err != nil {
		return err
	}
	return p.fill(ctx, pool, m.RowReader)
}

func decodeJPEG2000(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	m, err := jpeg2000.Decode(ctx, pool, file, maxPixels)
	if err != nil {
		return classify(err, jpeg2000.ErrCorrupt, jpeg2000.ErrUnsupported)
	}
	if err := p.size(m.Width, m.Height, len(file)); err != nil {
		return err
	}
	return p.fill(ctx, pool, m.RowReader)
}

func decodeTIFF(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	m, err := tiff.Open(file)
	if err != nil {
		return classify(err, tiff.ErrCorrupt, tiff.ErrUnsupported)
	}
	if err := p.size(m.Width, m.Height, len(file)); err != nil {
		return err
	}
	return classify(m.Decode(ctx, pool, p.put), tiff.ErrCorrupt, tiff.ErrUnsupported)
}

// classify turns a decoder's error into this package's; that of a context stays.
func classify(err, corrupt, unsupported error) error {
	switch {
	case errors.Is(err, corrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, unsupported):
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}
