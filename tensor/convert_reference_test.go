package tensor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
)

// exact is a number without rounding: NaN, ±Inf or a rational.
type exact struct {
	special float64 // NaN or ±Inf when rat is nil
	neg     bool    // sign, also of zero
	rat     *big.Rat
}

func exactFloat(v float64) exact {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return exact{special: v, neg: math.Signbit(v)}
	}
	return exact{rat: new(big.Rat).SetFloat64(v), neg: math.Signbit(v)}
}

func exactInt(v *big.Int) exact {
	return exact{rat: new(big.Rat).SetInt(v), neg: v.Sign() < 0}
}

// elementAt reads element i of a contiguous tensor of numbers without using the
// package's conversions of whole tensors.
func elementAt(t *Tensor, i int) exact {
	i64 := func(v int64) exact { return exactInt(big.NewInt(v)) }
	switch t.DType() {
	case Float32:
		return exactFloat(float64(Elements[float32](t)[i]))
	case Float64:
		return exactFloat(Elements[float64](t)[i])
	case Int8:
		return i64(int64(Elements[int8](t)[i]))
	case Int16:
		return i64(int64(Elements[int16](t)[i]))
	case Int32:
		return i64(int64(Elements[int32](t)[i]))
	case Int64:
		return i64(Elements[int64](t)[i])
	case Uint8:
		return i64(int64(Elements[uint8](t)[i]))
	case Uint16:
		return i64(int64(Elements[uint16](t)[i]))
	case Uint32:
		return i64(int64(Elements[uint32](t)[i]))
	case Uint64:
		return exactInt(new(big.Int).SetUint64(Elements[uint64](t)[i]))
	case Bool:
		if Elements[bool](t)[i] {
			return i64(1)
		}
		return i64(0)
	case Float16:
		return exactFloat(ieee(uint64(Elements[F16](t)[i]), 5, 10))
	case BFloat16:
		return exactFloat(ieee(uint64(Elements[BF16](t)[i]), 8, 7))
	case Float8E4M3FN:
		return exactFloat(float64(Elements[F8E4M3FN](t)[i].Float32()))
	case Float8E4M3FNUZ:
		return exactFloat(float64(Elements[F8E4M3FNUZ](t)[i].Float32()))
	case Float8E5M2:
		return exactFloat(float64(Elements[F8E5M2](t)[i].Float32()))
	case Float8E5M2FNUZ:
		return exactFloat(float64(Elements[F8E5M2FNUZ](t)[i].Float32()))
	case Float8E8M0:
		return exactFloat(float64(Elements[F8E8M0](t)[i].Float32()))
	}
	v := must(Unpack(t))[i]
	if t.DType() == Float4E2M1 {
		return exactFloat(float64(F4E2M1ToFloat32(uint8(v))))
	}
	return i64(int64(v))
}

// numberLine lists the finite non-negative numbers of a narrow float type in
// order of their codes, which is their own order.
func numberLine(d DType) []*big.Rat {
	var line []*big.Rat
	add := func(v float64) { line = append(line, new(big.Rat).SetFloat64(v)) }
	switch d {
	case Float16:
		for c := range 0x7c00 {
			add(ieee(uint64(c), 5, 10))
		}
	case BFloat16:
		for c := range 0x7f80 {
			add(ieee(uint64(c), 8, 7))
		}
	case Float4E2M1:
		for c := range uint8(8) {
			add(float64(F4E2M1ToFloat32(c)))
		}
	default:
		f := f8Specs[d-Float8E4M3FN]
		for c := range f.maxCode + 1 {
			add(f.value(c))
		}
	}
	return line
}

// nearest is the index on the line of the number nearest to v >= 0, of two the
// even one; len(line) when v is nearer to what would follow the line.
func nearest(line []*big.Rat, v *big.Rat) int {
	i := sort.Search(len(line), func(i int) bool { return line[i].Cmp(v) >= 0 })
	if i < len(line) && line[i].Cmp(v) == 0 {
		return i
	}
	lo := line[i-1]
	var hi *big.Rat
	if i < len(line) {
		hi = line[i]
	} else { // one more step of the last size
		hi = new(big.Rat).Add(lo, new(big.Rat).Sub(lo, line[i-2]))
	}
	mid := new(big.Rat).Add(lo, hi)
	mid.Quo(mid, big.NewRat(2, 1))
	switch c := v.Cmp(mid); {
	case c < 0:
		return i - 1
	case c > 0:
		return i
	}
	return i - 1 + (i-1)&1
}

// wantFloat rounds an exact number to a float type by the Cast operator's rules
// with its default options.
func wantFloat(d DType, x exact, line []*big.Rat) float64 {
	sign := func(v float64) float64 {
		if x.neg {
			return -v
		}
		return v
	}
	uz := d == Float8E4M3FNUZ || d == Float8E5M2FNUZ
	saturates := d.Bits() == 8 || d == Float4E2M1
	if x.rat == nil && x.special != x.special {
		if d == Float4E2M1 {
			return math.Copysign(0, -1)
		}
		return x.special
	}
	switch d {
	case Float32:
		if x.rat == nil {
			return x.special
		}
		f, _ := x.rat.Float32()
		return math.Copysign(float64(f), sign(1))
	case Float64:
		if x.rat == nil {
			return x.special
		}
		f, _ := x.rat.Float64()
		return math.Copysign(f, sign(1))
	case Float8E8M0:
		if x.rat == nil && !x.neg {
			return 0x1p127
		}
		if x.rat == nil || x.rat.Sign() <= 0 {
			return 0x1p-127
		}
		for e := -127; e < 127; e++ { // up: the least power of two not below x
			if p := new(big.Rat).SetFloat64(math.Ldexp(1, e)); x.rat.Cmp(p) <= 0 {
				return math.Ldexp(1, e)
			}
		}
		return 0x1p127
	}
	i := len(line)
	if x.rat != nil {
		i = nearest(line, new(big.Rat).Abs(x.rat))
	}
	if i == len(line) {
		if !saturates {
			return sign(math.Inf(1))
		}
		i--
	}
	v, _ := line[i].Float64()
	if uz && v == 0 {
		return 0
	}
	return math.Copysign(v, sign(1))
}

