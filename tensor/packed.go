package tensor

import "fmt"

// Unpack returns the elements of a 4- or 2-bit tensor, one a byte, in row-major
// order: signed integers sign-extended, unsigned ones and float4e2m1 as their bits.
func Unpack(t *Tensor) ([]int8, error) {
	if !t.dtype.Packed() {
		return nil, fmt.Errorf("tensor: %v is not a packed type", t.dtype)
	}
	out := make([]int8, t.size)
	if t.IsContiguous() {
		unpack(out, t, t.offset)
		return out, nil
	}
	i := 0
	for it := NewIterator(t.shape, t.Strides(), t.offset); it.Next(); i++ {
		unpack(out[i:i+1], t, it.Index())
	}
	return out, nil
}

// Pack returns a 4- or 2-bit tensor made of the low bits of elems.
func Pack(d DType, elems []int8, shape ...int) (*Tensor, error) {
	if !d.Packed() {
		return nil, fmt.Errorf("tensor: %v is not a packed type", d)
	}
	t, err := New(d, shape...)
	if err != nil {
		return nil, err
	}
	if t.size != len(elems) {
		return nil, fmt.Errorf("tensor: shape %v holds %d elements, got %d", t.shape, t.size, len(elems))
	}
	pack(t, 0, elems)
	return t, nil
}

// unpack reads neighbours in the storage of a packed tensor, from the i-th on,
// until out is full.
func unpack(out []int8, t *Tensor, i int) {
	bits := t.dtype.Bits()
	drop := 0 // signed types are shifted up and back to extend their sign
	if t.dtype.Class() == ClassInt {
		drop = 8 - bits
	}
	if bits == 4 && i%2 == 0 {
		in := t.data[i/2:]
		for ; len(out) >= 2; in, out = in[1:], out[2:] {
			b := in[0]
			out[0] = int8(b&15) << drop >> drop
			out[1] = int8(b>>4) << drop >> drop
			i += 2
		}
	}
	for k := range out {
		out[k] = int8(getPacked(t.data, bits, i+k)) << drop >> drop
	}
}

// pack writes the low bits of elems to neighbours in the storage of a packed
// tensor, from the i-th on, and leaves the bits around them as they are.
func pack(t *Tensor, i int, elems []int8) {
	bits := t.dtype.Bits()
	if bits == 4 && i%2 == 0 {
		out := t.data[i/2:]
		for ; len(elems) >= 2; out, elems = out[1:], elems[2:] {
			out[0] = byte(elems[0])&15 | byte(elems[1])<<4
			i += 2
		}
	}
	for k, v := range elems {
		setPacked(t.data, bits, i+k, byte(v))
	}
}

func getPacked(data []byte, bits, i int) byte {
	per := 8 / bits
	return data[i/per] >> (i % per * bits) & (1<<bits - 1)
}

func setPacked(data []byte, bits, i int, v byte) {
	per := 8 / bits
	shift := i % per * bits
	mask := byte(1<<bits-1) << shift
	data[i/per] = data[i/per]&^mask | v<<shift&mask
}
