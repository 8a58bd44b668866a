package conv

import "sync/atomic"

// parallelError keeps the first error of several threads.
type parallelError struct{ first atomic.Pointer[error] }

func (e *parallelError) set(err error) { e.first.CompareAndSwap(nil, &err) }

func (e *parallelError) get() error {
	if p := e.first.Load(); p != nil {
		return *p
	}
	return nil
}
