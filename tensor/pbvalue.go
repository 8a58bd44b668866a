package tensor

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
)

// ReadPB reads a value from the protobuf form in which ONNX stores test data. The
// message kind is not in the bytes: it follows want, the declared type. Undefined
// element types in want match any; others must be what the message holds.
func ReadPB(data []byte, want Type) (Value, error) {
	var v Value
	var err error
	switch want.Kind {
	case KindTensor:
		v, err = readMessage(data, new(onnxpb.TensorProto), func(p *onnxpb.TensorProto) (Value, error) {
			return tensorValue(FromProto(p))
		})
	case KindSequence:
		v, err = readMessage(data, new(onnxpb.SequenceProto), func(p *onnxpb.SequenceProto) (Value, error) {
			return sequenceFromProto(p, elemOf(want))
		})
	case KindOptional:
		v, err = readMessage(data, new(onnxpb.OptionalProto), func(p *onnxpb.OptionalProto) (Value, error) {
			return optionalFromProto(p, elemOf(want))
		})
	case KindMap:
		v, err = readMessage(data, new(onnxpb.MapProto), func(p *onnxpb.MapProto) (Value, error) {
			return mapFromProto(p, elemOf(want))
		})
	default:
		return nil, fmt.Errorf("tensor: no protobuf message is read for the type %v", want)
	}
	if err != nil {
		return nil, err
	}
	if got := v.Type(); !got.fits(want) {
		return nil, fmt.Errorf("tensor: the message holds %v, not %v", got, want)
	}
	return v, nil
}

// WritePB writes a value in the form that ReadPB reads.
func WritePB(v Value) ([]byte, error) {
	m, err := valueToProto(v)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(m)
}

func readMessage[M proto.Message](data []byte, m M, convert func(M) (Value, error)) (Value, error) {
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("tensor: %d bytes are no %s: %w", len(data), m.ProtoReflect().Descriptor().Name(), err)
	}
	return convert(m)
}

