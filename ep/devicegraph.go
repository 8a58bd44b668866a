package ep

import "context"

// GraphCapturer is a provider that records kernels once and replays them as one
// launch.
type GraphCapturer interface {
	// NewDeviceGraph returns an empty graph. It belongs to one run state: sessions
	// that share a provider do not see each other's.
	NewDeviceGraph() (DeviceGraph, error)
}

// DeviceGraph is a list of recorded segments.
type DeviceGraph interface {
	// Begin starts recording a segment of kernels, which are run next and
	// recorded instead of executed.
	Begin(ctx context.Context, kernels []Kernel) error
	// End finishes the segment and returns its index.
	End(ctx context.Context) (segment int, err error)
	// Abort gives up a recording, leaving a state in which Reset succeeds.
	Abort() error
	// Replay launches every segment in order.
	Replay(ctx context.Context) error
	// ReplaySegment launches one segment.
	ReplaySegment(ctx context.Context, segment int) error
	// Segments is the number of recorded segments.
	Segments() int
	// Reset destroys the recording and clears latched errors. It is called before
	// any buffer the recording refers to moves or is freed.
	Reset() error
	// CheckError reads, without clearing, the safety violations that replayed
	// kernels latched: 0 when there are none.
	CheckError(ctx context.Context) (ErrorMask, error)
}

// ErrorMask is a set of violations found on a device.
type ErrorMask uint32

// Bits of an ErrorMask.
const (
	ErrorIndexOutOfRange ErrorMask = 1 << iota // a gather, scatter or lookup index
	ErrorNaN                                   // a NaN among scores
	ErrorShape                                 // a size read on the device does not fit
)

// String names the bits.
func (m ErrorMask) String() string {
	if m == 0 {
		return "none"
	}
	s := ""
	for _, b := range []struct {
		bit  ErrorMask
		name string
	}{{ErrorIndexOutOfRange, "index out of range"}, {ErrorNaN, "NaN among scores"}, {ErrorShape, "size does not fit"}} {
		if m&b.bit != 0 {
			if s != "" {
				s += ", "
			}
			s += b.name
		}
	}
	if s == "" {
		s = "unknown violation"
	}
	return s
}
