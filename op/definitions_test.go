package op_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gort/graph"
	"gort/internal/testdata"
	"gort/op"
)

// specified is one row of the specification's table of operator versions.
type specified struct {
	domain, name      string
	since             int
	deprecated        bool
	minIn, maxIn      int // -1 is unbounded
	minOut, maxOut    int
	inputs, outputs   string // "X: T; B [optional]: T"
	attrs, constraint string
}

func (s *specified) String() string { return fmt.Sprintf("%s %s-%d", s.domain, s.name, s.since) }

func specification(t *testing.T) []*specified {
	t.Helper()
	rows, column := testdata.Table(t, "op-versions.tsv")
	number := func(s string) int {
		if s == "inf" {
			return -1
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%q is no number: %v", s, err)
		}
		return n
	}
	var out []*specified
	for _, row := range rows {
		at := func(name string) string { return row[column[name]] }
		out = append(out, &specified{
			domain: graph.NormalDomain(at("domain")), name: at("op"), since: number(at("version")), deprecated: at("deprecated") == "yes",
			minIn: number(at("in_min")), maxIn: number(at("in_max")), minOut: number(at("out_min")), maxOut: number(at("out_max")),
			inputs: at("inputs"), outputs: at("outputs"), attrs: at("attributes"), constraint: at("type_constraints"),
		})
	}
	return out
}

// Every version of every operator that the specification lists is defined, and in
// its domains nothing else is but the first versions that ONNX Runtime adds to ai.onnx.
func TestDefinitionsAreThoseOfTheSpecification(t *testing.T) {
	listed, domains := map[string]bool{}, map[string]bool{}
	id := func(domain, name string, since int) string { return fmt.Sprintf("%s/%s-%d", domain, name, since) }
	defined := map[string]bool{}
	for _, d := range op.Standard().All() {
		k := id(d.Domain, d.Name, d.Since)
		if defined[k] {
			t.Errorf("%s is defined twice", k)
		}
		defined[k] = true
	}
	for _, s := range specification(t) {
		k := id(s.domain, s.name, s.since)
		listed[k], domains[s.domain] = true, true
		if !defined[k] {
			t.Errorf("%s is specified but not defined", k)
		}
	}
	rows, column := testdata.Table(t, "contrib-ops.tsv")
	for _, row := range rows {
		listed[id(graph.NormalDomain(row[column["domain"]]), row[column["op"]], 1)] = true
	}
	domains["com.microsoft"] = true
	for _, d := range op.Standard().All() {
		if k := id(d.Domain, d.Name, d.Since); domains[d.Domain] && !listed[k] {
			t.Errorf("%s is defined but not specified", k)
		}
	}
}

// withoutRow has the signatures of operators whose first version is deprecated:
// the table, made from the newest documents, never shows it.
var withoutRow = map[string]*specified{
	"GroupNormalization": {
		minIn: 3, maxIn: 3, minOut: 1, maxOut: 1, inputs: "X: T; scale: T; bias: T", outputs: "Y: T",
		attrs:      "epsilon: float (default is 1e-05); num_groups: int (required)",
		constraint: "T = tensor(float16), tensor(float), tensor(double), tensor(bfloat16)",
	},
}

// A definition says what the specification's table says: inputs and outputs with
// their types, counts, attributes, and type constraints. Of a deprecated version
// the table says nothing; its definition repeats the last live one's.
func TestDefinitionsEqualTheSpecification(t *testing.T) {
	var live *specified // the row that still has a signature
	for _, s := range specification(t) {
		d, err := op.Standard().Lookup(s.domain, s.name, s.since)
		if err != nil {
			t.Errorf("%v: %v", s, err)
			continue
		}
		if d.Deprecated != s.deprecated {
			t.Errorf("%v: deprecated is %v, specified %v", s, d.Deprecated, s.deprecated)
		}
		want := s
		if s.deprecated {
			if want = live; live.name != s.name {
				want = withoutRow[s.name]
			}
			if want == nil {
				t.Errorf("%v is deprecated and has no row with a signature", s)
				continue
			}
		} else {
			live = s
		}
		sig := d.Signature()
		for _, c := range []struct{ what, got, want string }{
			{"inputs", paramsText(sig.Inputs, sig.Types), specifiedParams(want.inputs, want.constraint)},
			{"outputs", paramsText(sig.Outputs, sig.Types), specifiedParams(want.outputs, want.constraint)},
			{"counts", fmt.Sprint(sig.MinInputs, sig.MaxInputs, sig.MinOutputs, sig.MaxOutput), fmt.Sprint(want.minIn, want.maxIn, want.minOut, want.maxOut)},
			{"attributes", attrsText(sig.Attrs), specifiedAttrs(want.attrs)},
		} {
			if c.got != c.want {
				t.Errorf("%v: %s\n  are  %s\n  want %s", s, c.what, c.got, c.want)
			}
		}
	}
}

