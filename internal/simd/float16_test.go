package simd

import (
	"math"
	"testing"
)

func TestFloat16ToFloat32(t *testing.T) {
	src := make([]uint16, 1<<16)
	for i := range src {
		src[i] = uint16(i)
	}
	bothWays(func(mode string) {
		dst, check := guarded(len(src))
		Float16ToFloat32(dst, src)
		check(t)
		for i, got := range dst {
			h := uint16(i)
			exp, frac := int(h>>10&31), float64(h&1023)
			want := math.Ldexp(frac/1024+1, exp-15)
			switch {
			case exp == 0:
				want = math.Ldexp(frac, -24)
			case exp == 31 && frac == 0:
				want = math.Inf(1)
			case exp == 31:
				want = math.NaN()
			}
			if h>>15 == 1 {
				want = -want
			}
			if !same(got, float32(want)) {
				t.Fatalf("%s: %#04x is %g, want %g", mode, h, got, want)
			}
		}
	})
}

func TestFloat32ToFloat16(t *testing.T) {
	// Around every third half precision number and the points half way between them,
	// and in large steps over everything.
	var src []float32
	for h := 0; h < 1<<16; h += 3 {
		bits := math.Float32bits(fromFloat16(uint16(h)))
		for _, d := range []uint32{0, 1, 0xfff, 0x1000, 0x1001, 0x1fff} {
			src = append(src, math.Float32frombits(bits+d))
		}
	}
	for i := uint64(0); i < 1<<32; i += 400009 {
		src = append(src, math.Float32frombits(uint32(i)))
	}
	src = append(src, specials...)
	var results [][]uint16
	bothWays(func(mode string) {
		dst := make([]uint16, len(src))
		Float32ToFloat16(dst, src)
		results = append(results, dst)
		for i, x := range src {
			if x != x {
				if back := fromFloat16(dst[i]); back == back {
					t.Fatalf("%s: NaN became %g", mode, back)
				}
				continue
			}
			got := float64(fromFloat16(dst[i]))
			// Nearest: no other half is closer; ties to the even one.
			if math.Abs(float64(x)) >= 65520 {
				if !math.IsInf(got, 0) {
					t.Fatalf("%s: %g became %g, want an infinity", mode, x, got)
				}
				continue
			}
			d := math.Abs(float64(x) - got)
			for _, other := range []uint16{dst[i] - 1, dst[i] + 1} {
				o := float64(fromFloat16(other))
				if e := math.Abs(float64(x) - o); e < d && (o < 0) == (x < 0) || e == d && d > 0 && dst[i]&1 == 1 {
					t.Fatalf("%s: %g became %g, %g is nearer or even", mode, x, got, o)
				}
			}
		}
	})
	for i := range src {
		if results[0][i] != results[1][i] {
			t.Fatalf("%g (%#x): assembly %#04x, pure Go %#04x", src[i], math.Float32bits(src[i]), results[0][i], results[1][i])
		}
	}
}

func TestFloat16Lengths(t *testing.T) {
	for _, n := range lengths() {
		bothWays(func(mode string) {
			src := make([]uint16, n)
			for i := range src {
				src[i] = uint16(i)
			}
			mid, check := guarded(n)
			Float16ToFloat32(mid, src)
			check(t)
			back := make([]uint16, n+9)
			Float32ToFloat16(back[:n], mid)
			for i, h := range back {
				if i < n && h != src[i] && mid[i] == mid[i] || i >= n && h != 0 {
					t.Fatalf("%s length %d: element %d came back as %#x", mode, n, i, h)
				}
			}
		})
	}
}
