package onnx

import (
	"errors"
	"fmt"
	"strconv"
)

// Kinds of defects, for errors.Is on what this package returns.
var (
	// ErrTruncated: the bytes end inside a message, or are no protobuf message.
	ErrTruncated = errors.New("damaged or truncated")
	// ErrVersion: the file is of an IR version that this package does not know.
	ErrVersion = errors.New("unsupported IR version")
	// ErrOpset: a domain is used but not imported, or imported twice.
	ErrOpset = errors.New("bad operator set import")
	// ErrName: a name is undefined, defined twice or missing.
	ErrName = errors.New("bad name")
	// ErrTensor: a tensor's data does not fit its declaration.
	ErrTensor = errors.New("bad tensor")
	// ErrType: a type or attribute is malformed, or two declarations contradict each other.
	ErrType = errors.New("bad type")
	// ErrExternalData: a tensor's data in another file can not be had.
	ErrExternalData = errors.New("external data unavailable")
	// ErrEscape: external data lies outside the model's directory. It is also ErrExternalData.
	ErrEscape = fmt.Errorf("%w: outside the model's directory", ErrExternalData)
	// ErrClosed: the model was closed.
	ErrClosed = errors.New("onnx: model is closed")
)

// FormatError says what is wrong with a model file and where.
type FormatError struct {
	Path   string // the file; "" when the model was not read from a named file
	Where  string // the part of the model, such as: node "conv1" (Conv)
	Reason string
	Remedy string // what to do about it, "" when nothing but another file helps
	Err    error  // the kind of defect, and its cause if any
}

func (e *FormatError) Error() string {
	s := "onnx: "
	if e.Path != "" {
		s += e.Path + ": "
	}
	if e.Where != "" {
		s += e.Where + ": "
	}
	s += e.Reason
	if e.Remedy != "" {
		s += " (" + e.Remedy + ")"
	}
	return s
}

// Unwrap gives the kind of defect and its cause.
func (e *FormatError) Unwrap() error { return e.Err }

// LimitError says that a model exceeds one of the Limits it was read with.
type LimitError struct {
	What  string // the field of Limits
	Where string
	Value int64 // what the model has, or the least it must have
	Limit int64
}

func (e *LimitError) Error() string {
	s := "onnx: "
	if e.Where != "" {
		s += e.Where + ": "
	}
	return fmt.Sprintf("%s%s is limited to %d, the model has %d (raise it with WithLimits if the file is trusted)", s, e.What, e.Limit, e.Value)
}

// maxShownName bounds how much of a name from a file enters an error message.
const maxShownName = 80

// quote shows a name from a file.
func quote(name string) string {
	if len(name) > maxShownName {
		return strconv.Quote(name[:maxShownName]) + "…"
	}
	return strconv.Quote(name)
}
