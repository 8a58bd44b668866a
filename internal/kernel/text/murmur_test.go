package text

import "testing"

// Published hashes of MurmurHash3_x86_32.
func TestMurmur3(t *testing.T) {
	for _, c := range []struct {
		key        string
		seed, want uint32
	}{
		{"", 0, 0}, {"", 1, 0x514e28b7}, {"", 0xffffffff, 0x81f16f39},
		{"a", 0x9747b28c, 0x7fa09ea6}, {"aa", 0x9747b28c, 0x5d211726}, {"aaa", 0x9747b28c, 0x283e0130}, {"aaaa", 0x9747b28c, 0x5a97808a},
		{"abc", 0, 0xb3dd93fa}, {"test", 0, 0xba6bd213}, {"test", 0x9747b28c, 0x704b81dc},
		{"Hello, world!", 0, 0xc0363e43}, {"Hello, world!", 0x9747b28c, 0x24884cba},
		{"The quick brown fox jumps over the lazy dog", 0, 0x2e4ff723},
		{"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
		{"\xff\xff\xff\xff", 0, 0x76293b50}, {"\x21\x43\x65\x87", 0x5082edee, 0x2362f9de}, {"\x00\x00\x00\x00", 0, 0x2362f9de},
	} {
		if got := Murmur3(c.key, c.seed); got != c.want {
			t.Errorf("Murmur3(%q, %#x) is %#x, want %#x", c.key, c.seed, got, c.want)
		}
		if got := Murmur3([]byte(c.key), c.seed); got != c.want {
			t.Errorf("Murmur3 of the bytes of %q is %#x, want %#x", c.key, got, c.want)
		}
	}
}
