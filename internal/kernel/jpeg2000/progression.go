package jpeg2000

import (
	"cmp"
	"fmt"
	"slices"
)

// Progression orders, table A.16, named by what changes slowest to fastest: layer,
// resolution, component, position.
const (
	orderLRCP = iota
	orderRLCP
	orderRPCL
	orderPCRL
	orderCPRL
)

// station is a precinct on the way through a tile, and where it stands on the
// reference grid.
type station struct {
	res, comp, number int
	x, y              int
}

// compare says for each order which of two precincts comes first.
var compare = [...]func(a, b station) int{
	orderLRCP: func(a, b station) int {
		return cmp.Or(a.res-b.res, a.comp-b.comp, a.number-b.number)
	},
	orderRLCP: func(a, b station) int {
		return cmp.Or(a.res-b.res, a.comp-b.comp, a.number-b.number)
	},
	orderRPCL: func(a, b station) int {
		return cmp.Or(a.res-b.res, a.y-b.y, a.x-b.x, a.comp-b.comp, a.number-b.number)
	},
	orderPCRL: func(a, b station) int {
		return cmp.Or(a.y-b.y, a.x-b.x, a.comp-b.comp, a.res-b.res, a.number-b.number)
	},
	orderCPRL: func(a, b station) int {
		return cmp.Or(a.comp-b.comp, a.y-b.y, a.x-b.x, a.res-b.res, a.number-b.number)
	},
}

// stations lists the precincts that a progression goes through, in its order.
func (t *tile) stations(p progressionChange) []station {
	var out []station
	for i := p.fromComp; i < min(p.toComp, len(t.components)); i++ {
		c := &t.components[i]
		for j := p.fromRes; j < min(p.toRes, len(c.resolutions)); j++ {
			r := &c.resolutions[j]
			for k := range r.precincts {
				// The first of a row or column may begin left of the tile, or above.
				x := ((r.x0>>r.precinctW + k%r.across) << (r.precinctW + c.levels - j)) * c.dx
				y := ((r.y0>>r.precinctH + k/r.across) << (r.precinctH + c.levels - j)) * c.dy
				out = append(out, station{j, i, k, max(x, t.x0), max(y, t.y0)})
			}
		}
	}
	slices.SortFunc(out, compare[p.order])
	return out
}

// stretch returns how many stations from the first are gone through layer by layer,
// before the next begins.
func stretch(order byte, s []station) int {
	switch order {
	case orderLRCP:
		return len(s)
	case orderRLCP:
		n := slices.IndexFunc(s, func(t station) bool { return t.res != s[0].res })
		if n < 0 {
			return len(s)
		}
		return n
	default:
		return 1
	}
}

// readPackets reads all packets of a tile.
func (t *tile) readPackets(d *tileData) error {
	// A packet has a byte at least.
	if n, have := t.packets(), len(d.body)+len(d.headers); n > have/d.layers {
		return fmt.Errorf("%w: a tile of %d bytes has %d packets in each of %d layers", ErrCorrupt, have, n, d.layers)
	}
	t.addPrecincts()
	r := &packetReader{tileData: d, body: d.body, header: headerBits{data: d.headers}}
	changes := d.changes
	if len(changes) == 0 {
		changes = []progressionChange{{order: d.order, toRes: maxLevels + 1, toComp: len(t.components), layers: d.layers}}
	}
	for _, p := range changes {
		left := t.stations(p)
		for len(left) > 0 {
			n := stretch(p.order, left)
			for layer := range min(p.layers, d.layers) {
				for _, s := range left[:n] {
					if err := t.readPacket(r, s, layer); err != nil {
						return err
					}
				}
			}
			left = left[n:]
		}
	}
	return nil
}

// readPacket reads a packet, unless an earlier progression had it.
func (t *tile) readPacket(r *packetReader, s station, layer int) error {
	c := &t.components[s.comp]
	res := &c.resolutions[s.res]
	k := &res.precincts[s.number]
	if layer < k.layers {
		return nil
	}
	k.layers++
	return r.read(c, res, k, layer)
}
