package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// inputFlags say where the values of a model's inputs come from.
type inputFlags struct {
	given  []givenInput
	random bool
	seed   uint64
	shapes shapeFlags
	image  imageFlags
}

// givenInput is one --input.
type givenInput struct {
	name   string // "" when only a source is given
	source string // a file, or @ and a literal
}

func (f *inputFlags) register(fs *flag.FlagSet) {
	fs.Func("input", "value of an input: `NAME=FILE` (.npy .npz .pb .json, or an image), NAME=@VALUE,\n"+
		"or only FILE for a single input or a file with names; repeatable", f.add)
	fs.BoolVar(&f.random, "random", false, "make up all inputs; refuses --input")
	fs.Uint64Var(&f.seed, "seed", 1, "seed `N` of made-up inputs")
	f.shapes.register(fs)
	f.image.register(fs)
}

func (f *inputFlags) add(s string) error {
	name, source, found := strings.Cut(s, "=")
	if !found {
		name, source = "", s
	}
	if source == "" {
		return fmt.Errorf("no file or value given")
	}
	f.given = append(f.given, givenInput{name, source})
	return nil
}

// inputValues are the values by input, and what the user should know of them.
type inputValues struct {
	infos  []gort.ValueInfo
	values []tensor.Value // nil: not given
	notes  []string
}

// resolve reads what is given and makes up what is not.
func (f *inputFlags) resolve(infos []gort.ValueInfo) (*inputValues, error) {
	if f.random && len(f.given) > 0 {
		return nil, usagef("--random makes up all inputs, so --input %s has no use", f.given[0].source)
	}
	if err := f.shapes.check(infos); err != nil {
		return nil, err
	}
	in := &inputValues{infos: infos, values: make([]tensor.Value, len(infos))}
	for _, g := range f.given {
		if err := f.read(in, g); err != nil {
			return nil, err
		}
	}
	return in, in.makeUp(&f.shapes, f.seed)
}

// makeUp fills in random values where none are given and the model has no default.
func (in *inputValues) makeUp(shapes *shapeFlags, seed uint64) error {
	for i, info := range in.infos {
		if in.values[i] != nil || info.Optional {
			continue
		}
		shape, guessed := shapes.shape(info)
		v, err := randomValue(info.Name, info.Type, shape, seed)
		if err != nil {
			return err
		}
		in.values[i] = v
		note := fmt.Sprintf("input %q is made up: random %v", info.Name, v)
		if guessed && info.Type.IsTensor() {
			note += fmt.Sprintf(" for %v; see --shape and --dim", info.Type)
		}
		in.notes = append(in.notes, note)
	}
	return nil
}

// read reads one --input.
func (f *inputFlags) read(in *inputValues, g givenInput) error {
	if g.name == "" {
		named, err := readNamed(g.source, in.infos)
		if err != nil {
			return err
		}
		if named != nil {
			for name, v := range named {
				if err := in.set(name, v, g.source); err != nil {
					return err
				}
			}
			return nil
		}
		if g.name, err = in.onlyOne(g.source); err != nil {
			return err
		}
	}
	i := inputIndex(in.infos, g.name)
	if i < 0 {
		return usagef("--input %s: the model has no such input, only %s", g.name, inputNames(in.infos))
	}
	v, note, err := f.value(g.source, in.infos[i])
	if err != nil {
		return fmt.Errorf("input %q: %w", g.name, err)
	}
	if note != "" {
		in.notes = append(in.notes, fmt.Sprintf("input %q: %s", g.name, note))
	}
	return in.set(g.name, v, g.source)
}

// onlyOne is the input that a source without a name is for.
func (in *inputValues) onlyOne(source string) (string, error) {
	if len(in.infos) == 1 {
		return in.infos[0].Name, nil
	}
	var required []string
	for _, info := range in.infos {
		if !info.Optional {
			required = append(required, info.Name)
		}
	}
	if len(required) == 1 {
		return required[0], nil
	}
	return "", usagef("--input %s: say which of the inputs it is for, as NAME=%s: %s", source, source, inputNames(in.infos))
}

func (in *inputValues) set(name string, v tensor.Value, source string) error {
	i := inputIndex(in.infos, name)
	if i < 0 {
		return usagef("%s has a value for %q, but the model's inputs are %s", source, name, inputNames(in.infos))
	}
	if in.values[i] != nil {
		return usagef("input %q is given twice", name)
	}
	v, note, err := fit(v, in.infos[i].Type)
	if err != nil {
		return fmt.Errorf("input %q: %w", name, err)
	}
	if note != "" {
		in.notes = append(in.notes, fmt.Sprintf("input %q: %s", name, note))
	}
	in.values[i] = v
	return nil
}

// value reads the value of one input from a file or literal.
func (f *inputFlags) value(source string, info gort.ValueInfo) (v tensor.Value, note string, err error) {
	if literal, ok := strings.CutPrefix(source, "@"); ok {
		shape, _ := f.shapes.shape(info)
		v, err = parseLiteral(literal, info.Type, shape)
		return v, "", err
	}
	if isImageFile(source) {
		return f.image.read(source, info, &f.shapes)
	}
	v, err = readFile(source, info.Type)
	return v, "", err
}

// fit adapts a value to an input's declared type where nothing of meaning
// changes: an optional holds it, one element in dimensions of 1 is a scalar, and
// elements are converted between float types, and between integer types when all
// of them fit.
func fit(v tensor.Value, want graph.Type) (tensor.Value, string, error) {
	if _, ok := v.(*tensor.Optional); !ok && want.Kind == tensor.KindOptional {
		inner, note, err := fit(v, *want.Elem)
		return &tensor.Optional{Elem: elemType(want), Value: inner}, note, err
	}
	t, ok := v.(*tensor.Tensor)
	if !ok || !want.IsTensor() || !want.DType.Valid() {
		return v, "", nil
	}
	if want.Shape.HasRank(0) && t.Size() == 1 {
		if t = t.Contiguous(); t.Rank() > 0 {
			scalar, err := t.Reshape([]int{}...)
			if err != nil {
				return nil, "", err
			}
			t = scalar
		}
	}
	if t.DType() == want.DType {
		return t, "", nil
	}
	from, to := t.DType().Class(), want.DType.Class()
	whole := func(c tensor.Class) bool { return c == tensor.ClassInt || c == tensor.ClassUint }
	if !(from == tensor.ClassFloat && to == tensor.ClassFloat) && !(whole(from) && whole(to)) {
		return t, "", nil // the session says what it takes
	}
	c, err := tensor.Convert(t, want.DType, tensor.ConvertOptions{})
	if err != nil {
		return nil, "", err
	}
	if whole(from) {
		back, err := tensor.Convert(c, t.DType(), tensor.ConvertOptions{})
		if err != nil {
			return nil, "", err
		}
		if tensor.Compare(back, t, 0, 0) != nil {
			return nil, "", fmt.Errorf("%v holds numbers that the model's %v can not", t.DType(), want.DType)
		}
	}
	return c, fmt.Sprintf("converted from %v to %v", t.DType(), want.DType), nil
}

// extension is a file's type, in lower case and without .gz.
func extension(file string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(file), ".gz"))
}
