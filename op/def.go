package op

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"gort/graph"
)

// Def is the definition of one operator from version Since of its domain on,
// until the next definition of the same name.
type Def struct {
	Domain     string // "" is ai.onnx
	Name       string
	Since      int
	Deprecated bool

	Inputs  string // "X: T; B?: T", see the package documentation
	Outputs string
	Attrs   string // "axis: int = 0; to!: int"
	Types   string // "T = @float; T1 = int32 int64"

	// Infer derives the outputs' types and shapes. Element types that follow from
	// the type constraints are already set when it is called.
	Infer func(c *Context) error
	// Body returns the operator's meaning in terms of other operators, in the
	// notation of body.go. Nil when the specification gives none.
	Body func(c *Context) (Body, error)

	// Gradient returns how the gradients of the node's inputs follow from those of
	// its outputs, in the notation of gradient.go. Where it is nil, a Body is
	// differentiated instead; an operator with neither can not be.
	Gradient func(c *GradientContext) (Body, error)

	// DataDependent marks operators whose output shapes depend on the elements of
	// their inputs, not only on shapes and small integer inputs: the kernel
	// decides them, and a plan is cut there.
	DataDependent bool
	// Nondeterministic marks operators whose outputs differ from run to run; they
	// are neither folded nor merged.
	Nondeterministic bool

	once sync.Once
	sig  Signature
	err  error
}

// Arity says how often a parameter occurs.
type Arity uint8

// Arities of parameters.
const (
	Single Arity = iota
	Optional
	Variadic
)

// Param is one formal input or output.
type Param struct {
	Name          string
	Type          string // a type variable, or one type such as tensor(int64)
	Arity         Arity
	Min           int  // of a Variadic: how many at least
	Heterogeneous bool // of a Variadic: each may have a type of its own
}

// AttrDef is one formal attribute.
type AttrDef struct {
	Name     string
	Kind     graph.AttrKind
	Required bool
	Default  any // as graph.Attr.Value, nil when there is none
}

// Signature is the parsed form of a definition's texts.
type Signature struct {
	Inputs, Outputs       []Param
	Attrs                 []AttrDef
	Types                 map[string]TypeSet // by type variable
	MinInputs, MaxInputs  int                // MaxInputs is -1 when unbounded
	MinOutputs, MaxOutput int
}

// Signature returns the parsed definition. The definitions of this package parse,
// which a test holds; it panics on one that does not.
func (d *Def) Signature() *Signature {
	if err := d.Parse(); err != nil {
		panic(err)
	}
	return &d.sig
}

// Parse checks the definition's texts; Registry.With calls it on definitions from outside.
func (d *Def) Parse() error {
	d.once.Do(func() { d.err = d.parse() })
	return d.err
}

func (d *Def) parse() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("op: definition %s-%d: %w", d.Name, d.Since, err)
		}
	}()
	s := &d.sig
	s.Types = map[string]TypeSet{}
	for _, f := range fields(d.Types) {
		name, list, ok := strings.Cut(f, "=")
		if !ok {
			return fmt.Errorf("type constraint %q has no =", f)
		}
		set, err := parseTypeSet(list)
		if err != nil {
			return err
		}
		s.Types[strings.TrimSpace(name)] = set
	}
	if s.Inputs, err = d.parseParams(d.Inputs); err != nil {
		return err
	}
	if s.Outputs, err = d.parseParams(d.Outputs); err != nil {
		return err
	}
	s.MinInputs, s.MaxInputs = arityOf(s.Inputs)
	s.MinOutputs, s.MaxOutput = arityOf(s.Outputs)
	for _, f := range fields(d.Attrs) {
		a, err := parseAttr(f)
		if err != nil {
			return err
		}
		s.Attrs = append(s.Attrs, a)
	}
	return nil
}

func fields(s string) []string {
	var out []string
	for _, f := range strings.Split(s, ";") {
		if f = strings.TrimSpace(f); f != "" {
			out = append(out, f)
		}
	}
	return out
}

