package jpeg2000

import (
	"fmt"

	"gort/internal/kernel/colour"
)

// channel is a colour of an image: a component, whose samples a table maps to 8 bits.
type channel struct {
	component int
	table     []uint8
}

// scaled maps a sample of some bits to 8: the upper ones of many, few are stretched.
func scaled(v, bits int) uint8 {
	if bits >= 8 {
		return uint8(v >> (bits - 8))
	}
	limit := 1<<bits - 1
	return uint8((min(v, limit)*255 + limit/2) / limit)
}

// setChannels finds out which components are which colours.
func (m *Image) setChannels(b *boxes) error {
	switch b.space {
	case spaceCMYK, spaceLab:
		return fmt.Errorf("%w: colour space %d, allowed are sRGB (16), grey (17) and sYCC (18)", ErrUnsupported, b.space)
	}
	all, err := m.allChannels(b)
	if err != nil {
		return err
	}
	// Without definitions the channels are colours in their order, then opacity.
	colours := all
	if len(b.defs) > 0 {
		colours = nil
		for number := 1; ; number++ {
			n := -1
			for _, d := range b.defs {
				if d.kind == 0 && d.colour == number && d.channel < len(all) {
					n = d.channel
				}
			}
			if n < 0 {
				break
			}
			colours = append(colours, all[n])
		}
		if len(colours) == 0 {
			return fmt.Errorf("%w: no channel is a colour", ErrCorrupt)
		}
	}
	if len(colours) >= 3 && b.space != spaceGrey {
		m.channels = colours[:3]
	} else {
		m.channels = colours[:1]
	}
	m.luma = len(m.channels) == 3 && (b.space == spaceYCC || !b.file && m.reducedColour())
	for _, c := range m.channels {
		m.components[c.component].used = true
	}
	return nil
}

// reducedColour reports whether a bare codestream must be luma and colour
// differences: only they have fewer samples of the second and third component.
func (m *Image) reducedColour() bool {
	c := m.components
	return len(c) == 3 && c[0].dx == 1 && c[0].dy == 1 && c[1].dx > 1 && c[2].dx > 1
}

// allChannels lists the channels, opacity included.
func (m *Image) allChannels(b *boxes) ([]channel, error) {
	maps := b.maps
	if b.palette == nil {
		maps = make([]channelMap, len(m.components))
		for i := range maps {
			maps[i].component = i
		}
	}
	if len(maps) == 0 {
		return nil, fmt.Errorf("%w: a palette without a component that uses it", ErrCorrupt)
	}
	var out []channel
	for _, k := range maps {
		if k.component >= len(m.components) || k.palette && k.column >= len(b.palette) {
			return nil, fmt.Errorf("%w: a channel of component %d and palette column %d, of %d and %d", ErrCorrupt, k.component, k.column, len(m.components), len(b.palette))
		}
		bits := m.components[k.component].precision
		table := make([]uint8, 1<<bits)
		for v := range table {
			if k.palette {
				column := b.palette[k.column]
				table[v] = column[min(v, len(column)-1)]
			} else {
				table[v] = scaled(v, bits)
			}
		}
		out = append(out, channel{k.component, table})
	}
	return out, nil
}

// RowReader returns a function that reads a row of the image: pixels of red, green
// and blue. A row is valid until the next call. Several readers may read at once.
// Components of reduced size have their samples repeated.
func (m *Image) RowReader() func(y int) []uint8 {
	rgb := make([]uint8, 3*m.Width)
	return func(y int) []uint8 {
		for i, c := range m.channels {
			m.readChannel(rgb[i:], c, y)
		}
		for x := 0; x < len(rgb); x += 3 {
			p := rgb[x : x+3 : x+3]
			if len(m.channels) == 1 {
				p[1], p[2] = p[0], p[0]
			} else if m.luma {
				p[0], p[1], p[2] = colour.YCbCrToRGB(p[0], p[1], p[2])
			}
		}
		return rgb
	}
}

// readChannel writes a row of a channel into every third element.
func (m *Image) readChannel(out []uint8, c channel, y int) {
	k := &m.components[c.component]
	row := k.samples[clampIndex((m.y0+y)/k.dy-k.y0, k.height)*k.width:][:k.width]
	if k.dx == 1 {
		for x, v := range row {
			out[3*x] = c.table[v]
		}
		return
	}
	for x := range m.Width {
		out[3*x] = c.table[row[clampIndex((m.x0+x)/k.dx-k.x0, k.width)]]
	}
}

func clampIndex(i, n int) int { return min(max(i, 0), n-1) }
