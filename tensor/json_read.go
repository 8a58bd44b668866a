package tensor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxJSONRank bounds the nesting of lists.
const maxJSONRank = 64

// FromJSON reads a tensor from nested lists of numbers, strings or bools, or from
// the object that ToJSON makes, whose data may also be one flat list. The element
// type is want; when that is Undefined it is the object's, or else Bool, String,
// Int64 for integers and Float32 for other numbers. Integers must fit their type;
// floats round to nearest without saturating, so that an Infinity stays one where
// the type has it, but a number beyond float32 or float64 is an error.
// "NaN", "Infinity" and "-Infinity" are numbers where numbers are wanted. Errors
// are *FormatError.
func FromJSON(data []byte, want DType) (*Tensor, error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return fromLists(data, want, nil)
	}
	var object struct {
		DType string          `json:"dtype"`
		Shape *Shape          `json:"shape"`
		Data  json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, jsonError(err)
	}
	if object.Data == nil {
		return nil, jsonFailure("the object has no data")
	}
	if object.DType != "" && want == Undefined {
		d, err := ParseDType(object.DType)
		if err != nil {
			return nil, jsonFailure("unknown element type " + strconv.Quote(object.DType))
		}
		want = d
	}
	return fromLists(object.Data, want, object.Shape)
}

func jsonFailure(reason string) error {
	return &FormatError{Format: "json", Offset: -1, Reason: reason}
}

func jsonError(err error) error {
	e := &FormatError{Format: "json", Offset: -1, Reason: "not valid JSON", Err: err}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		e.Offset = syntax.Offset
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		e.Offset = kind.Offset
	}
	return e
}

// fromLists makes a tensor of lists, whose shape must be the one declared, if any,
// unless they are flat.
func fromLists(data []byte, want DType, declared *Shape) (*Tensor, error) {
	p := &listParser{dec: json.NewDecoder(bytes.NewReader(data)), leafDepth: -1}
	p.dec.UseNumber()
	if err := p.value(0); err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, p.fail("something follows the value")
	}
	if want == Undefined {
		want = inferDType(p.leaves)
	}
	if !want.Valid() {
		return nil, jsonFailure("cannot make a tensor of " + want.String())
	}
	if want.Class() == ClassComplex {
		last := len(p.dims) - 1
		if last < 0 || p.dims[last] != 2 && len(p.leaves) > 0 {
			return nil, jsonFailure("a complex number is a list [re, im]")
		}
		if len(p.leaves) > 0 {
			p.dims = p.dims[:last]
		}
	}
	shape := p.dims
	if declared != nil && !declared.Equal(shape) {
		n, err := declared.NumElements()
		if err != nil {
			return nil, &FormatError{Format: "json", Offset: -1, Reason: "shape", Err: err}
		}
		if have, _ := shape.NumElements(); len(shape) != 1 || have != n {
			return nil, jsonFailure(fmt.Sprintf("data of shape %v for a tensor of shape %v", shape, *declared))
		}
		shape = *declared
	}
	t, err := elementsFromJSON(want, p.leaves, shape)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// listParser collects the leaves of nested lists in order and their shape.
type listParser struct {
	dec       *json.Decoder
	dims      Shape // -1 while the first list of that depth is open
	leafDepth int   // -1 before the first leaf
	leaves    []any // json.Number, string or bool
}

func (p *listParser) fail(reason string) error {
	return &FormatError{Format: "json", Offset: p.dec.InputOffset(), Reason: reason}
}

func (p *listParser) value(depth int) error {
	token, err := p.dec.Token()
	if err != nil {
		return jsonError(err)
	}
	switch token {
	case json.Delim('['):
		return p.list(depth)
	case json.Delim('{'):
		return p.fail("an object in the place of an element")
	case nil:
		return p.fail("null in the place of an element")
	}
	if depth != len(p.dims) || p.leafDepth >= 0 && p.leafDepth != depth {
		return p.fail("lists are nested unevenly")
	}
	p.leafDepth = depth
	p.leaves = append(p.leaves, token)
	return nil
}