// tensorValue keeps a nil *Tensor from becoming a non-nil Value.
func tensorValue(t *Tensor, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

func elemOf(t Type) Type {
	if t.Elem == nil {
		return Type{}
	}
	return *t.Elem
}

// fits reports whether t is want where want says anything, and equally in elements.
func (t Type) fits(want Type) bool {
	switch {
	case want.Kind == KindNone || t.Kind == KindNone:
		return true
	case t.Kind != want.Kind:
		return false
	case want.DType != Undefined && t.DType != Undefined && t.DType != want.DType:
		return false
	case want.Key != Undefined && t.Key != want.Key:
		return false
	}
	return t.Elem == nil || want.Elem == nil || t.Elem.fits(*want.Elem)
}

// declared returns the element type of a container: what was declared for it,
// completed by what its first item shows.
func declared(elem Type, first Value) Type {
	if first != nil && (elem.Kind == KindNone || elem.Kind == KindTensor && elem.DType == Undefined) {
		return first.Type()
	}
	return elem
}

func sequenceFromProto(p *onnxpb.SequenceProto, elem Type) (*Sequence, error) {
	items, err := sequenceItems(p, elem)
	if err != nil {
		return nil, err
	}
	s := &Sequence{Elem: elem, Items: items}
	if len(items) > 0 {
		s.Elem = declared(elem, items[0])
	}
	for i, v := range items {
		if !v.Type().fits(s.Elem) {
			return nil, fmt.Errorf("tensor: sequence %q: item %d is %v in a sequence of %v", p.GetName(), i, v.Type(), s.Elem)
		}
	}
	return s, nil
}

func sequenceItems(p *onnxpb.SequenceProto, elem Type) ([]Value, error) {
	switch kind := onnxpb.SequenceProto_DataType(p.GetElemType()); kind {
	case onnxpb.SequenceProto_UNDEFINED:
		if len(p.TensorValues)+len(p.SequenceValues)+len(p.MapValues)+len(p.OptionalValues)+len(p.SparseTensorValues) > 0 {
			return nil, fmt.Errorf("tensor: sequence %q has items but no element type", p.GetName())
		}
		return nil, nil
	case onnxpb.SequenceProto_TENSOR:
		return itemsFromProto(p, p.TensorValues, func(t *onnxpb.TensorProto) (Value, error) { return tensorValue(FromProto(t)) })
	case onnxpb.SequenceProto_SEQUENCE:
		return itemsFromProto(p, p.SequenceValues, func(s *onnxpb.SequenceProto) (Value, error) { return sequenceFromProto(s, elemOf(elem)) })
	case onnxpb.SequenceProto_MAP:
		return itemsFromProto(p, p.MapValues, func(m *onnxpb.MapProto) (Value, error) { return mapFromProto(m, elemOf(elem)) })
	case onnxpb.SequenceProto_OPTIONAL:
		return itemsFromProto(p, p.OptionalValues, func(o *onnxpb.OptionalProto) (Value, error) { return optionalFromProto(o, elemOf(elem)) })
	default:
		return nil, fmt.Errorf("tensor: sequence %q: elements of kind %v are not supported", p.GetName(), kind)
	}
}

func itemsFromProto[P any](p *onnxpb.SequenceProto, from []P, convert func(P) (Value, error)) ([]Value, error) {
	items := make([]Value, len(from))
	for i, m := range from {
		v, err := convert(m)
		if err != nil {
			return nil, fmt.Errorf("tensor: sequence %q: item %d: %w", p.GetName(), i, err)
		}
		items[i] = v
	}
	return items, nil
}

func optionalFromProto(p *onnxpb.OptionalProto, elem Type) (*Optional, error) {
	var v Value
	var err error
	switch kind := onnxpb.OptionalProto_DataType(p.GetElemType()); {
	case kind == onnxpb.OptionalProto_UNDEFINED:
	case kind == onnxpb.OptionalProto_TENSOR && p.TensorValue != nil:
		v, err = tensorValue(FromProto(p.TensorValue))
	case kind == onnxpb.OptionalProto_SEQUENCE && p.SequenceValue != nil:
		v, err = sequenceFromProto(p.SequenceValue, elemOf(elem))
	case kind == onnxpb.OptionalProto_MAP && p.MapValue != nil:
		v, err = mapFromProto(p.MapValue, elemOf(elem))
	case kind == onnxpb.OptionalProto_OPTIONAL && p.OptionalValue != nil:
		v, err = optionalFromProto(p.OptionalValue, elemOf(elem))
	case kind == onnxpb.OptionalProto_SPARSE_TENSOR || kind < 0 || kind > onnxpb.OptionalProto_OPTIONAL:
		return nil, fmt.Errorf("tensor: optional %q: an element of kind %v is not supported", p.GetName(), kind)
	}
	if err != nil {
		return nil, fmt.Errorf("tensor: optional %q: %w", p.GetName(), err)
	}
	return &Optional{Elem: declared(elem, v), Value: v}, nil
}

func mapFromProto(p *onnxpb.MapProto, value Type) (*Map, error) {
	keys, err := protoKeys(p)
	if err != nil {
		return nil, err
	}
	values := p.Values
	if values == nil {
		values = new(onnxpb.SequenceProto)
	}
	s, err := sequenceFromProto(values, value)
	if err != nil {
		return nil, fmt.Errorf("tensor: map %q: %w", p.GetName(), err)
	}
	// Some writers give all values as one tensor of as many elements as keys.
	if len(s.Items) == 1 && keys.size != 1 {
		if t, ok := s.Items[0].(*Tensor); ok && t.Rank() == 1 && t.size == keys.size {
			return &Map{Keys: keys, Values: t}, nil
		}
	}
	if len(s.Items) != keys.size {
		return nil, fmt.Errorf("tensor: map %q has %d keys and %d values", p.GetName(), keys.size, len(s.Items))
	}
	if t := joinScalars(s.Items); t != nil {
		return &Map{Keys: keys, Values: t}, nil
	}
	return &Map{Keys: keys, Values: s}, nil
}

func protoKeys(p *onnxpb.MapProto) (*Tensor, error) {
	n := p.GetKeyType()
	if n <= 0 || n >= int32(numDTypes) {
		return nil, fmt.Errorf("tensor: map %q: keys of type %d", p.GetName(), n)
	}
	d := DType(n)
	var lo, hi int64
	switch d {
	case String:
		if len(p.Keys) > 0 {
			return nil, fmt.Errorf("tensor: map %q: keys are strings and integers", p.GetName())
		}
		keys := make([]string, len(p.StringKeys))
		for i, k := range p.StringKeys {
			keys[i] = string(k)
		}
		return FromSlice(keys)
	case Uint64:
		lo, hi = math.MinInt64, math.MaxInt64 // the field holds their bits
	case Int8, Int16, Int32, Int64:
		lo, hi = int64(-1)<<(d.Bits()-1), int64(1)<<(d.Bits()-1)-1
	case Uint8, Uint16, Uint32:
		lo, hi = 0, int64(1)<<d.Bits()-1
	default:
		return nil, fmt.Errorf("tensor: map %q: keys can not be %v", p.GetName(), d)
	}
	if len(p.StringKeys) > 0 {
		return nil, fmt.Errorf("tensor: map %q: keys are strings, not %v", p.GetName(), d)
	}
	width := d.Bits() / 8
	data := make([]byte, len(p.Keys)*width)
	for i, k := range p.Keys {
		if k < lo || k > hi {
			return nil, fmt.Errorf("tensor: map %q: key %d is no %v", p.GetName(), k, d)
		}
		for b := range width {
			data[i*width+b] = byte(k >> (8 * b))
		}
	}
	return FromBytes(d, data, len(p.Keys))
}

// joinScalars makes one vector of scalars of one type; nil when they are not that.
func joinScalars(items []Value) *Tensor {
	if len(items) == 0 {
		return nil
	}
	first, ok := items[0].(*Tensor)
	if !ok || first.dtype.Packed() {
		return nil
	}
	for _, v := range items {
		if t, ok := v.(*Tensor); !ok || t.Rank() != 0 || t.dtype != first.dtype {
			return nil
		}
	}
	all := Must(New(first.dtype, len(items)))
	for i, v := range items {
		copyElements(Must(all.View(Shape{}, nil, i)), v.(*Tensor))
	}
	return all
}

func valueToProto(v Value) (proto.Message, error) {
	switch v := v.(type) {
	case *Tensor:
		return ToProto(v), nil
	case *Sequence:
		return sequenceToProto(v.Items, v.Elem)
	case *Optional:
		return optionalToProto(v)
	case *Map:
		return mapToProto(v)
	}
	return nil, fmt.Errorf("tensor: no protobuf message for %T", v)
}

// containerKinds gives the number that both SequenceProto and OptionalProto use
// for a kind of element.
var containerKinds = map[Kind]int32{
	KindTensor:   int32(onnxpb.SequenceProto_TENSOR),
	KindSequence: int32(onnxpb.SequenceProto_SEQUENCE),
	KindMap:      int32(onnxpb.SequenceProto_MAP),
	KindOptional: int32(onnxpb.SequenceProto_OPTIONAL),
}

func sequenceToProto(items []Value, elem Type) (*onnxpb.SequenceProto, error) {
	if len(items) > 0 {
		elem = declared(elem, items[0])
	}
	p := &onnxpb.SequenceProto{ElemType: new(containerKinds[elem.Kind])}
	for i, v := range items {
		if k := v.Type().Kind; k != elem.Kind {
			return nil, fmt.Errorf("tensor: item %d is %v in a sequence of %v", i, v.Type(), elem)
		}
		m, err := valueToProto(v)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *onnxpb.TensorProto:
			p.TensorValues = append(p.TensorValues, m)
		case *onnxpb.SequenceProto:
			p.SequenceValues = append(p.SequenceValues, m)
		case *onnxpb.OptionalProto:
			p.OptionalValues = append(p.OptionalValues, m)
		case *onnxpb.MapProto:
			p.MapValues = append(p.MapValues, m)
		}
	}
	return p, nil
}