// wantInt is what the documentation of Convert says of integers.
func wantInt(d DType, x exact, fromFloat bool) *big.Int {
	wrap := func(v *big.Int) *big.Int {
		m := new(big.Int).Lsh(big.NewInt(1), uint(d.Bits()))
		v = new(big.Int).Mod(v, m)
		if d.Class() == ClassInt && v.Bit(d.Bits()-1) == 1 {
			v.Sub(v, m)
		}
		return v
	}
	if !fromFloat {
		return wrap(new(big.Int).Quo(x.rat.Num(), x.rat.Denom()))
	}
	pow := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	least := func(n uint) *big.Int { return new(big.Int).Neg(pow(n - 1)) }
	fits := func(v *big.Int, n uint) bool { return v.Cmp(least(n)) >= 0 && v.Cmp(pow(n-1)) < 0 }
	var v *big.Int // nil for NaN and infinities
	if x.rat != nil {
		v = new(big.Int).Quo(x.rat.Num(), x.rat.Denom())
		if d.Packed() { // half to even, of the magnitude
			n := new(big.Rat).Abs(x.rat)
			v = new(big.Int).Quo(n.Num(), n.Denom())
			rest := n.Sub(n, new(big.Rat).SetInt(v))
			if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && v.Bit(0) == 1 {
				v.Add(v, big.NewInt(1))
			}
			if x.neg {
				v.Neg(v)
			}
		}
	}
	switch {
	case d == Uint64 && v == nil && x.special > 0:
		return new(big.Int)
	case d == Uint64 && v != nil && v.Sign() > 0:
		if v.Cmp(pow(64)) >= 0 {
			return new(big.Int)
		}
		return v
	case d == Int64 || d == Uint64 || d == Uint32 || d.Packed():
		if v == nil || !fits(v, 64) {
			v = least(64)
		}
	case v == nil || !fits(v, 32):
		v = least(32)
	}
	return wrap(v)
}

// samples returns a tensor with instructive numbers of a type: all codes of the
// narrow ones, and for the others edges, powers of two and their neighbours, and
// random bits.
func samples(d DType) *Tensor {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	if d.Packed() {
		n := 1<<d.Bits() + 3 // an odd count, so that the last byte is not full
		codes := make([]int8, n)
		for i := range codes {
			codes[i] = int8(i)
		}
		return Must(Pack(d, codes, n))
	}
	if d.Bits() == 8 {
		n := 256
		if d == Bool {
			n = 2
		}
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i)
		}
		return Must(FromBytes(d, b, n))
	}
	if d.Bits() == 16 {
		b := make([]uint16, 1<<16)
		for i := range b {
			b[i] = uint16(i)
		}
		return Must(FromBytes(d, bytesOf(b), len(b)))
	}
	var floats []float64
	var ints []uint64
	for e := range 64 {
		for k := range int64(5) {
			ints = append(ints, 1<<e+uint64(k-2), -(1<<e + uint64(k-2)))
		}
		// Halfway between bfloat16, half and float32 neighbours, and a little off.
		for _, m := range []int{2, 3, 7, 10, 23} {
			if e > m+1 {
				v := uint64(1)<<e + 1<<(e-m-1)
				ints = append(ints, v, v+1, v-1, v+1<<(e-m))
			}
		}
	}
	for e := -160; e <= 140; e++ {
		p := math.Ldexp(1, e)
		for _, f := range []float64{1, 1.25, 1.5, 1 + 0x1p-8, 1 + 0x1p-11, 1 + 0x1p-24, 1 + 0x1p-11 + 0x1p-40, 2 - 0x1p-12, 2 - 0x1p-30} {
			floats = append(floats, p*f, -p*f)
		}
	}
	for i := range 80 {
		floats = append(floats, float64(i-40)/4)
	}
	floats = append(floats, math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 448, 464, 465, 57344, 61440, 65519.99, 65520,
		math.MaxFloat64, -math.MaxFloat64, 5e-324, 2147483647.5, -2147483648.5, -2147483649, 4294967295.5, 1<<63-1024, 1<<64-2048)
	for range 500 {
		ints = append(ints, rng.Uint64()>>(rng.Uint32()%64))
		floats = append(floats, math.Float64frombits(rng.Uint64()), rng.NormFloat64()*1000)
	}
	if d == Float64 {
		return Must(FromSlice(floats))
	}
	if d == Float32 {
		out := make([]float32, len(floats))
		for i, v := range floats {
			out[i] = float32(v)
		}
		return Must(FromSlice(out))
	}
	if d.Bits() == 64 {
		return Must(FromBytes(d, bytesOf(ints), len(ints)))
	}
	out := make([]uint32, len(ints))
	for i, v := range ints {
		out[i] = uint32(v)
	}
	return Must(FromBytes(d, bytesOf(out), len(out)))
}
