package fft

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// Plan transforms vectors of one length; it is read-only.
type Plan struct {
	n       int
	twiddle []complex128 // e**(-2*pi*i*k/n) for k < n/2, when n is a power of two
	reverse []int

	// Other lengths are convolutions of a power of two (Bluestein 1970).
	inner  *Plan
	chirp  []complex128 // e**(-pi*i*k*k/n)
	filter []complex128 // the transform of the chirp's conjugate
}

// NewPlan prepares transforms of n elements; n must be positive.
func NewPlan(n int) *Plan {
	p := &Plan{n: n}
	if n&(n-1) == 0 {
		p.powerOfTwo()
	} else {
		p.bluestein()
	}
	return p
}

func (p *Plan) powerOfTwo() {
	for k := range p.n / 2 {
		s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(p.n))
		p.twiddle = append(p.twiddle, complex(c, s))
	}
	p.reverse = make([]int, p.n)
	shift := 64 - bits.Len(uint(p.n)) + 1
	for i := range p.reverse {
		if shift < 64 {
			p.reverse[i] = int(bits.Reverse64(uint64(i)) >> shift)
		}
	}
}

func (p *Plan) bluestein() {
	m := 1
	for m < 2*p.n-1 {
		m *= 2
	}
	p.inner = NewPlan(m)
	p.chirp = make([]complex128, p.n)
	p.filter = make([]complex128, m)
	for k := range p.chirp {
		// k*k modulo 2n keeps the angle exact for long vectors.
		a := math.Pi * float64(k*k%(2*p.n)) / float64(p.n)
		s, c := math.Sincos(-a)
		p.chirp[k] = complex(c, s)
		p.filter[k] = complex(c, -s)
		if k > 0 {
			p.filter[m-k] = p.filter[k]
		}
	}
	p.inner.forward(p.filter)
}

// Len is the length of the vectors.
func (p *Plan) Len() int { return p.n }

// Scratch is how many elements [Plan.Forward] and [Plan.Inverse] need besides.
func (p *Plan) Scratch() int {
	if p.inner == nil {
		return 0
	}
	return p.inner.n
}

// Forward replaces x by its transform X[k] = sum over j of x[j] * e**(-2*pi*i*j*k/n).
func (p *Plan) Forward(x, scratch []complex128) {
	if p.inner == nil {
		p.forward(x)
		return
	}
	a := scratch[:p.inner.n]
	for k, v := range x {
		a[k] = v * p.chirp[k]
	}
	clear(a[p.n:])
	p.inner.forward(a)
	for k, f := range p.filter {
		a[k] = cmplx.Conj(a[k] * f) // the inverse is the conjugate of the transform of the conjugate
	}
	p.inner.forward(a)
	scale := complex(1/float64(p.inner.n), 0)
	for k := range x {
		x[k] = cmplx.Conj(a[k]) * scale * p.chirp[k]
	}
}

// Inverse replaces x by x[j] = 1/n * sum over k of X[k] * e**(2*pi*i*j*k/n).
func (p *Plan) Inverse(x, scratch []complex128) {
	for k, v := range x {
		x[k] = cmplx.Conj(v)
	}
	p.Forward(x, scratch)
	for k, v := range x {
		x[k] = complex(real(v)/float64(p.n), -imag(v)/float64(p.n))
	}
}

// forward is the radix-2 transform in place.
func (p *Plan) forward(x []complex128) {
	for i, j := range p.reverse {
		if i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for half := 1; half < p.n; half *= 2 {
		step := p.n / (2 * half)
		for start := 0; start < p.n; start += 2 * half {
			lo, hi := x[start:start+half], x[start+half:start+2*half]
			for k := range lo {
				t := hi[k] * p.twiddle[k*step]
				lo[k], hi[k] = lo[k]+t, lo[k]-t
			}
		}
	}
}
