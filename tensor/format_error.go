package tensor

import "fmt"

// FormatError says why a file or message could not be read as a tensor.
type FormatError struct {
	Format string // what was being read: "npy", "npz", "json", …
	Offset int64  // bytes from the start of the input to where it went wrong; -1 if unknown
	Reason string // what is wrong and, where there is one, the remedy
	Err    error  // underlying error, such as ErrTooLarge or io.ErrUnexpectedEOF; may be nil
}

// Error describes the failure and where it is.
func (e *FormatError) Error() string {
	s := "tensor: " + e.Format
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	s += ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the underlying error.
func (e *FormatError) Unwrap() error { return e.Err }
