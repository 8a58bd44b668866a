package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Panic is the value [Pool.For] panics with when its body panicked, whichever
// goroutine that happened on.
type Panic struct {
	Value any    // the value the body panicked with
	Stack []byte // the stack of the goroutine that ran the body
}

// Error describes the original value, without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic in parallel body: %v", p.Value) }

// Unwrap returns the original value when it is an error (a runtime.Error, say).
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var errGoexit = errors.New("body called runtime.Goexit on a worker")

// newPanic records value with the current stack; the Panic of a nested call
// stays as it is, its stack is the one that tells.
func newPanic(value any) *Panic {
	if p, ok := value.(*Panic); ok {
		return p
	}
	return &Panic{Value: value, Stack: debug.Stack()}
}

// wrapPanic is deferred around a body that runs on the caller alone.
func wrapPanic() {
	if v := recover(); v != nil {
		panic(newPanic(v))
	}
}
