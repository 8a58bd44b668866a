package onnx

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gort/internal/onnxpb"
)

// unmarshal reads a ModelProto whose tensors' raw_data alias data.
//
// The protobuf library copies every bytes field (its AliasBuffer flag reaches
// only lazily decoded messages), which for a model means its weights. So the wire
// is walked first: the walk writes a skeleton, the same message with each raw_data
// replaced by four bytes, its index in a list of the real ones. The library
// decodes the skeleton, and the real bytes are then put back. Because every
// raw_data that is not empty becomes an index, none can be mistaken for one.
//
// The same walk enforces the limits and finds truncation, before the library
// allocates a message: two bytes on the wire can cost hundreds in memory.
func unmarshal(data []byte, limits Limits) (*onnxpb.ModelProto, error) {
	s := scanner{limits: limits}
	if err := s.message(data, modelLayout(), 0, 1, true); err != nil {
		return nil, err
	}
	m := new(onnxpb.ModelProto)
	opts := proto.UnmarshalOptions{RecursionLimit: int(min(limits.MaxDepth, 1<<20)) + 1}
	if err := opts.Unmarshal(s.skeleton, m); err != nil {
		return nil, &FormatError{Reason: err.Error(), Err: fmt.Errorf("%w: %w", ErrTruncated, err)}
	}
	for t := range tensorsOfModel(m) {
		if len(t.RawData) > 0 {
			t.RawData = s.raw[binary.LittleEndian.Uint32(t.RawData)]
		}
	}
	return m, nil
}

// scanner walks the wire form of a model.
type scanner struct {
	limits   Limits
	nodes    int64
	messages int64
	strings  int64
	skeleton []byte
	raw      [][]byte
}

// lengthRoom is the size of a length prefix in the skeleton, whose value is known
// only after the message: a varint padded to 35 bits, which decoders accept.
const lengthRoom = 5

// message checks one message, which starts at byte at of the file, and with emit
// writes its skeleton. Messages that can hold no tensor are copied by the caller.
func (s *scanner) message(b []byte, l *layout, at, depth int, emit bool) error {
	if err := s.admit(l, at, depth); err != nil {
		return err
	}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return truncated(l, at, n)
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return truncated(l, at, m)
		}
		whole := b[:n+m]
		var f field
		if typ == protowire.BytesType {
			f = l.field(num)
		}
		var err error
		switch {
		case f.message != nil:
			err = s.submessage(whole, n, f.message, at, depth, emit)
		case f.raw && emit:
			s.lift(whole, n)
		case f.text:
			err = s.text(l, at, m)
			fallthrough
		default:
			if emit {
				s.skeleton = append(s.skeleton, whole...)
			}
		}
		if err != nil {
			return err
		}
		b = b[n+m:]
		at += n + m
	}
	return nil
}

// admit counts a message against the limits.
func (s *scanner) admit(l *layout, at, depth int) error {
	where := func() string { return fmt.Sprintf("%s at byte %d", l.name, at) }
	if int64(depth) > s.limits.MaxDepth {
		return &LimitError{"MaxDepth", where(), int64(depth), s.limits.MaxDepth}
	}
	if s.messages++; s.messages > s.limits.MaxMessages {
		return &LimitError{"MaxMessages", where(), s.messages, s.limits.MaxMessages}
	}
	if l.node {
		if s.nodes++; s.nodes > s.limits.MaxNodes {
			return &LimitError{"MaxNodes", where(), s.nodes, s.limits.MaxNodes}
		}
	}
	return nil
}

// text counts a string or bytes field of about size bytes against the limits.
func (s *scanner) text(l *layout, at, size int) error {
	what, value, limit := "MaxString", int64(size), s.limits.MaxString
	if s.strings++; s.strings > s.limits.MaxStrings {
		what, value, limit = "MaxStrings", s.strings, s.limits.MaxStrings
	}
	if value <= limit {
		return nil
	}
	return &LimitError{what, fmt.Sprintf("%s at byte %d", l.name, at), value, limit}
}

// submessage handles a length-delimited field whose tag takes the first n bytes.
func (s *scanner) submessage(whole []byte, n int, l *layout, at, depth int, emit bool) error {
	body, _ := protowire.ConsumeBytes(whole[n:])
	at += len(whole) - len(body)
	if !emit || !l.tensors {
		if emit {
			s.skeleton = append(s.skeleton, whole...)
		}
		return s.message(body, l, at, depth+1, false)
	}
	s.skeleton = append(s.skeleton, whole[:n]...)
	start := len(s.skeleton)
	s.skeleton = append(s.skeleton, make([]byte, lengthRoom)...)
	if err := s.message(body, l, at, depth+1, true); err != nil {
		return err
	}
	putPaddedVarint(s.skeleton[start:][:lengthRoom], uint64(len(s.skeleton)-start-lengthRoom))
	return nil
}

// lift replaces a raw_data field by the index of its bytes.
func (s *scanner) lift(whole []byte, n int) {
	raw, _ := protowire.ConsumeBytes(whole[n:])
	if len(raw) == 0 {
		s.skeleton = append(s.skeleton, whole...)
		return
	}
	s.skeleton = append(s.skeleton, whole[:n]...)
	s.skeleton = protowire.AppendBytes(s.skeleton, binary.LittleEndian.AppendUint32(nil, uint32(len(s.raw))))
	s.raw = append(s.raw, raw[:len(raw):len(raw)])
}

func putPaddedVarint(dst []byte, v uint64) {
	for i := range dst {
		dst[i] = byte(v>>(7*i)) | 0x80
	}
	dst[len(dst)-1] &^= 0x80
}

func truncated(l *layout, at, code int) error {
	return &FormatError{
		Where:  fmt.Sprintf("%s at byte %d", l.name, at),
		Reason: protowire.ParseError(code).Error(),
		Err:    ErrTruncated,
	}
}
