package op_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// FuzzInfer makes up nodes and holds inference to what every caller relies on:
//
//   - no node makes it panic, hang or take memory beyond what is small;
//   - an error is an *op.Error or an *op.UnknownError;
//   - a derived dimension is a size, a symbol or unknown, and a derived value has
//     the derived type;
//   - who knows less of the inputs learns less, but nothing else, and is refused
//     nothing that is right when more is known;
//   - the body of a function operator gives the same types and shapes;
//   - a gradient has the type and shape of what it is by.
//
// The first two bytes choose the definition, the rest the node.
func FuzzInfer(f *testing.F) {
	defs := op.Standard().All()
	for i := range defs {
		f.Add(nodeBytes(i, 0))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		c := randomCall(&dice{data[2:]}, defs[(int(data[0])|int(data[1])<<8)%len(defs)])
		if bad := inferFindings(c); len(bad) > 0 {
			t.Errorf("%v\n%s", c, strings.Join(bad, "\n"))
		}
	})
}

// TestInferAnyNode runs FuzzInfer's checks over a fixed set of nodes of every definition.
func TestInferAnyNode(t *testing.T) {
	for i, def := range op.Standard().All() {
		for k := range 60 {
			c := randomCall(&dice{nodeBytes(i, k)[2:]}, def)
			if bad := inferFindings(c); len(bad) > 0 {
				t.Errorf("%v\n%s", c, strings.Join(bad, "\n"))
			}
		}
	}
}

// nodeBytes are the bytes of the k-th made-up node of definition i.
func nodeBytes(i, k int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), uint64(k)))
	data := make([]byte, 160)
	for j := range data {
		data[j] = byte(r.Uint32())
	}
	data[0], data[1] = byte(i), byte(i>>8)
	return data
}

// maxInferBytes is more than inferring one node with small inputs may allocate.
const maxInferBytes = 8 << 20

// inferFindings lists what is wrong with the inference of a node.
func inferFindings(c *call) (bad []string) {
	report := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	watch := time.AfterFunc(30*time.Second, func() { panic(fmt.Sprintf("inference hangs: %v", c)) })
	defer watch.Stop()
	defer func() {
		if p := recover(); p != nil {
			report("panic: %v at %s", p, panicPlace())
		}
	}()
	env := op.NewEnv(&graph.Model{})
	before := allocated()
	out, err := inferCall(env, c, c.in, c.implicit)
	if n := allocated() - before; n > maxInferBytes {
		report("inference allocates %d bytes", n)
	}
	if err != nil && !knownError(err) {
		report("error of type %T: %v", err, err)
	}
	for i, f := range out {
		for _, s := range factFindings(f) {
			report("output %d: %s", i, s)
		}
	}
	if err != nil {
		return bad
	}
	for variant := range 4 {
		in := lessOf(c.in, variant)
		less, err := inferCall(env, c, in, lessOf(c.implicit, variant))
		if err != nil {
			if c.def.Name != "If" { // a known condition hides what is wrong with the other branch
				report("refused when only %s is known of the inputs: %v", factsText(in), err)
			}
			break
		}
		for i := range out {
			if s := contradiction(less[i], out[i]); s != "" {
				report("output %d is %s; when only %s is known of the inputs it is %s: %s", i, factText(out[i]), factsText(in), factText(less[i]), s)
			}
		}
	}
	return append(append(bad, bodyFindings(env, c, out)...), gradientFindings(env, c, out)...)
}

// panicPlace names the lines of a panicking goroutine that are neither the
// runtime's nor a test's, innermost first.
func panicPlace() string {
	var out []string
	for _, line := range strings.Split(string(debug.Stack()), "\n") {
		file, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(file, ".go:") && !strings.Contains(file, "/runtime/") && !strings.Contains(file, "_test.go") {
			out = append(out, path.Base(path.Dir(file))+"/"+path.Base(file))
		}
	}
	return strings.Join(out, ", ")
}

