package jpeg2000

// bypassFrom is how many passes of a code-block are arithmetically coded before
// plain bits come, in the style that has them: those of the first four bit-planes.
const bypassFrom = 10

// blockDecoder decodes code-blocks, annex D: bit-plane by bit-plane, each in three
// passes over stripes of four rows.
type blockDecoder struct {
	decisions
	w, h   int
	stride int
	flags  []uint16 // of the coefficients, with a border around
	values []int32  // with one fractional bit, set to a half below the last bit read
	zero   *[256]uint8
	causal bool
}

// decode decodes a code-block. Its values, in rows, are valid until the next call.
func (d *blockDecoder) decode(b *codeBlock, orientation int, style byte) []int32 {
	d.prepare(b.width(), b.height())
	d.zero = &zeroContexts[orientation]
	d.causal = style&styleCausal != 0
	d.reset()
	pass := 0
	for i := range b.segments {
		s := &b.segments[i]
		for n := range s.passes {
			// The first bit-plane has the last of the three passes only.
			plane, kind := b.planes-1-(pass+2)/3, (pass+2)%3
			if plane < 0 {
				return d.values
			}
			if n == 0 {
				d.begin(s.data, style&styleBypass != 0 && pass >= bypassFrom && kind != 2)
			}
			one := int32(2) << plane
			switch kind {
			case 0:
				d.findSignificant(one)
			case 1:
				d.refine(one)
			case 2:
				d.cleanUp(one)
				if style&styleSymbols != 0 {
					for range 4 {
						d.decide(contextUniform)
					}
				}
			}
			if style&styleReset != 0 {
				d.reset()
			}
			pass++
		}
	}
	return d.values
}

// prepare makes room for a block of zeros.
func (d *blockDecoder) prepare(w, h int) {
	d.w, d.h, d.stride = w, h, w+2
	n := (w + 2) * (h + 2)
	if cap(d.flags) < n {
		d.flags = make([]uint16, n)
	}
	d.flags = d.flags[:n]
	clear(d.flags)
	if cap(d.values) < w*h {
		d.values = make([]int32, w*h)
	}
	d.values = d.values[:w*h]
	clear(d.values)
}

// findSignificant is the pass over coefficients with significant neighbours, D.3.1.
func (d *blockDecoder) findSignificant(one int32) {
	for top := 0; top < d.h; top += 4 {
		bottom := min(top+4, d.h)
		for x := range d.w {
			i := (top+1)*d.stride + x + 1
			for y := top; y < bottom; y++ {
				if f := d.flags[i]; f&near != 0 && f&significant == 0 {
					if d.decide(d.zero[f&near]) == 1 {
						d.become(i, x, y, one)
					}
					d.flags[i] |= visited
				}
				i += d.stride
			}
		}
	}
}

// refine is the pass over coefficients that are significant since an earlier
// bit-plane, D.3.3.
func (d *blockDecoder) refine(one int32) {
	half := one >> 1
	for top := 0; top < d.h; top += 4 {
		bottom := min(top+4, d.h)
		for x := range d.w {
			i := (top+1)*d.stride + x + 1
			for y := top; y < bottom; y++ {
				if f := d.flags[i]; f&(significant|visited) == significant {
					context := uint8(contextRefine)
					if f&refined != 0 {
						context += 2
					} else if f&near != 0 {
						context++
					}
					// The half that stands for this bit and those below is replaced.
					delta := -half
					if d.decide(context) == 1 {
						delta = half
					}
					if v := &d.values[y*d.w+x]; *v < 0 {
						*v -= delta
					} else {
						*v += delta
					}
					d.flags[i] |= refined
				}
				i += d.stride
			}
		}
	}
}

// cleanUp is the pass over what the other two have left, D.3.4. Columns of four
// without any significant neighbour have one decision for all.
func (d *blockDecoder) cleanUp(one int32) {
	for top := 0; top < d.h; top += 4 {
		bottom := min(top+4, d.h)
		for x := range d.w {
			first := (top+1)*d.stride + x + 1
			y, found := top, false
			if bottom == top+4 && d.flags[first]|d.flags[first+d.stride]|d.flags[first+2*d.stride]|d.flags[first+3*d.stride] == 0 {
				if d.decide(contextRun) == 0 {
					continue
				}
				y += int(d.decide(contextUniform)<<1 | d.decide(contextUniform))
				found = true
			}
			i := first + (y-top)*d.stride
			for ; y < bottom; y++ {
				f := d.flags[i]
				if f&(significant|visited) == 0 && (found || d.decide(d.zero[f&near]) == 1) {
					d.become(i, x, y, one)
				}
				found = false
				d.flags[i] &^= visited
				i += d.stride
			}
		}
	}
}

// become makes a coefficient significant: it reads the sign, D.3.2, and tells the
// neighbours.
func (d *blockDecoder) become(i, x, y int, one int32) {
	var negative uint16
	if d.plain {
		negative = uint16(d.bit())
	} else {
		c := signContexts[d.flags[i]>>4&0xFF]
		negative = uint16(d.decide(c&0x7F) ^ c>>7)
	}
	v := one | one>>1
	if negative == 1 {
		v = -v
	}
	d.values[y*d.w+x] = v
	f, s := d.flags, d.stride
	f[i] |= significant
	f[i-1] |= nearE | negative*negativeE
	f[i+1] |= nearW | negative*negativeW
	f[i+s-1] |= nearNE
	f[i+s] |= nearN | negative*negativeN
	f[i+s+1] |= nearNW
	if d.causal && y%4 == 0 {
		return // the stripe above does not know of this one
	}
	f[i-s-1] |= nearSE
	f[i-s] |= nearS | negative*negativeS
	f[i-s+1] |= nearSW
}
