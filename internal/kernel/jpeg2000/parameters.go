package jpeg2000

import (
	"fmt"
	"slices"
)

// Code-block styles, table A.19.
const (
	styleBypass     = 1 << 0 // later passes are not arithmetically coded
	styleReset      = 1 << 1 // contexts are reset after each pass
	styleTerminate  = 1 << 2 // each pass is a codeword segment
	styleCausal     = 1 << 3 // contexts do not look at the next stripe
	stylePredict    = 1 << 4 // segments end in a known way; no matter to a decoder
	styleSymbols    = 1 << 5 // four decisions end each bit-plane
	styleOfThisPart = styleBypass | styleReset | styleTerminate | styleCausal | stylePredict | styleSymbols
)

// maxLevels is the largest number of wavelet transforms.
const maxLevels = 32

// parameters say how a tile is coded. Those of the main header hold unless a
// tile-part's say otherwise, those for one component go before those for all.
type parameters struct {
	order      byte
	layers     int
	transform  bool // the first three components are transformed
	sop, eph   bool // markers stand before packets, after their headers
	components []componentParameters
	changes    []progressionChange
	inherited  bool // the changes are the main header's
	coded      bool
}

// componentParameters say how a component of a tile is coded.
type componentParameters struct {
	coding
	quantization
	shift                  int // of the region of interest
	ownCoding, ownQuantity bool
}

// coding is a component's coding style.
type coding struct {
	levels         int
	blockW, blockH int // exponents
	style          byte
	reversible     bool
	precinctW      [maxLevels + 1]uint8 // exponents, by resolution
	precinctH      [maxLevels + 1]uint8
}

// quantization is a component's quantization.
type quantization struct {
	guard   int
	derived bool // the steps of all bands follow from the first
	steps   []quantStep
}

// quantStep is (1 + mantissa/2^11) * 2^-exponent, relative to a band's range.
type quantStep struct{ exponent, mantissa int }

// progressionChange is a part of the packets in an order of its own, annex A.6.6.
type progressionChange struct {
	order            byte
	fromRes, toRes   int
	fromComp, toComp int
	layers           int
}

// maxChanges bounds the work that a header can ask for.
const maxChanges = 64

func newParameters(components int) *parameters {
	return &parameters{components: make([]componentParameters, components)}
}

// clone returns the parameters that a tile begins with.
func (p *parameters) clone() *parameters {
	c := *p
	c.components = slices.Clone(p.components)
	for i := range c.components {
		c.components[i].ownCoding, c.components[i].ownQuantity = false, false
	}
	c.inherited = true
	return &c
}

// read reads a segment of a header; those that do not matter here are skipped.
func (p *parameters) read(marker int, s []byte) error {
	r := &fields{data: s}
	switch marker {
	case markerCOD:
		p.readCOD(r)
	case markerCOC:
		p.readCOC(r)
	case markerQCD:
		q := readQuantization(r)
		for i := range p.components {
			if c := &p.components[i]; !c.ownQuantity {
				c.quantization = q
			}
		}
	case markerQCC:
		if c := p.component(r); c != nil {
			c.quantization, c.ownQuantity = readQuantization(r), true
		}
	case markerRGN:
		if c := p.component(r); c != nil {
			r.require(r.byte() == 0, "a region of interest of an unknown style")
			c.shift = r.byte()
		}
	case markerPOC:
		p.readPOC(r)
	default:
		return nil
	}
	if r.err != nil {
		return fmt.Errorf("in segment %#x: %w", marker, r.err)
	}
	return nil
}

// readCOD reads the coding style of all components, annex A.6.1.
func (p *parameters) readCOD(r *fields) {
	style := r.byte()
	p.sop, p.eph = style&2 != 0, style&4 != 0
	p.order = byte(r.byte())
	p.layers = r.uint16()
	transform := r.byte()
	r.require(p.order <= orderCPRL, "an unknown progression order")
	r.require(p.layers > 0, "no quality layers")
	r.require(transform <= 1, "an unknown component transform")
	p.transform = transform == 1
	c := readCoding(r, style&1 != 0)
	for i := range p.components {
		if d := &p.components[i]; !d.ownCoding {
			d.coding = c
		}
	}
	p.coded = true
}

