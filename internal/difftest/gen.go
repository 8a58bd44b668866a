package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Generator makes calls of one operator.
type Generator struct {
	Domain string // "" is ai.onnx
	Op     string
	// Make fills in one call of the definition g.Def. Calling g.Skip gives a call
	// up; it is for versions and types that the generator can not serve.
	Make func(g *G)
	// RTol and ATol replace the tolerances of tolerance.go for floating-point
	// outputs; a comment beside them says why the operator needs that.
	RTol, ATol float64
	// Wide gives element types that stand for those which ONNX Runtime lacks: a call
	// that it refuses is asked again with operands converted, and the answer is
	// rounded to the types of the call.
	Wide map[tensor.DType]tensor.DType
}

// G is one call in the making, and the source of its choices.
type G struct {
	*rand.Rand
	Def    *op.Def
	c      *Case
	forced map[string]tensor.Type
	names  int // how many values of subgraphs are named
}

// Types fixes the element types of some of a definition's type variables.
type Types map[string]tensor.DType

type skipped struct{}

// Skip gives this call up.
func (g *G) Skip() { panic(skipped{}) }

// New makes a call of the definition by the numbers that follow from seed, with
// these element types. It returns nil when the generator gave it up.
func (gen *Generator) New(d *op.Def, seed uint64, types Types) *Case {
	whole := map[string]tensor.Type{}
	for variable, dtype := range types {
		whole[variable] = tensor.TensorOf(dtype)
	}
	return gen.newOf(d, seed, whole)
}

// newOf is New with types that need not be tensors.
func (gen *Generator) newOf(d *op.Def, seed uint64, types map[string]tensor.Type) (c *Case) {
	g := &G{Rand: rand.New(rand.NewPCG(seed, 0x676f7274)), Def: d, c: &Case{Domain: gen.Domain, Op: gen.Op, Version: d.Since}, forced: types}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(skipped); !ok {
				panic(r)
			}
			c = nil
		}
	}()
	gen.Make(g)
	g.c.Name = fmt.Sprintf("%s/%03d", ID(d), seed)
	for _, c := range []*Case{g.c, g.c.Twin} {
		if c != nil && c.Outputs == nil {
			for range d.Signature().MinOutputs {
				c.Outputs = append(c.Outputs, true)
			}
		}
	}
	return g.c
}

// ID names a definition: the domain unless it is ai.onnx, the operator and the version.
func ID(d *op.Def) string {
	if domain := graph.NormalDomain(d.Domain); domain != "" {
		return fmt.Sprintf("%s.%s-%d", domain, d.Name, d.Since)
	}
	return fmt.Sprintf("%s-%d", d.Name, d.Since)
}

// Since is the version of the definition that is called.
func (g *G) Since() int { return g.Def.Since }

// In adds an input that is fed.
func (g *G) In(v tensor.Value) { g.c.Inputs = append(g.c.Inputs, Input{Value: v}) }

// Const adds an input that is a constant of the model.
func (g *G) Const(v *tensor.Tensor) { g.c.Inputs = append(g.c.Inputs, Input{v, true}) }

// Data adds an input that is fed, or a constant where its elements are narrower than
// a byte: the program that runs ONNX Runtime feeds no such type.
func (g *G) Data(v *tensor.Tensor) {
	g.c.Inputs = append(g.c.Inputs, Input{v, v.DType().Bits() < 8})
}

// Either adds an input that is fed or, as often, a constant. Kernels prepare
// constants when the model is built, so both ways want a test.
func (g *G) Either(v *tensor.Tensor) {
	g.c.Inputs = append(g.c.Inputs, Input{v, g.Maybe() && v.DType() != tensor.String})
}

// Omit adds an omitted optional input.
func (g *G) Omit() { g.c.Inputs = append(g.c.Inputs, Input{}) }

// Attr sets an attribute: an int, int64, float32, string, *tensor.Tensor,
// *graph.Graph or a slice of such (ints as []int or []int64).
func (g *G) Attr(name string, value any) {
	switch v := value.(type) {
	case int:
		value = int64(v)
	case bool:
		value = int64(0)
		if v {
			value = int64(1)
		}
	case []int:
		list := make([]int64, len(v))
		for i, n := range v {
			list[i] = int64(n)
		}
		value = list
	}
	g.c.Attrs = append(g.c.Attrs, graph.NewAttr(name, value))
}

// MaybeAttr sets an attribute in two of three calls, so that its default is tried too.
func (g *G) MaybeAttr(name string, value any) {
	if g.IntN(3) > 0 {
		g.Attr(name, value)
	}
}

// Opset has the model import this version rather than the one in which the
// definition came. It comes before subgraphs are begun.
func (g *G) Opset(version int) { g.c.Version = version }

// Outputs says which outputs are asked for; without it the required ones are.
func (g *G) Outputs(ask ...bool) { g.c.Outputs = ask }

// Twin starts the call that ONNX Runtime is asked instead, for a version that it
// lacks: version of the same operator, or of another one. The twin begins empty and
// is filled in like the call itself; it draws from the same numbers.
func (g *G) Twin(name string, version int) *G {
	t := &G{Rand: g.Rand, Def: g.Def, forced: g.forced, c: &Case{Domain: g.c.Domain, Op: name, Version: version}}
	g.c.Twin = t.c
	return t
}