// paramsText writes parameters with their types spelled out.
func paramsText(params []op.Param, types map[string]op.TypeSet) string {
	var out []string
	for _, p := range params {
		s := p.Name
		switch p.Arity {
		case op.Optional:
			s += " optional"
		case op.Variadic:
			s += " variadic"
		}
		if p.Heterogeneous {
			s += " heterogeneous"
		}
		out = append(out, s+": "+p.Type+" = "+sortedTypes(types[p.Type].String()))
	}
	return strings.Join(out, "; ")
}

// mapValues finds map(int64,float), as the table writes map(int64,tensor(float)).
var mapValues = regexp.MustCompile(`map\((\w+), ?(\w+)\)`)

func specifiedParams(list, constraints string) string {
	types := map[string]string{}
	for _, c := range strings.Split(constraints, "; ") {
		name, set, _ := strings.Cut(c, " = ")
		types[name] = set
	}
	var out []string
	for _, p := range strings.Split(list, "; ") {
		if p == "" {
			continue
		}
		head, typ, _ := strings.Cut(p, ": ")
		name, tags, _ := strings.Cut(head, " [")
		for _, tag := range strings.Split(strings.TrimSuffix(tags, "]"), ", ") {
			if tag == "optional" || tag == "variadic" || tag == "heterogeneous" {
				name += " " + tag
			}
		}
		set, variable := types[typ]
		set = mapValues.ReplaceAllString(set, "map($1,tensor($2))")
		if !variable {
			set = typ
		}
		out = append(out, name+": "+typ+" = "+sortedTypes(set))
	}
	return strings.Join(out, "; ")
}

// sortedTypes puts a list of types into one order and drops those listed twice.
func sortedTypes(set string) string {
	list := strings.Split(strings.ReplaceAll(set, ", ", ","), ",")
	for i := 0; i < len(list); i++ { // map(k,v) has a comma of its own
		if strings.Count(list[i], "(") > strings.Count(list[i], ")") && i+1 < len(list) {
			list[i] += "," + list[i+1]
			list = slices.Delete(list, i+1, i+2)
			i--
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ",")
}

// tableDigits is how many digits of a float the specification's documents print.
const tableDigits = 6

func attrsText(attrs []op.AttrDef) string {
	var out []string
	for _, a := range attrs {
		s := a.Name + ": " + a.Kind.String()
		if a.Required {
			s += " required"
		}
		switch v := a.Default.(type) {
		case nil:
		case float32:
			s += " default " + strconv.FormatFloat(float64(v), 'g', tableDigits, 32)
		default:
			s += fmt.Sprintf(" default %v", v)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// specifiedAttrs reads "axis: int (default is 0); to: int (required)". Lists have
// their default in the form ['0', '2']; two floats are written in parentheses.
func specifiedAttrs(list string) string {
	var out []string
	for _, a := range strings.Split(list, "; ") {
		if a == "" {
			continue
		}
		s, note, noted := strings.Cut(a, " (")
		note = strings.TrimSuffix(note, ")")
		def, hasDefault := strings.CutPrefix(note, "default is ")
		switch name, kind, _ := strings.Cut(s, ": "); kind {
		case "sparse_tensor":
			s = name + ": sparse tensor"
		case "type_proto":
			s = name + ": type"
		}
		switch {
		case note == "required":
			s += " required"
		case hasDefault && strings.Contains(s, ": float"):
			f, err := strconv.ParseFloat(strings.Trim(def, "()"), 32)
			if err != nil {
				return fmt.Sprintf("%q: %v", a, err)
			}
			s += " default " + strconv.FormatFloat(f, 'g', tableDigits, 32)
		case hasDefault:
			s += " default " + strings.NewReplacer("', '", " ", "['", "[", "']", "]", "foward", "forward").Replace(def) // so GRU-1 writes it
		case noted:
			return fmt.Sprintf("%q has an unknown note", a)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// A definition whose outputs nothing but its type constraints describe would
// leave every shape behind it unknown.
func TestEveryDefinitionInfers(t *testing.T) {
	for _, d := range op.Standard().All() {
		if err := d.Parse(); err != nil {
			t.Error(err)
		}
		if d.Infer == nil && d.Body == nil {
			t.Errorf("%s %s-%d has neither a shape function nor a body", d.Domain, d.Name, d.Since)
		}
	}
}
