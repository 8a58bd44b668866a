package cpu

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gort/ep"
	"gort/internal/parallel"
	"gort/op"
	"gort/tensor"
)

// Binding ties an operator to the kernel that computes it.
type Binding struct {
	Domain string // "" is ai.onnx
	Op     string
	// From and To bound the since-versions of the definitions the kernel follows;
	// To 0 means no upper bound.
	From, To int
	// Types narrows the definition's type variables to the element types the
	// kernel computes with. Variables that are not listed keep all theirs.
	Types map[string]op.DTypes
	// ViaFloat32 adds float16 and bfloat16 to what Types allows: such operands are
	// converted to float32, the kernel computes in float32, and results are rounded
	// once. See viawider.go.
	ViaFloat32 bool
	// OneWidth says that the kernel takes all floating-point operands in one type:
	// where double is mixed with others, all are converted to double.
	OneWidth bool
	// Check, when set, declines nodes for reasons beyond types, with the reason.
	Check func(b *Build) string
	// New makes the kernel. It fails only for reasons that Check does not see.
	New func(b *Build) (ep.Kernel, error)
}

// Build is what a kernel is made from: the node's attributes with their
// defaults, what is known of its operands, and the workers it may use.
type Build struct {
	op.Attrs
	Opset   int
	Inputs  []ep.Operand
	Outputs []ep.Operand
	Pool    *parallel.Pool
}

// Has reports whether input i is given.
func (b *Build) HasInput(i int) bool { return i < len(b.Inputs) && b.Inputs[i].Present }

// HasOutput reports whether output i is asked for.
func (b *Build) HasOutput(i int) bool { return i < len(b.Outputs) && b.Outputs[i].Present }

// DType is the element type of input i, Undefined when it is omitted or unknown.
func (b *Build) DType(i int) tensor.DType {
	if i >= len(b.Inputs) {
		return tensor.Undefined
	}
	return b.Inputs[i].Type.DType
}

// OutDType is the element type of output i.
func (b *Build) OutDType(i int) tensor.DType {
	if i >= len(b.Outputs) {
		return tensor.Undefined
	}
	return b.Outputs[i].Type.DType
}

// Since is the version of the definition the node follows.
func (b *Build) Since() int { return b.Def.Since }

// AttrErrorf says what is wrong with an attribute.
func (b *Build) AttrErrorf(name, format string, args ...any) error {
	return &op.Error{Node: b.Node.Label(), Domain: b.Node.Domain, Op: b.Node.Op, Opset: b.Opset, Where: "attribute " + name, Reason: fmt.Sprintf(format, args...)}
}

// Func is a kernel that needs no optional interface.
type Func func(ctx context.Context, inv *ep.Invocation) error

// Run implements ep.Kernel.
func (f Func) Run(ctx context.Context, inv *ep.Invocation) error { return f(ctx, inv) }

// ByType makes kernels by element type: the table's keys are the types there is
// a kernel for.
type ByType map[tensor.DType]func(b *Build) (ep.Kernel, error)

// Types is the set of the table's keys.
func (t ByType) Types() op.DTypes {
	var s op.DTypes
	for d := range t {
		s |= op.SetOf(d)
	}
	return s
}

// Input returns a Binding.New that picks by the element type of input i.
func (t ByType) Input(i int) func(b *Build) (ep.Kernel, error) {
	return func(b *Build) (ep.Kernel, error) {
		f, ok := t[b.DType(i)]
		if !ok {
			return nil, fmt.Errorf("no %s kernel for %v; there are kernels for %v", b.Node.Op, b.DType(i), t.Types())
		}
		return f(b)
	}
}

// match looks for a reason why the binding does not take a node.
func (bd *Binding) match(b *Build) (reason string) {
	since := b.Def.Since
	if since < bd.From || bd.To > 0 && since > bd.To {
		return fmt.Sprintf("the CPU kernel of %s follows versions %s of the operator, the model's opset selects version %d; convert the model to such an opset", b.Def.Name, versions(bd.From, bd.To), since)
	}
	sig := b.Def.Signature()
	for i, o := range b.Inputs {
		if o.Present {
			if r := bd.matchType(sig.Input(i), o, "input", i); r != "" {
				return r
			}
		}
	}
	for i, o := range b.Outputs {
		if o.Present {
			if r := bd.matchType(sig.Output(i), o, "output", i); r != "" {
				return r
			}
		}
	}
	if bd.Check != nil {
		return bd.Check(b)
	}
	return ""
}

func (bd *Binding) matchType(p *op.Param, o ep.Operand, what string, i int) string {
	if p == nil || !o.Type.IsTensor() {
		return ""
	}
	allowed, narrowed := bd.Types[p.Type]
	if !narrowed {
		return ""
	}
	if bd.ViaFloat32 && allowed.Has(tensor.Float32) {
		allowed |= viaFloat32Types
	}
	if o.Type.DType == tensor.Undefined {
		return fmt.Sprintf("the element type of %s %d (%s) could not be inferred; declare it in the model's value_info", what, i, p.Name)
	}
	if !allowed.Has(o.Type.DType) {
		return fmt.Sprintf("%s %d (%s) is %v, the CPU kernel takes %v; insert a Cast", what, i, p.Name, o.Type.DType.ONNX(), allowed)
	}
	return ""
}

func versions(from, to int) string {
	switch {
	case to == 0:
		return fmt.Sprintf("%d and later", max(from, 1))
	case from == to:
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d to %d", max(from, 1), to)
}

// table finds the bindings of an operator, in the order in which they are tried.
type table map[string][]*Binding

func newTable(families ...[]Binding) table {
	t := table{}
	for _, f := range families {
		for i := range f {
			k := f[i].Domain + "." + f[i].Op
			t[k] = append(t[k], &f[i])
		}
	}
	return t
}

// find returns the first binding that takes the node, or why none does.
func (t table) find(b *Build) (*Binding, string) {
	list := t[b.Def.Domain+"."+b.Def.Name]
	if len(list) == 0 {
		return nil, fmt.Sprintf("the CPU provider has no kernel for %s; express it through other operators or give the session a provider that has one", b.Def.Name)
	}
	var reasons []string
	for _, bd := range list {
		r := bd.match(b)
		if r == "" {
			return bd, ""
		}
		if !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return nil, strings.Join(reasons, "; or ")
}