// AskVersion has ONNX Runtime asked the same call at another version of the operator,
// which means the same there. It comes after what both have in common: what follows
// is added to this call alone, and through the returned G to the other.
func (g *G) AskVersion(version int) *G {
	c := *g.c
	c.Version = version
	c.Attrs, c.Inputs = slices.Clip(c.Attrs), slices.Clip(c.Inputs)
	g.c.Twin = &c
	return &G{Rand: g.Rand, Def: g.Def, forced: g.forced, c: &c}
}

// OutputCount asks for the first n outputs.
func (g *G) OutputCount(n int) {
	g.c.Outputs = make([]bool, n)
	for i := range n {
		g.c.Outputs[i] = true
	}
}

// Maybe is true in half of the calls.
func (g *G) Maybe() bool { return g.IntN(2) == 0 }

// OneIn is true in one of n calls.
func (g *G) OneIn(n int) bool { return g.IntN(n) == 0 }

// Between returns an integer from lo to hi, both included.
func (g *G) Between(lo, hi int) int { return lo + g.IntN(hi-lo+1) }

// Pick returns one of the items.
func Pick[T any](g *G, items ...T) T { return items[g.IntN(len(items))] }

// DType returns one of the element types that the definition allows for a type
// variable. A generator asks at most once for a variable, and for each it uses.
func (g *G) DType(variable string) tensor.DType {
	if t, ok := g.forced[variable]; ok {
		return innermost(t)
	}
	return Pick(g, g.Def.Signature().Types[variable].Tensor.List()...)
}

// Type returns one of the types that the definition allows for a type variable:
// first a kind, then an element type, so that sequences and optionals are not rare.
func (g *G) Type(variable string) tensor.Type {
	if t, ok := g.forced[variable]; ok {
		return t
	}
	list := g.Def.Signature().Types[variable].List()
	kind := Pick(g, list...).Kind
	if g.Maybe() {
		kind = tensor.KindTensor
	}
	var some, common []tensor.Type
	for _, t := range list {
		if t.Kind == kind {
			some = append(some, t)
			if commonTypes.Has(innermost(t)) {
				common = append(common, t)
			}
		}
	}
	switch {
	case len(some) == 0:
		return Pick(g, list...)
	case len(common) > 0 && !g.OneIn(4):
		return Pick(g, common...)
	}
	return Pick(g, some...)
}

// commonTypes are the element types of most models; calls with rarer ones are
// often refused by ONNX Runtime.
var commonTypes = op.SetOf(tensor.Float32, tensor.Int64, tensor.Bool, tensor.String, tensor.Int32, tensor.Float64, tensor.Float16, tensor.Uint8)

// innermost is the element type of a tensor type, or of the tensors inside a type.
func innermost(t tensor.Type) tensor.DType {
	for t.Elem != nil {
		t = *t.Elem
	}
	return t.DType
}

// Forces reports whether the call is to show an element type of that variable, so
// that an operand has to be there which other calls leave out.
func (g *G) Forces(variable string) bool {
	_, ok := g.forced[variable]
	return ok
}

// Dim returns a size: mostly 1 to 6, now and then more, seldom 0.
func (g *G) Dim() int {
	switch g.IntN(24) {
	case 0:
		return 0
	case 1, 2:
		return g.Between(7, 19)
	}
	return g.Between(1, 6)
}

// Size is a Dim that is not 0.
func (g *G) Size() int { return max(g.Dim(), 1) }

// maxElements bounds the tensors of a call, so that stored cases stay small.
const maxElements = 400

// Shape returns a shape of lo to hi dimensions and at most maxElements elements.
func (g *G) Shape(lo, hi int) []int { return g.shape(lo, hi, g.Dim) }

// Sizes is a Shape without zeros.
func (g *G) Sizes(lo, hi int) []int { return g.shape(lo, hi, g.Size) }

func (g *G) shape(lo, hi int, dim func() int) []int {
	s := make([]int, g.Between(lo, hi))
	n := 1
	for i := range s {
		s[i] = dim()
		if n*max(s[i], 1) > maxElements {
			s[i] = 1
		}
		n *= max(s[i], 1)
	}
	return s
}

// Broadcastable returns a shape that broadcasts to s: leading dimensions may be
// missing, and others may be 1.
func (g *G) Broadcastable(s []int) []int {
	out := append([]int(nil), s[g.IntN(len(s)+1)*g.IntN(2):]...)
	for i := range out {
		if g.OneIn(3) {
			out[i] = 1
		}
	}
	return out
}

// Axis returns an axis of a rank counted from the front or, as often, from the back.
func (g *G) Axis(rank int) int { return g.Between(-rank, rank-1) }

// Axes returns n different axes of a rank, in any order, from either end.
func (g *G) Axes(rank, n int) []int {
	axes := g.Perm(rank)[:n]
	for i := range axes {
		if g.Maybe() {
			axes[i] -= rank
		}
	}
	return axes
}
