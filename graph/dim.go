package graph

import (
	"math"
	"strconv"
	"strings"

	"gort/tensor"
)

// Dim is one dimension: a known size, a symbol shared by name, or unknown. The
// zero value is unknown. Dims are comparable; two unknown dims compare equal
// though nothing is known about their sizes, so use Same to reason about sizes.
type Dim struct {
	size   int // size+1 when known, else 0
	symbol string
}

// Known is a dimension of n elements. A negative n gives an unknown dimension,
// and so does the largest int, which no tensor can have.
func Known(n int) Dim {
	if n < 0 || n == math.MaxInt {
		return Dim{}
	}
	return Dim{size: n + 1}
}

// Symbol is a dimension that has the same size wherever the name occurs in one
// model. An empty name gives an unknown dimension.
func Symbol(name string) Dim { return Dim{symbol: name} }

// Size returns the size and whether it is known.
func (d Dim) Size() (int, bool) { return d.size - 1, d.size > 0 }

// IsKnown reports whether the size is known.
func (d Dim) IsKnown() bool { return d.size > 0 }

// Is reports whether the size is known to be n.
func (d Dim) Is(n int) bool { return d.size == n+1 && n >= 0 }

// Name is the symbol, or "" for known and unknown dimensions.
func (d Dim) Name() string { return d.symbol }

// Same reports whether both dimensions certainly have one size.
func (d Dim) Same(o Dim) bool { return d == o && d != Dim{} }

// String prints the size, the symbol, or "?".
func (d Dim) String() string {
	switch {
	case d.size > 0:
		return strconv.Itoa(d.size - 1)
	case d.symbol != "":
		return d.symbol
	}
	return "?"
}

// Shape is a list of dimensions, or unknown altogether. The zero value is the
// shape of unknown rank, which is not the shape of a scalar: that is ShapeOf().
type Shape struct {
	dims   []Dim
	ranked bool
}

// ShapeOf returns the ranked shape with these dimensions; none make a scalar.
func ShapeOf(dims ...Dim) Shape { return Shape{dims: append([]Dim{}, dims...), ranked: true} }

// Fixed returns the shape with these known sizes.
func Fixed(sizes ...int) Shape {
	dims := make([]Dim, len(sizes))
	for i, n := range sizes {
		dims[i] = Known(n)
	}
	return Shape{dims: dims, ranked: true}
}

// OfRank returns a shape of rank unknown dimensions.
func OfRank(rank int) Shape { return Shape{dims: make([]Dim, rank), ranked: true} }

// Rank returns the number of dimensions and whether it is known.
func (s Shape) Rank() (int, bool) { return len(s.dims), s.ranked }

// HasRank reports whether the rank is known to be r.
func (s Shape) HasRank(r int) bool { return s.ranked && len(s.dims) == r }

// IsRanked reports whether the rank is known.
func (s Shape) IsRanked() bool { return s.ranked }

// Dim returns dimension i, which may be negative to count from the end; it is
// unknown when the rank is unknown or i is out of range.
func (s Shape) Dim(i int) Dim {
	if i < 0 {
		i += len(s.dims)
	}
	if i < 0 || i >= len(s.dims) {
		return Dim{}
	}
	return s.dims[i]
}

// Dims returns the dimensions. The caller must not change them.
func (s Shape) Dims() []Dim { return s.dims }

// Concrete returns the sizes when all of them are known.
func (s Shape) Concrete() (tensor.Shape, bool) {
	if !s.ranked {
		return nil, false
	}
	out := make(tensor.Shape, len(s.dims))
	for i, d := range s.dims {
		n, ok := d.Size()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// Equal reports whether both shapes print the same.
func (s Shape) Equal(o Shape) bool {
	if s.ranked != o.ranked || len(s.dims) != len(o.dims) {
		return false
	}
	for i := range s.dims {
		if s.dims[i] != o.dims[i] {
			return false
		}
	}
	return true
}

// String prints the shape as [N,3,?,224], "[]" for a scalar and "?" for unknown rank.
func (s Shape) String() string {
	if !s.ranked {
		return "?"
	}
	parts := make([]string, len(s.dims))
	for i, d := range s.dims {
		parts[i] = d.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// MergeDim returns the more precise of two descriptions of one dimension, and
// false when they contradict each other. A known size wins over a symbol, a
// symbol over nothing; of two symbols the first stays.
func MergeDim(a, b Dim) (Dim, bool) {
	switch {
	case a.IsKnown() && b.IsKnown():
		return a, a == b
	case a.IsKnown():
		return a, true
	case b.IsKnown():
		return b, true
	case a.symbol != "":
		return a, true
	}
	return b, true
}

// Merge returns the more precise of two descriptions of one shape, and false
// when ranks or known sizes contradict each other.
func Merge(a, b Shape) (Shape, bool) {
	if !a.ranked {
		return b, true
	}
	if !b.ranked {
		return a, true
	}
	if len(a.dims) != len(b.dims) {
		return a, false
	}
	out := Shape{dims: make([]Dim, len(a.dims)), ranked: true}
	for i := range a.dims {
		d, ok := MergeDim(a.dims[i], b.dims[i])
		if !ok {
			return a, false
		}
		out.dims[i] = d
	}
	return out, true
}

// Union returns the most precise shape that describes both a and b, as for the
// two branches of an If: differing dimensions become unknown.
func Union(a, b Shape) Shape {
	if !a.ranked || !b.ranked || len(a.dims) != len(b.dims) {
		return Shape{}
	}
	out := Shape{dims: make([]Dim, len(a.dims)), ranked: true}
	for i := range a.dims {
		if a.dims[i] == b.dims[i] {
			out.dims[i] = a.dims[i]
		}
	}
	return out
}