func (d *Def) parseParams(s string) ([]Param, error) {
	var out []Param
	for _, f := range fields(s) {
		name, typ, ok := strings.Cut(f, ":")
		if !ok {
			return nil, fmt.Errorf("parameter %q has no type", f)
		}
		p := Param{Name: strings.TrimSpace(name), Type: strings.TrimSpace(typ)}
		p.Name, p.Heterogeneous = strings.CutSuffix(p.Name, "~")
		if strings.Trim(p.Name, "?*+") == "" {
			return nil, fmt.Errorf("parameter %q has no name", f)
		}
		switch p.Name[len(p.Name)-1] {
		case '?':
			p.Arity = Optional
		case '*':
			p.Arity = Variadic
		case '+':
			p.Arity, p.Min = Variadic, 1
		}
		p.Name = strings.TrimRight(p.Name, "?*+")
		if _, known := d.sig.Types[p.Type]; !known {
			set, err := parseTypeSet(p.Type)
			if err != nil {
				return nil, fmt.Errorf("parameter %q: %w", f, err)
			}
			d.sig.Types[p.Type] = set
		}
		out = append(out, p)
	}
	return out, nil
}

// arityOf counts as the specification's checker does: an optional parameter
// before the last required or repeated one has to be given, if only as empty.
func arityOf(params []Param) (lo, hi int) {
	for _, p := range params {
		switch p.Arity {
		case Single:
			hi++
			lo = hi
		case Optional:
			hi++
		case Variadic:
			return hi + p.Min, -1
		}
	}
	return lo, hi
}

var attrKinds = map[string]graph.AttrKind{
	"float": graph.AttrFloat, "int": graph.AttrInt, "string": graph.AttrString,
	"tensor": graph.AttrTensor, "graph": graph.AttrGraph, "floats": graph.AttrFloats,
	"ints": graph.AttrInts, "strings": graph.AttrStrings, "tensors": graph.AttrTensors,
	"sparse_tensor": graph.AttrSparse, "type": graph.AttrType,
}

// parseAttr reads "name[!]: kind [= default]"; lists separate their items by blanks.
func parseAttr(s string) (AttrDef, error) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok {
		return AttrDef{}, fmt.Errorf("attribute %q has no kind", s)
	}
	kind, def, hasDefault := strings.Cut(rest, "=")
	kind, def = strings.TrimSpace(kind), strings.TrimSpace(def)
	a := AttrDef{Name: strings.TrimSpace(name)}
	a.Name, a.Required = strings.CutSuffix(a.Name, "!")
	if a.Kind, ok = attrKinds[kind]; !ok {
		return a, fmt.Errorf("attribute %q: unknown kind %q", a.Name, kind)
	}
	if !hasDefault {
		return a, nil
	}
	var err error
	switch a.Kind {
	case graph.AttrInt:
		a.Default, err = strconv.ParseInt(def, 10, 64)
	case graph.AttrFloat:
		var f float64
		f, err = strconv.ParseFloat(def, 32)
		a.Default = float32(f)
	case graph.AttrString:
		a.Default = def
	case graph.AttrStrings:
		a.Default = strings.Fields(def)
	case graph.AttrInts:
		var list []int64
		for _, f := range strings.Fields(def) {
			n, e := strconv.ParseInt(f, 10, 64)
			if e != nil {
				err = e
			}
			list = append(list, n)
		}
		a.Default = list
	default:
		err = fmt.Errorf("attribute %q: a %s has no default", a.Name, kind)
	}
	return a, err
}

// Input returns the formal input that stands at position i, nil beyond the last.
func (s *Signature) Input(i int) *Param { return paramAt(s.Inputs, i) }

// Output returns the formal output that stands at position i, nil beyond the last.
func (s *Signature) Output(i int) *Param { return paramAt(s.Outputs, i) }

func paramAt(params []Param, i int) *Param {
	if n := len(params); n > 0 && i >= n-1 && params[n-1].Arity == Variadic {
		return &params[n-1]
	}
	if i < len(params) {
		return &params[i]
	}
	return nil
}

// Attr returns the formal attribute of that name.
func (s *Signature) Attr(name string) *AttrDef {
	for i := range s.Attrs {
		if s.Attrs[i].Name == name {
			return &s.Attrs[i]
		}
	}
	return nil
}
