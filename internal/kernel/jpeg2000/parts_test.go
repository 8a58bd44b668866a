package jpeg2000

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// The test sequence of ITU-T T.88 annex H.2, whose arithmetic coder is this one.
func TestDecisions(t *testing.T) {
	code := []byte{
		0x84, 0xC7, 0x3B, 0xFC, 0xE1, 0xA1, 0x43, 0x04, 0x02, 0x20, 0x00, 0x00, 0x41, 0x0D, 0xBB, 0x86,
		0xF4, 0x31, 0x7F, 0xFF, 0x88, 0xFF, 0x37, 0x47, 0x1A, 0xDB, 0x6A, 0xDF, 0xFF, 0xAC,
	}
	want := []byte{
		0x00, 0x02, 0x00, 0x51, 0x00, 0x00, 0x00, 0xC0, 0x03, 0x52, 0x87, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA,
		0x82, 0xC0, 0x20, 0x00, 0xFC, 0xD7, 0x9E, 0xF6, 0xBF, 0x7F, 0xED, 0x90, 0x4F, 0x46, 0xA3, 0xBF,
	}
	var d decisions
	d.begin(code, false)
	got := make([]byte, len(want))
	for i := range 8 * len(want) {
		got[i/8] |= d.decide(0) << (7 - i%8)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}

// Plain bits: a byte after 0xFF has 7 of them, beyond the end come 1s.
func TestPlainBits(t *testing.T) {
	var d decisions
	d.begin([]byte{0xFF, 0x55, 0x80}, true)
	got := uint64(0)
	for range 25 {
		got = got<<1 | uint64(d.decide(0))
	}
	if want := uint64(0xFF<<17 | 0x55<<10 | 0x80<<2 | 3); got != want {
		t.Errorf("got %b, want %b", got, want)
	}
}

// The example of annex B.10.2, figure B.13: the first three of the numbers of a grid
// of 6 x 3 are 1, 3 and 2.
func TestTagTree(t *testing.T) {
	tree := newTagTree(6, 3)
	r := &headerBits{data: []byte{0b01111_001, 0b101_00000}}
	for leaf, want := range []int{1, 3, 2} {
		n := 0
		for !tree.less(r, leaf, n+1) {
			n++
		}
		if n != want {
			t.Errorf("number %d is %d, want %d", leaf, n, want)
		}
	}
	if r.at != 2 || r.count != 5 {
		t.Errorf("%d bytes are read and %d bits are left, want 2 and 5", r.at, r.count)
	}
}

// Table B.4. A bit is stuffed behind a byte of 0xFF.
func TestPasses(t *testing.T) {
	for _, c := range []struct {
		header []byte
		want   int
	}{
		{[]byte{0b0_0000000, 0}, 1},
		{[]byte{0b10_000000, 0}, 2},
		{[]byte{0b1100_0000, 0}, 3},
		{[]byte{0b1110_0000, 0}, 5},
		{[]byte{0b1111_0000, 0b0_0000000}, 6},
		{[]byte{0b1111_1111, 0b0_0_000000}, 36},
		{[]byte{0b1111_1111, 0b0_1_000000, 0b0_0000000}, 37},
		{[]byte{0b1111_1111, 0b0_1_111111, 0b1_0000000}, 164},
	} {
		if got := (&headerBits{data: c.header}).passes(); got != c.want {
			t.Errorf("%08b: %d passes, want %d", c.header, got, c.want)
		}
	}
}

// forward undoes the lifting steps of a signal, first samples low-pass or not.
func forward(x []float64, odd int, weights []float64, step func(sum, weight float64) float64) {
	for i, w := range weights {
		for k := (odd + i + 1) % 2; k < len(x); k += 2 {
			a, b := k-1, k+1
			if a < 0 {
				a = 1
			}
			if b == len(x) {
				b = k - 1
			}
			x[k] += step(x[a]+x[b], w)
		}
	}
}

// Both transforms undo the forward ones of annex F.4.8.
func TestLift(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 40; n++ {
		for odd := range 2 {
			whole, real := make([]line[int32], n), make([]line[float32], n)
			want := make([][lanes]float64, n)
			for k := range lanes {
				x, y := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = float64(rng.IntN(512) - 256)
					want[i][k] = x[i]
				}
				copy(y, x)
				if n == 1 {
					// A sample at an odd place is doubled; lift97 leaves that to the
					// quantization.
					x[0] *= float64(1 + odd)
				} else {
					forward(x, odd, []float64{-0.5, 0.25}, func(sum, w float64) float64 {
						if w < 0 {
							return -math.Floor(sum / 2)
						}
						return math.Floor((sum + 2) / 4)
					})
					forward(y, odd, []float64{-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971}, func(sum, w float64) float64 {
						return sum * w
					})
					for i := range y {
						if i%2 == odd {
							y[i] /= 1.230174104914001
						} else {
							y[i] *= 1.230174104914001 / 2
						}
					}
				}
				for i := range x {
					whole[i][k], real[i][k] = int32(x[i]), float32(y[i])
				}
			}
			lift53(whole, odd)
			lift97(real, odd)
			for i := range want {
				for k, w := range want[i] {
					if float64(whole[i][k]) != w {
						t.Fatalf("5/3 of %d samples, odd %d: sample %d is %d, want %g", n, odd, i, whole[i][k], w)
					}
					// OpenJPEG's high-pass scale is off by 3e-5.
					if d := math.Abs(float64(real[i][k]) - w); d > 0.05 {
						t.Fatalf("9/7 of %d samples, odd %d: sample %d is %g, want %g", n, odd, i, real[i][k], w)
					}
				}
			}
		}
	}
}

