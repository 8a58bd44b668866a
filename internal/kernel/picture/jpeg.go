package picture

import (
	"errors"
	"fmt"
	"iter"

	"gort/internal/kernel/jpeg"
	"gort/internal/kernel/jpeg2000"
)

func decodeJPEG(file []byte, p *Pixels) error {
	m, err := jpeg.Decode(file, maxPixels)
	if err != nil {
		return classify(err, jpeg.ErrUnsupported)
	}
	return p.fill(m.Width, m.Height, len(file), m.Rows())
}

func decodeJPEG2000(file []byte, p *Pixels) error {
	m, err := jpeg2000.Decode(file, maxPixels)
	if err != nil {
		return classify(err, jpeg2000.ErrUnsupported)
	}
	return p.fill(m.Width, m.Height, len(file), m.Rows())
}

// fill takes all rows of an image.
func (p *Pixels) fill(width, height, bytes int, rows iter.Seq2[int, []uint8]) error {
	if err := p.size(width, height, bytes); err != nil {
		return err
	}
	for y, row := range rows {
		p.put(y, row)
	}
	return nil
}

// classify turns a decoder's error into this package's.
func classify(err, unsupported error) error {
	if errors.Is(err, unsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}