func optionalToProto(o *Optional) (*onnxpb.OptionalProto, error) {
	if o.Value == nil {
		return &onnxpb.OptionalProto{ElemType: new(int32(onnxpb.OptionalProto_UNDEFINED))}, nil
	}
	m, err := valueToProto(o.Value)
	if err != nil {
		return nil, err
	}
	p := &onnxpb.OptionalProto{ElemType: new(containerKinds[o.Value.Type().Kind])}
	switch m := m.(type) {
	case *onnxpb.TensorProto:
		p.TensorValue = m
	case *onnxpb.SequenceProto:
		p.SequenceValue = m
	case *onnxpb.OptionalProto:
		p.OptionalValue = m
	case *onnxpb.MapProto:
		p.MapValue = m
	}
	return p, nil
}

func mapToProto(m *Map) (*onnxpb.MapProto, error) {
	keys := m.Keys.Contiguous()
	p := &onnxpb.MapProto{KeyType: new(int32(keys.dtype))}
	if keys.dtype == String {
		for _, k := range Elements[string](keys) {
			p.StringKeys = append(p.StringKeys, []byte(k))
		}
	} else if c := keys.dtype.Class(); (c != ClassInt && c != ClassUint) || keys.dtype.Packed() {
		return nil, fmt.Errorf("tensor: the keys of a map can not be %v", keys.dtype)
	} else {
		p.Keys = integerKeys(keys)
	}
	var items []Value
	elem := elemOf(m.Type())
	switch v := m.Values.(type) {
	case *Sequence:
		items = v.Items
	case *Tensor:
		if v.Rank() != 1 {
			return nil, fmt.Errorf("tensor: the values of a map are a vector, not %v", v)
		}
		for i := range v.size {
			items = append(items, Must(v.View(Shape{}, nil, v.offset+i*v.Strides()[0])))
		}
	default:
		return nil, fmt.Errorf("tensor: the values of a map can not be %T", v)
	}
	if len(items) != keys.size {
		return nil, fmt.Errorf("tensor: map of %d keys and %d values", keys.size, len(items))
	}
	var err error
	p.Values, err = sequenceToProto(items, elem)
	return p, err
}

// integerKeys widens contiguous integers of 8 to 64 bits to int64, uint64 by bits.
func integerKeys(t *Tensor) []int64 {
	out := make([]int64, t.size)
	width := t.dtype.Bits() / 8
	data := t.data[t.offset*width:]
	for i := range out {
		var v uint64
		for b := range width {
			v |= uint64(data[i*width+b]) << (8 * b)
		}
		shift := 64 - t.dtype.Bits()
		if t.dtype.Class() == ClassInt {
			out[i] = int64(v<<shift) >> shift
		} else {
			out[i] = int64(v)
		}
	}
	return out
}