func inferCall(env *op.Env, c *call, in, implicit []op.Fact) ([]op.Fact, error) {
	out := make([]op.Fact, len(c.node.Outputs()))
	err := env.NodeDef(c.def, c.node, in, implicit, out)
	return out, err
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func knownError(err error) bool {
	var wrong *op.Error
	var unknown *op.UnknownError
	return errors.As(err, &wrong) || errors.As(err, &unknown)
}

// factFindings lists what is wrong with a fact by itself.
func factFindings(f op.Fact) (bad []string) {
	bad = typeFindings(f.Type)
	if f.Const != nil {
		if exact := graph.TypeOf(f.Const); exact.DType != f.Type.DType || !exact.Shape.Equal(f.Type.Shape) {
			bad = append(bad, fmt.Sprintf("the value is %v but the type is %v", exact, f.Type))
		}
	}
	if v := f.Ints; v != nil {
		rank, length := 1, graph.Known(len(v.Elems))
		if v.Scalar {
			rank = 0
			if len(v.Elems) != 1 {
				bad = append(bad, fmt.Sprintf("a scalar has %d elements", len(v.Elems)))
			}
		}
		shape := f.Type.Shape
		if r, ok := shape.Rank(); ok && r != rank {
			bad = append(bad, fmt.Sprintf("%s, but the type is %v", intsText(v), f.Type))
		}
		if n, ok := shape.Dim(0).Size(); ok && rank == 1 && n != len(v.Elems) {
			bad = append(bad, fmt.Sprintf("%v elements, but the type is %v", length, f.Type))
		}
		if class := f.Type.DType.Class(); f.Type.DType.Valid() && class != tensor.ClassInt && class != tensor.ClassUint && class != tensor.ClassBool {
			bad = append(bad, fmt.Sprintf("%s, but the type is %v", intsText(v), f.Type))
		}
	}
	return bad
}

func typeFindings(t graph.Type) (bad []string) {
	for i, d := range t.Shape.Dims() {
		if n, known := d.Size(); known && n < 0 || !known && d.Name() == "" && d != (graph.Dim{}) {
			bad = append(bad, fmt.Sprintf("dimension %d is out of range: %#v", i, d))
		}
	}
	if t.IsTensor() && t.DType != tensor.Undefined && !t.DType.Valid() {
		bad = append(bad, fmt.Sprintf("element type %d does not exist", t.DType))
	}
	if t.Elem != nil {
		bad = append(bad, typeFindings(*t.Elem)...)
	}
	return bad
}

// lessOf forgets some of what is known: by position and variant, sizes become
// unknown or symbols that tell which size they stand for, values are forgotten as
// a whole or element by element.
func lessOf(facts []op.Fact, variant int) []op.Fact {
	out := make([]op.Fact, len(facts))
	for i, f := range facts {
		v := f.Ints
		if f.Const != nil {
			v = op.IntsOf(f.Const)
		}
		switch (i + variant) % 4 {
		case 0:
			out[i] = f
			continue
		case 1: // its length remains
			out[i].Type = f.Type
			continue
		case 2:
			out[i].Type = f.Type
			if v != nil {
				out[i].Ints = &op.Ints{Scalar: v.Scalar, Elems: slices.Clone(v.Elems)}
				for k := range v.Elems {
					if (k+variant)%2 == 0 {
						out[i].Ints.Elems[k] = op.Int{}
					}
				}
				continue
			}
		}
		out[i].Type = lessType(f.Type, i+variant)
	}
	return out
}

func lessType(t graph.Type, salt int) graph.Type {
	if t.Shape.IsRanked() {
		dims := slices.Clone(t.Shape.Dims())
		for i, d := range dims {
			n, known := d.Size()
			switch {
			case known && (salt+i)%3 == 0:
				dims[i] = graph.Symbol(fmt.Sprintf("size %d", n))
			case known && (salt+i)%3 == 1:
				dims[i] = graph.Dim{}
			}
		}
		t.Shape = graph.ShapeOf(dims...)
	}
	if t.Elem != nil {
		e := lessType(*t.Elem, salt)
		t.Elem = &e
	}
	return t
}

// contradiction says how what was derived from less contradicts what was derived
// from more, and nothing when it does not.
func contradiction(less, more op.Fact) string {
	if _, ok := graph.MergeType(less.Type, more.Type); !ok {
		return "the types exclude each other"
	}
	for i, d := range less.Type.Shape.Dims() {
		if n, known := more.Type.Shape.Dim(i).Size(); known && strings.HasPrefix(d.Name(), "size ") && d.Name() != fmt.Sprintf("size %d", n) {
			return fmt.Sprintf("dimension %d stands for another size", i)
		}
	}
	if less.Const != nil && more.Const != nil {
		if err := tensor.Compare(less.Const, more.Const, 0, 0); err != nil {
			return err.Error()
		}
	}
	a, b := knownElems(less), knownElems(more)
	if a == nil || b == nil {
		return ""
	}
	if len(a.Elems) != len(b.Elems) {
		return "the values have different lengths"
	}
	for i, e := range a.Elems {
		a, known := e.Value()
		b, also := b.Elems[i].Value()
		if known && also && a != b {
			return fmt.Sprintf("element %d is %d and %d", i, b, a)
		}
	}
	return ""
}

func knownElems(f op.Fact) *op.Ints {
	if f.Const != nil {
		return op.IntsOf(f.Const)
	}
	return f.Ints
}

// bodyFindings compares a definition's shape function with its body.
func bodyFindings(env *op.Env, c *call, out []op.Fact) (bad []string) {
	report := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	f, err := env.Expand(c.def, c.node, c.in)
	if err != nil {
		if !knownError(err) {
			report("body: error of type %T: %v", err, err)
		}
		return bad
	}
	if f == nil {
		return nil
	}
	if err := f.Graph.Validate(); err != nil {
		report("body: %v", err)
		return bad
	}
	facts, err := env.Graph(f.Graph, c.in, c.implicit)
	if err != nil {
		// An index that is out of range, or sizes whose product is, are for the
		// kernel to refuse; of types and shapes alone nothing may be.
		if facts, err = env.Graph(f.Graph, typesOnly(c.in), typesOnly(c.implicit)); err != nil && !strings.Contains(err.Error(), "too large") && !strings.Contains(err.Error(), "too long") {
			report("body is refused: %v", err)
		}
		if err != nil {
			return bad
		}
	}
	for i, o := range f.Graph.Outputs() {
		if c.node.Outputs()[i] == graph.NoValue {
			continue
		}
		if s := contradiction(facts[o], out[i]); s != "" {
			report("output %d is %s, by the body %s: %s", i, factText(out[i]), factText(facts[o]), s)
		}
	}
	return bad
}

func typesOnly(in []op.Fact) []op.Fact {
	out := make([]op.Fact, len(in))
	for i, f := range in {
		out[i].Type = f.Type
	}
	return out
}

// gradientFindings holds what a definition's gradient rule makes against the inputs.
func gradientFindings(env *op.Env, c *call, out []op.Fact) (bad []string) {
	report := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	wanted := make([]bool, len(c.in))
	for i, f := range c.in {
		wanted[i] = op.FloatBFTypes.Has(f.Type.DType) && c.node.Inputs()[i] != graph.NoValue
	}
	if !slices.Contains(wanted, true) || len(out) == 0 || !op.FloatBFTypes.Has(out[0].Type.DType) {
		return nil // nothing to go back from, or to
	}
	for _, f := range c.in {
		for _, d := range f.Type.Shape.Dims() {
			if n, ok := d.Size(); ok && n > 1<<30 {
				return nil // sums and products of sizes that no memory holds
			}
		}
	}
	for _, a := range c.node.Attrs {
		if !a.Holds() {
			return nil // models can not say so
		}
	}
	f, made, err := env.Gradient(c.def, c.node, c.in, out, wanted)
	if err != nil {
		var none *op.NoGradientError
		if !knownError(err) && !errors.As(err, &none) {
			report("gradient: error of type %T: %v", err, err)
		}
		return bad
	}
	if f == nil {
		return nil
	}
	if err := f.Graph.Validate(); err != nil {
		report("gradient: %v", err)
		return bad
	}
	all := typesOnly(append(append(append([]op.Fact{}, c.in...), out...), out...))
	facts, err := env.Graph(f.Graph, all, nil)
	if err != nil {
		if !strings.Contains(err.Error(), "too large") && !strings.Contains(err.Error(), "too long") {
			report("gradient is refused: %v", err)
		}
		return bad
	}
	next := 0
	for i := range made {
		if !made[i] {
			continue
		}
		dx := facts[f.Graph.Outputs()[next]]
		next++
		if s := contradiction(op.Fact{Type: dx.Type}, op.Fact{Type: c.in[i].Type}); s != "" {
			report("gradient by input %d, %s, is %s: %s", i, factText(c.in[i]), factText(dx), s)
		}
	}
	return bad
}
