package onnx

import (
	"errors"
	"sync"

	"gort/internal/onnxpb"
)

// Model is a model file: the messages and the bytes that its tensors alias. It is
// safe for concurrent use, except that Close must come last.
type Model struct {
	path   string
	proto  *onnxpb.ModelProto
	config config
	main   *mapping
	side   sideFiles

	mu     sync.Mutex
	closed bool
}

// Path is the file that the model was opened from, "" for Read and Parse.
func (m *Model) Path() string { return m.path }

// IRVersion is the version of the file format that the model declares.
func (m *Model) IRVersion() int64 { return m.proto.GetIrVersion() }

// Close unmaps the model's files. Every tensor that came from the model, in its
// graphs or as a constant of a session, must not be used any more: its memory is
// gone, and touching it ends the program. Closing twice is no error.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	err := m.side.close()
	if m.main != nil {
		err = errors.Join(err, m.main.close())
	}
	return err
}

// open fails once the model is closed.
func (m *Model) open() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return nil
}
