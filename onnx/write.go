package onnx

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gort/internal/onnxpb"
	"gort/tensor"
)

// SaveOptions says where Save puts the data of initializers.
type SaveOptions struct {
	// ExternalFile is the name of a file beside the model that takes the data of
	// large initializers. Empty keeps everything in the model file, which then can
	// not be larger than 2 GiB.
	ExternalFile string
	// ExternalDataThreshold is the size in bytes from which an initializer goes to
	// ExternalFile; 0 means 1024.
	ExternalDataThreshold int64
}

// externalAlign is where each tensor in an external file begins: a multiple of the
// page size, so that it can be mapped alone.
const externalAlign = 4096

// Write writes the model to a stream. Data that is in external files stays there,
// and the references to it are written as they are; Save brings it along.
func (m *Model) Write(w io.Writer) error {
	if err := m.open(); err != nil {
		return err
	}
	return write(w, m.proto)
}

func write(w io.Writer, p *onnxpb.ModelProto) error {
	if n := int64(proto.Size(p)); n > math.MaxInt32 {
		return &FormatError{
			Reason: fmt.Sprintf("the model takes %d bytes, a protobuf file can have %d", n, math.MaxInt32),
			Remedy: "save it with an ExternalFile",
		}
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	_, err = w.Write(data)
	return err
}

// Save writes the model to a file, and with an ExternalFile the data of large
// initializers to a second one in the same directory. Data that was in external
// files is brought along. Existing files are replaced as a whole: a reader sees
// the old content or the new, and a failed Save leaves the old.
func (m *Model) Save(name string, opts SaveOptions) error {
	if err := m.open(); err != nil {
		return err
	}
	// The copy shares every tensor's bytes; only the fields set below are its own.
	p := sharingClone(m.proto.ProtoReflect()).Interface().(*onnxpb.ModelProto)
	for t := range tensorsOfModel(p) {
		if t.GetDataLocation() == onnxpb.TensorProto_EXTERNAL {
			if err := m.bring(t); err != nil {
				return withPath(err, m.path)
			}
		}
	}
	if opts.ExternalFile == "" {
		return replaceFile(name, func(w io.Writer) error { return write(w, p) })
	}
	if filepath.Base(opts.ExternalFile) != opts.ExternalFile || !filepath.IsLocal(opts.ExternalFile) {
		return &FormatError{Path: name, Reason: fmt.Sprintf("the external file %s is not a plain file name", quote(opts.ExternalFile)), Err: ErrEscape}
	}
	if opts.ExternalFile == filepath.Base(name) {
		return &FormatError{Path: name, Reason: "the external file can not be the model file itself"}
	}
	side := filepath.Join(filepath.Dir(name), opts.ExternalFile)
	err := replaceFile(side, func(w io.Writer) error { return moveOut(p, w, opts) })
	if err != nil {
		return err
	}
	return replaceFile(name, func(w io.Writer) error { return write(w, p) })
}

// bring makes an external tensor an ordinary one that aliases the external bytes.
func (m *Model) bring(t *onnxpb.TensorProto) error {
	made, err := m.tensor(t, "the model")
	if err != nil {
		return err
	}
	t.RawData = tensor.ToProto(made).RawData
	t.DataLocation, t.ExternalData = nil, nil
	return nil
}

// moveOut writes the data of large initializers to w and makes them refer to it.
func moveOut(p *onnxpb.ModelProto, w io.Writer, opts SaveOptions) error {
	threshold := opts.ExternalDataThreshold
	if threshold == 0 {
		threshold = 1024
	}
	at := int64(0)
	for t := range initializersOfModel(p) {
		made, err := tensor.FromProto(t)
		if err != nil {
			return fmt.Errorf("onnx: %w", err)
		}
		n := int64(made.NumBytes())
		if n == 0 || n < threshold {
			continue
		}
		data, err := made.Bytes()
		if err != nil {
			return fmt.Errorf("onnx: %w", err)
		}
		pad := -at & (externalAlign - 1)
		if _, err := w.Write(make([]byte, pad)); err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		at += pad
		t.RawData, t.FloatData, t.DoubleData, t.Int32Data, t.Int64Data, t.Uint64Data = nil, nil, nil, nil, nil, nil
		t.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
		t.ExternalData = []*onnxpb.StringStringEntryProto{
			{Key: new("location"), Value: new(opts.ExternalFile)},
			{Key: new("offset"), Value: new(strconv.FormatInt(at, 10))},
			{Key: new("length"), Value: new(strconv.FormatInt(n, 10))},
		}
		at += n
	}
	return nil
}

// replaceFile writes a file under a temporary name and then gives it its own.
func replaceFile(name string, fill func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644) // CreateTemp keeps others out, a model is for reading
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// sharingClone copies the messages but shares their bytes, strings and lists of
// scalars with the original: the clone of a model costs no second copy of its weights.
func sharingClone(m protoreflect.Message) protoreflect.Message {
	out := m.New()
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Message() == nil:
			out.Set(fd, v)
		case fd.IsList():
			list := out.Mutable(fd).List()
			for i := range v.List().Len() {
				list.Append(protoreflect.ValueOfMessage(sharingClone(v.List().Get(i).Message())))
			}
		default:
			out.Set(fd, protoreflect.ValueOfMessage(sharingClone(v.Message())))
		}
		return true
	})
	out.SetUnknown(m.GetUnknown())
	return out
}