// Values of a region of interest come down, others stay.
func TestLower(t *testing.T) {
	v := []int32{0, 5, -31, 32, -32, 16 * 33}
	lower(v, 4) // with the fractional bit, the others are below 32
	for i, want := range []int32{0, 5, -31, 2, -2, 33} {
		if v[i] != want {
			t.Errorf("value %d is %d, want %d", i, v[i], want)
		}
	}
}

// repack moves the packet headers of an image of one tile-part into the header of
// that, or into the main header.
func repack(t *testing.T, data []byte, main bool) []byte {
	t.Helper()
	c := &codestream{data: data, at: 2, image: new(Image)}
	if err := c.readSize(testPixels); err != nil {
		t.Fatal(err)
	}
	if err := c.readTileParts(); err != nil {
		t.Fatal(err)
	}
	d := c.tiles[0]
	tile, err := c.newTile(0, d.parameters)
	if err != nil {
		t.Fatal(err)
	}
	tile.addPrecincts()
	var headers, body []byte
	r := &packetReader{tileData: d, body: d.body}
	order := progressionChange{order: d.order, toRes: 33, toComp: 3, layers: d.layers}
	for _, s := range tile.stations(order) {
		for layer := range d.layers {
			k := &tile.components[s.comp]
			res := &k.resolutions[s.res]
			r.header, r.pending = headerBits{data: r.body}, nil
			if err := r.readHeader(k, res, &res.precincts[s.number], layer); err != nil {
				t.Fatal(err)
			}
			r.header.end()
			headers = append(headers, r.body[:r.header.at]...)
			r.body = r.body[r.header.at:]
			before := r.body
			if err := r.readData(); err != nil {
				t.Fatal(err)
			}
			body = append(body, before[:len(before)-len(r.body)]...)
		}
	}
	part := bytes.Index(data, []byte{0xFF, 0x90})
	segment := func(marker uint16, b []byte) []byte {
		s := binary.BigEndian.AppendUint16(nil, marker)
		return append(binary.BigEndian.AppendUint16(s, uint16(len(b)+2)), b...)
	}
	out := bytes.Clone(data[:part])
	var ppt []byte
	if main {
		all := append(binary.BigEndian.AppendUint32(nil, uint32(len(headers))), headers...)
		// Two segments, cut anywhere.
		out = append(out, segment(markerPPM, append([]byte{0}, all[:9]...))...)
		out = append(out, segment(markerPPM, append([]byte{1}, all[9:]...))...)
	} else {
		ppt = segment(markerPPT, append([]byte{0}, headers...))
	}
	sot := bytes.Clone(data[part : part+12])
	binary.BigEndian.PutUint32(sot[6:], uint32(len(sot)+len(ppt)+2+len(body)))
	out = append(append(out, sot...), ppt...)
	out = append(append(out, 0xFF, 0x93), body...)
	return append(out, 0xFF, 0xD9)
}

