package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gort"
	"gort/onnx"
	"gort/op"
)

// Exit codes of the program.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitModel   = 3
)

const exitCodesText = `Exit codes: 0 success, 1 failure, 2 wrong usage, 3 the model can not be run
(it is damaged, breaks the format, exceeds a limit, or has unsupported nodes).`

// usageError is a command line that can not be carried out.
type usageError struct {
	message string
	hint    string
	silent  bool // the reader was told already
}

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// errReported is a failure whose description is already on the screen.
var errReported = errors.New("failed")

func exitCode(err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case isModelError(err):
		return exitModel
	}
	return exitFailure
}

// isModelError reports whether the model itself is at fault, not the machine,
// the inputs or a file that is not there.
func isModelError(err error) bool {
	var (
		format      *onnx.FormatError
		fileLimit   *onnx.LimitError
		limit       *gort.LimitError
		unsupported *gort.UnsupportedError
		unknown     *op.UnknownError
		definition  *op.Error
		node        *gort.NodeError
	)
	if errors.As(err, &node) { // a run that began
		return false
	}
	return errors.As(err, &format) || errors.As(err, &fileLimit) || errors.As(err, &limit) ||
		errors.As(err, &unsupported) || errors.As(err, &unknown) || errors.As(err, &definition)
}

// report writes an error as one message.
func report(w io.Writer, err error) {
	var usage *usageError
	switch {
	case err == nil || errors.Is(err, errReported):
		return
	case errors.As(err, &usage):
		if usage.silent {
			return
		}
		fmt.Fprintf(w, "gort: %v\n", err)
		if usage.hint != "" {
			fmt.Fprintf(w, "  %s\n", usage.hint)
		}
		return
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("the time given by --timeout is over")
	}
	fmt.Fprintf(w, "gort: %v\n", err)
}
