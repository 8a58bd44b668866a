package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"

	"gort"
	"gort/tensor"
)

// shapeFlags give sizes to what a model leaves open.
type shapeFlags struct {
	shapes map[string]tensor.Shape // by input; "" is the only one
	dims   map[string]int          // by symbol
}

func (f *shapeFlags) register(fs *flag.FlagSet) {
	f.shapes, f.dims = map[string]tensor.Shape{}, map[string]int{}
	fs.Func("shape", "`SHAPE` of an input: NAME=1x3x224x224, NAME=scalar, or no NAME for a single input; repeatable", func(s string) error {
		name, text, found := cutLast(s)
		if !found {
			name, text = "", s
		}
		shape, err := parseShape(text)
		if err == nil {
			f.shapes[name] = shape
		}
		return err
	})
	fs.Func("dim", "size of a symbolic dimension: `NAME=N`; repeatable; others are 1", func(s string) error {
		name, text, found := cutLast(s)
		if !found {
			return fmt.Errorf("want NAME=N")
		}
		n, err := parseSize(text)
		if err == nil {
			f.dims[name] = n
		}
		return err
	})
}

// cutLast splits at the last "=", because names of tensors may hold one.
func cutLast(s string) (name, value string, found bool) {
	i := strings.LastIndexByte(s, '=')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// parseShape reads 1x3x224x224, 1,3,224,224 or scalar.
func parseShape(s string) (tensor.Shape, error) {
	if s == "scalar" {
		return tensor.Shape{}, nil
	}
	shape := tensor.Shape{}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == 'x' || r == 'X' || r == ',' }) {
		n, err := parseSize(part)
		if err != nil {
			return nil, err
		}
		shape = append(shape, n)
	}
	if len(shape) == 0 {
		return nil, fmt.Errorf("%q is no shape such as 1x3x224x224 or scalar", s)
	}
	_, err := shape.NumElements()
	return shape, err
}

func parseSize(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no size", s)
	}
	return n, nil
}

// check refuses shapes and dimensions that the model does not have.
func (f *shapeFlags) check(inputs []gort.ValueInfo) error {
	if shape, ok := f.shapes[""]; ok {
		if len(inputs) != 1 {
			return usagef("--shape %v does not say which of the inputs it is for: %s", shape, inputNames(inputs))
		}
		delete(f.shapes, "")
		f.shapes[inputs[0].Name] = shape
	}
	for name := range f.shapes {
		if inputIndex(inputs, name) < 0 {
			return usagef("--shape %s=…: the model has no such input, only %s", name, inputNames(inputs))
		}
	}
	symbols := map[string]bool{}
	var known []string
	for _, in := range inputs {
		for _, d := range in.Type.Shape.Dims() {
			if s := d.Name(); s != "" && !symbols[s] {
				symbols[s] = true
				known = append(known, s)
			}
		}
	}
	for name := range f.dims {
		if !symbols[name] {
			return usagef("--dim %s=…: no input has such a dimension; there are: %s", name, orNone(known))
		}
	}
	return nil
}

// shape returns an input's shape with everything open filled in, and whether
// anything had to be made up.
func (f *shapeFlags) shape(in gort.ValueInfo) (s tensor.Shape, madeUp bool) {
	if s, ok := f.shapes[in.Name]; ok {
		return s, false
	}
	if !in.Type.Shape.IsRanked() {
		return tensor.Shape{1}, true
	}
	s = tensor.Shape{}
	for _, d := range in.Type.Shape.Dims() {
		n, ok := d.Size()
		if !ok {
			n, ok = f.dims[d.Name()]
		}
		if !ok {
			n, madeUp = 1, true
		}
		s = append(s, n)
	}
	return s, madeUp
}

func inputIndex(inputs []gort.ValueInfo, name string) int {
	for i, in := range inputs {
		if in.Name == name {
			return i
		}
	}
	return -1
}

func inputNames(inputs []gort.ValueInfo) string {
	var names []string
	for _, in := range inputs {
		names = append(names, in.Name)
	}
	return orNone(names)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
