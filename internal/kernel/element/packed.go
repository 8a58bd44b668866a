package element

// Get reads element i of a storage of 4- or 2-bit elements.
func Get(data []byte, bits, i int) byte {
	per := 8 / bits
	return data[i/per] >> (i % per * bits) & (1<<bits - 1)
}

// Set writes the low bits of v to element i of a storage of 4- or 2-bit
// elements. Neighbours share the byte: only one goroutine may write to it.
func Set(data []byte, bits, i int, v byte) {
	per := 8 / bits
	shift := i % per * bits
	mask := byte(1<<bits-1) << shift
	data[i/per] = data[i/per]&^mask | v<<shift&mask
}