// A component's own parameters go before those of all, a tile's before the main
// header's.
func TestPrecedence(t *testing.T) {
	file := read(t, "bgr.jp2") // whose components are not transformed
	data := file[bytes.Index(file, []byte(SignatureCodestream)):]
	want, err := decodeFlat(data)
	if err != nil {
		t.Fatal(err)
	}
	cut := func(marker string) []byte {
		at := bytes.Index(data, []byte(marker))
		return data[at : at+2+uint16At(data, at+2)]
	}
	segment := func(marker uint16, body ...[]byte) []byte {
		b := bytes.Join(body, nil)
		s := binary.BigEndian.AppendUint16(nil, marker)
		return append(binary.BigEndian.AppendUint16(s, uint16(len(b)+2)), b...)
	}
	siz, cod, qcd := cut("\xff\x51"), cut("\xff\x52"), cut("\xff\x5c")
	part := bytes.Index(data, []byte{0xFF, 0x90})
	// Parameters that give other pixels: one transform less, one guard bit less.
	otherCOD, otherQCD := bytes.Clone(cod), bytes.Clone(qcd)
	otherCOD[9]--
	otherQCD[4] -= 1 << 5
	var own, otherOwn []byte
	for i := range byte(3) {
		own = append(own, segment(markerCOC, []byte{i, 0}, cod[9:])...)
		own = append(own, segment(markerQCC, []byte{i}, qcd[4:])...)
		otherOwn = append(otherOwn, segment(markerCOC, []byte{i, 0}, otherCOD[9:])...)
		otherOwn = append(otherOwn, segment(markerQCC, []byte{i}, otherQCD[4:])...)
	}
	for _, c := range []struct {
		name       string
		main, tile [][]byte
		same       bool
	}{
		{"as it is", [][]byte{cod, qcd}, nil, true},
		{"others", [][]byte{otherCOD, otherQCD}, nil, false},
		{"a component's before all's", [][]byte{own, otherCOD, otherQCD}, nil, true},
		{"a component's after all's", [][]byte{otherCOD, otherQCD, own}, nil, true},
		{"a tile's", [][]byte{otherCOD, otherQCD, otherOwn}, [][]byte{cod, qcd}, true},
		{"a tile's component's", [][]byte{cod, qcd, otherOwn}, [][]byte{own, otherCOD, otherQCD}, true},
		{"a tile's others", [][]byte{cod, qcd, own}, [][]byte{otherCOD, otherQCD}, false},
	} {
		tile := bytes.Join(c.tile, nil)
		out := append([]byte{0xFF, 0x4F}, siz...)
		out = append(out, bytes.Join(c.main, nil)...)
		sot := bytes.Clone(data[part : part+12])
		binary.BigEndian.PutUint32(sot[6:], binary.BigEndian.Uint32(sot[6:])+uint32(len(tile)))
		out = append(append(append(out, sot...), tile...), data[part+12:]...)
		got, err := decodeFlat(out)
		if same := err == nil && bytes.Equal(got, want); same != c.same {
			t.Errorf("%s: same pixels %v, want %v (%v)", c.name, same, c.same, err)
		}
	}
}

// Packet headers that stand apart give the same image.
func TestPackedHeaders(t *testing.T) {
	data := read(t, "cprl.j2k")
	want, err := decodeFlat(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, main := range []bool{false, true} {
		packed := repack(t, data, main)
		if bytes.Contains(packed, data[len(data)/2:len(data)/2+200]) {
			t.Error("the packets are as they were")
		}
		if got, err := decodeFlat(packed); err != nil || !bytes.Equal(got, want) {
			t.Errorf("packed in the main header %v: other pixels, or %v", main, err)
		}
	}
}