func (p *listParser) list(depth int) error {
	switch {
	case depth == maxJSONRank:
		return p.fail(fmt.Sprintf("lists are nested more than %d deep", maxJSONRank))
	case depth == p.leafDepth:
		return p.fail("lists are nested unevenly")
	case depth == len(p.dims):
		p.dims = append(p.dims, -1)
	}
	n := 0
	for ; p.dec.More(); n++ {
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return jsonError(err)
	}
	if p.dims[depth] >= 0 && p.dims[depth] != n {
		return p.fail(fmt.Sprintf("a list of %d where those before have %d", n, p.dims[depth]))
	}
	p.dims[depth] = n
	return nil
}

func inferDType(leaves []any) DType {
	kinds := map[DType]int{}
	for _, leaf := range leaves {
		switch v := leaf.(type) {
		case bool:
			kinds[Bool]++
		case string:
			kinds[String]++
		case json.Number:
			if bytes.ContainsAny([]byte(v), ".eE") {
				kinds[Float32]++
			} else {
				kinds[Int64]++
			}
		}
	}
	for _, d := range []DType{Bool, String, Int64} {
		if kinds[d] == len(leaves) && len(leaves) > 0 {
			return d
		}
	}
	return Float32 // and an error later if there are others than numbers
}

func elementsFromJSON(want DType, leaves []any, shape Shape) (*Tensor, error) {
	switch want.Class() {
	case ClassString:
		return collect(leaves, shape, want, func(leaf any) (string, bool) { s, ok := leaf.(string); return s, ok })
	case ClassBool:
		return collect(leaves, shape, want, jsonBool)
	case ClassInt, ClassUint:
		if want == Uint64 {
			return collect(leaves, shape, want, func(leaf any) (uint64, bool) {
				n, ok := leaf.(json.Number)
				v, err := strconv.ParseUint(string(n), 10, 64)
				return v, ok && err == nil
			})
		}
		return collect(leaves, shape, want, func(leaf any) (int64, bool) { return jsonInt(leaf, want) })
	case ClassComplex:
		parts, err := collect(leaves, Shape{len(leaves)}, Float64, jsonFloat)
		if err != nil {
			return nil, err
		}
		wide, err := FromBytes(Complex128, parts.data, shape...)
		if err != nil {
			return nil, jsonFailure(err.Error())
		}
		return Convert(wide, want, ConvertOptions{})
	}
	if want == Float32 {
		return collect(leaves, shape, want, func(leaf any) (float32, bool) {
			v, ok := jsonFloatBits(leaf, 32)
			return float32(v), ok
		})
	}
	return collect(leaves, shape, want, jsonFloat)
}

// collect reads all leaves as T and converts them to the wanted type.
func collect[T Element](leaves []any, shape Shape, want DType, read func(any) (T, bool)) (*Tensor, error) {
	elems := make([]T, len(leaves))
	for i, leaf := range leaves {
		v, ok := read(leaf)
		if !ok {
			return nil, jsonFailure(fmt.Sprintf("element %d, %v, is not a %v", i, leaf, want))
		}
		elems[i] = v
	}
	t, err := FromSlice(elems, shape.Clone()...) // not nil, which would mean one dimension
	if err != nil {
		return nil, jsonFailure(err.Error())
	}
	if t.dtype == want {
		return t, nil
	}
	return Convert(t, want, ConvertOptions{NoSaturate: true, Round: RoundNearest})
}

// jsonBool also takes 0 and 1.
func jsonBool(leaf any) (bool, bool) {
	switch v := leaf.(type) {
	case bool:
		return v, true
	case json.Number:
		return v == "1", v == "0" || v == "1"
	}
	return false, false
}

// jsonInt also takes an integer written as a float, such as 2.0 or 1e3.
func jsonInt(leaf any, want DType) (int64, bool) {
	n, ok := leaf.(json.Number)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(n), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, false
		}
		v = int64(f)
	}
	bits := want.Bits()
	if want.Class() == ClassUint {
		return v, v >= 0 && v < 1<<bits
	}
	return v, v >= -1<<(bits-1) && v <= 1<<(bits-1)-1
}

func jsonFloat(leaf any) (float64, bool) { return jsonFloatBits(leaf, 64) }

func jsonFloatBits(leaf any, bits int) (float64, bool) {
	switch v := leaf.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), bits)
		return f, err == nil
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
	}
	return 0, false
}
