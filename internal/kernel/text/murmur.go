package text

import "math/bits"

// Murmur3 is MurmurHash3_x86_32, the 32-bit hash that Austin Appleby published: four
// bytes at a time, little-endian, then the rest and the length.
func Murmur3[B string | []byte](key B, seed uint32) uint32 {
	h, n := seed, len(key)
	i := 0
	for ; i+4 <= n; i += 4 {
		h ^= murmurWord(uint32(key[i]) | uint32(key[i+1])<<8 | uint32(key[i+2])<<16 | uint32(key[i+3])<<24)
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	rest := uint32(0)
	for k := n - 1; k >= i; k-- {
		rest = rest<<8 | uint32(key[k])
	}
	h ^= murmurWord(rest) // 0 of nothing
	h ^= uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func murmurWord(k uint32) uint32 {
	return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593
}
