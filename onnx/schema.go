package onnx

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gort/internal/onnxpb"
)

// layout is what the wire scan knows of a message type: which of its fields are
// messages, which are strings, and which carries a tensor's bytes.
type layout struct {
	name    protoreflect.Name
	fields  []field // by field number; the zero field is one to step over
	tensors bool    // a tensor can lie inside, at any depth
	node    bool
}

type field struct {
	message *layout
	text    bool // a string or bytes, of bounded length
	raw     bool // TensorProto.raw_data
}

func (l *layout) field(n protowire.Number) field {
	if int(n) < len(l.fields) {
		return l.fields[n]
	}
	return field{}
}

// modelLayout is made from the message descriptors, so that it can not differ
// from what protobuf will do with the same bytes.
var modelLayout = sync.OnceValue(func() *layout {
	known := map[protoreflect.FullName]*layout{}
	root := layoutOf((*onnxpb.ModelProto)(nil).ProtoReflect().Descriptor(), known)
	// Types refer to each other in rings, so whether a tensor lies inside is found
	// by repeating until nothing changes.
	for changed := true; changed; {
		changed = false
		for _, l := range known {
			for _, f := range l.fields {
				if inside := f.raw || f.message != nil && f.message.tensors; inside && !l.tensors {
					l.tensors, changed = true, true
				}
			}
		}
	}
	return root
})

func layoutOf(d protoreflect.MessageDescriptor, known map[protoreflect.FullName]*layout) *layout {
	if l := known[d.FullName()]; l != nil {
		return l
	}
	l := &layout{name: d.Name(), node: d.FullName() == (*onnxpb.NodeProto)(nil).ProtoReflect().Descriptor().FullName()}
	known[d.FullName()] = l
	tensor := (*onnxpb.TensorProto)(nil).ProtoReflect().Descriptor().FullName()
	for i := range d.Fields().Len() {
		fd := d.Fields().Get(i)
		for int(fd.Number()) >= len(l.fields) {
			l.fields = append(l.fields, field{})
		}
		f := &l.fields[fd.Number()]
		switch fd.Kind() {
		case protoreflect.MessageKind:
			f.message = layoutOf(fd.Message(), known)
		case protoreflect.BytesKind:
			f.raw = d.FullName() == tensor && fd.Name() == "raw_data"
			f.text = !f.raw
		case protoreflect.StringKind:
			f.text = true
		}
	}
	return l
}
