package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"gort/internal/parallel"
)

// Formats that Go's libraries decode into an image.Image.

func decodeBMP(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	return decodeRaster(ctx, pool, file, p, bmp.DecodeConfig, bmp.Decode)
}

func decodePNG(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	return decodeRaster(ctx, pool, file, p, png.DecodeConfig, png.Decode)
}

func decodeWebP(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels) error {
	return decodeRaster(ctx, pool, file, p, webp.DecodeConfig, webp.Decode)
}

// decodeRaster reads the size first, then the image.
func decodeRaster(ctx context.Context, pool *parallel.Pool, file []byte, p *Pixels, config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error)) error {
	c, err := config(bytes.NewReader(file))
	if err != nil {
		return libraryError(err)
	}
	if err := p.size(c.Width, c.Height, len(file)); err != nil {
		return err
	}
	m, err := decode(bytes.NewReader(file))
	if err != nil {
		return libraryError(err)
	}
	b := m.Bounds()
	if b.Dx() != c.Width || b.Dy() != c.Height {
		return fmt.Errorf("%w: the header has %d x %d pixels, the image %d x %d", ErrCorrupt, c.Width, c.Height, b.Dx(), b.Dy())
	}
	read := rowReader(m)
	return p.fill(ctx, pool, func() func(y int) []uint8 {
		row := make([]uint8, 3*c.Width)
		return func(y int) []uint8 {
			read(row, b.Min.Y+y)
			return row
		}
	})
}

// libraryError tells what a library does not read from what is broken.
func libraryError(err error) error {
	var ofPNG png.UnsupportedError
	if errors.As(err, &ofPNG) || errors.Is(err, bmp.ErrUnsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// rowReader returns how to read an image's rows, without their opacity. Several
// threads may read at once.
func rowReader(m image.Image) func(rgb []uint8, y int) {
	switch m := m.(type) {
	case *image.NRGBA:
		return everyPixel(m.Pix, m.Stride, m.Rect, 4, 0, 1, 2)
	case *image.NRGBA64: // the upper bytes
		return everyPixel(m.Pix, m.Stride, m.Rect, 8, 0, 2, 4)
	case *image.RGBA:
		if m.Opaque() {
			return everyPixel(m.Pix, m.Stride, m.Rect, 4, 0, 1, 2)
		}
	case *image.RGBA64:
		if m.Opaque() {
			return everyPixel(m.Pix, m.Stride, m.Rect, 8, 0, 2, 4)
		}
	case *image.Gray:
		return everyPixel(m.Pix, m.Stride, m.Rect, 1, 0, 0, 0)
	case *image.Gray16:
		return everyPixel(m.Pix, m.Stride, m.Rect, 2, 0, 0, 0)
	case *image.Paletted:
		return paletteRows(m)
	case *image.YCbCr:
		return webpRows(m)
	case *image.NYCbCrA:
		return webpRows(&m.YCbCr)
	}
	// Colours that are multiplied by their opacity.
	return func(rgb []uint8, y int) {
		x := m.Bounds().Min.X
		for i := 0; i < len(rgb); i += 3 {
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			rgb[i], rgb[i+1], rgb[i+2] = uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8)
			x++
		}
	}
}

// everyPixel reads pixels of some bytes, of which three are red, green and blue.
func everyPixel(pix []uint8, stride int, bounds image.Rectangle, size, r, g, b int) func(rgb []uint8, y int) {
	return func(rgb []uint8, y int) {
		in := pix[(y-bounds.Min.Y)*stride:]
		for i := 0; i < len(rgb); i += 3 {
			rgb[i], rgb[i+1], rgb[i+2] = in[r], in[g], in[b]
			in = in[min(size, len(in)):]
		}
	}
}

// paletteRows looks pixels up in the palette; those beyond it are black.
func paletteRows(m *image.Paletted) func(rgb []uint8, y int) {
	var table [256][3]uint8
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		table[i] = [3]uint8{n.R, n.G, n.B}
	}
	return func(rgb []uint8, y int) {
		in := m.Pix[(y-m.Rect.Min.Y)*m.Stride:]
		for i := 0; i < len(rgb); i += 3 {
			copy(rgb[i:], table[in[i/3]][:])
		}
	}
}