// readCOC reads the coding style of one component, annex A.6.2.
func (p *parameters) readCOC(r *fields) {
	if c := p.component(r); c != nil {
		precincts := r.byte()&1 != 0
		c.coding, c.ownCoding = readCoding(r, precincts), true
	}
}

// readCoding reads a coding style, tables A.15 and A.20.
func readCoding(r *fields, precincts bool) coding {
	c := coding{levels: r.byte(), blockW: r.byte()&15 + 2, blockH: r.byte()&15 + 2, style: byte(r.byte())}
	kernel := r.byte()
	if r.require(c.levels <= maxLevels, "more than 32 wavelet transforms"); r.err != nil {
		return coding{}
	}
	r.require(c.blockW <= 10 && c.blockH <= 10 && c.blockW+c.blockH <= 12, "too large code-blocks")
	r.require(kernel <= 1, "an unknown wavelet")
	if c.style&^styleOfThisPart != 0 && r.err == nil {
		r.err = fmt.Errorf("%w: code-block style %#x, allowed are combinations of %#x", ErrUnsupported, c.style, styleOfThisPart)
	}
	c.reversible = kernel == 1
	for i := range c.levels + 1 {
		c.precinctW[i], c.precinctH[i] = 15, 15
		if precincts {
			size := r.byte()
			c.precinctW[i], c.precinctH[i] = uint8(size&15), uint8(size>>4)
			r.require(i == 0 || size&15 > 0 && size>>4 > 0, "precincts of width or height 1")
		}
	}
	return c
}

// readQuantization reads quantization steps, annex A.6.4.
func readQuantization(r *fields) quantization {
	style := r.byte()
	q := quantization{guard: style >> 5}
	switch style & 31 {
	case 0: // none, only the bands' ranges
		for r.more() {
			q.steps = append(q.steps, quantStep{exponent: r.byte() >> 3})
		}
	case 1, 2:
		q.derived = style&31 == 1
		for r.more() {
			v := r.uint16()
			q.steps = append(q.steps, quantStep{v >> 11, v & 0x7FF})
		}
	default:
		r.require(false, "an unknown quantization style")
	}
	r.require(len(q.steps) > 0, "no quantization steps")
	return q
}

// band returns the step of a band: 0 is LL, then three for each resolution.
func (q *quantization) band(i int) (quantStep, bool) {
	if q.derived {
		s := q.steps[0]
		s.exponent = max(0, s.exponent-max(0, i-1)/3)
		return s, true
	}
	if i >= len(q.steps) {
		return quantStep{}, false
	}
	return q.steps[i], true
}

// readPOC reads changes of the progression order. A tile's go before the main
// header's, several of one header add up.
func (p *parameters) readPOC(r *fields) {
	if p.inherited {
		p.changes, p.inherited = nil, false
	}
	for r.more() {
		c := progressionChange{fromRes: r.byte(), fromComp: p.componentNumber(r), layers: r.uint16(), toRes: r.byte(), toComp: p.componentNumber(r), order: byte(r.byte())}
		if len(p.components) < 257 && c.toComp == 0 {
			c.toComp = 256
		}
		r.require(c.order <= orderCPRL, "an unknown progression order")
		r.require(len(p.changes) < maxChanges, "more than 64 progression changes")
		if r.err != nil {
			return
		}
		p.changes = append(p.changes, c)
	}
}

// component reads a component's number, and returns it.
func (p *parameters) component(r *fields) *componentParameters {
	n := p.componentNumber(r)
	if r.require(n < len(p.components), "a component that there is not"); r.err != nil {
		return nil
	}
	return &p.components[n]
}

// componentNumber reads a component's number; where there are many it takes two
// bytes.
func (p *parameters) componentNumber(r *fields) int {
	if len(p.components) < 257 {
		return r.byte()
	}
	return r.uint16()
}

// fields reads the fields of a segment. After an error it gives 0s.
type fields struct {
	data []byte
	err  error
}

func (r *fields) more() bool { return r.err == nil && len(r.data) > 0 }

func (r *fields) byte() int {
	r.require(len(r.data) >= 1, "too few bytes")
	if r.err != nil {
		return 0
	}
	v := int(r.data[0])
	r.data = r.data[1:]
	return v
}

func (r *fields) uint16() int { return r.byte()<<8 | r.byte() }

// require notes what is wrong, unless ok.
func (r *fields) require(ok bool, wrong string) {
	if !ok && r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrCorrupt, wrong)
	}
}
