package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limit bounds what a reader accepts.
type Limit struct{ bytes int64 }

// MaxBytes limits the elements of one file to n bytes; the error is then
// ErrTooLarge. Without it a reader takes what the input holds, which for
// a compressed .npz may be a thousand times its size.
func MaxBytes(n int64) Limit { return Limit{n} }

func maxBytes(limits []Limit) int64 {
	n := int64(math.MaxInt)
	for _, l := range limits {
		n = min(n, l.bytes)
	}
	return n
}

// ReadNPY reads one array in NumPy's .npy format, versions 1 to 3, in either byte
// order and in C or Fortran order, and no byte beyond it. It takes bool, integers
// of 8 to 64 bits, float16, 32 and 64, complex64 and 128, and strings of fixed
// length (U and S), whose trailing NULs are padding.
//
// The input may be hostile: the error is a *FormatError, and memory grows only with
// the data that is really there.
func ReadNPY(r io.Reader, limits ...Limit) (*Tensor, error) {
	t, _, err := readNPY(r, maxBytes(limits))
	return t, err
}

// readNPY also returns the size of the array's data.
func readNPY(r io.Reader, limit int64) (*Tensor, int64, error) {
	in := &npyReader{r: r}
	h, err := in.header()
	if err != nil {
		return nil, 0, err
	}
	n, err := h.shape.NumElements()
	if err != nil {
		return nil, 0, in.fail(in.at, "shape "+h.shape.String(), err)
	}
	if h.item == 0 && n > maxEmptyStrings {
		return nil, 0, in.fail(in.at, fmt.Sprintf("%d strings of no length", n), ErrTooLarge)
	}
	if h.item > 0 && int64(n) > min(limit, math.MaxInt)/int64(h.item) {
		return nil, 0, in.fail(in.at, fmt.Sprintf("%d elements of %d bytes", n, h.item), ErrTooLarge)
	}
	start := in.at
	data, err := in.read(n*h.item, "the elements of shape "+h.shape.String())
	if err != nil {
		return nil, 0, err
	}
	if h.bigEndian {
		swapBytes(data, h.word)
	}
	t := &Tensor{dtype: h.dtype, shape: h.shape, size: n, data: data}
	switch h.dtype {
	case String:
		if t.strs, err = h.strings(data, n); err != nil {
			return nil, 0, in.fail(start, err.Error(), nil)
		}
		t.data = nil
	case Bool: // Go's bool is 0 or 1 and nothing else
		toBool(data, data)
	}
	if h.fortran && len(h.shape) > 1 {
		slices.Reverse(t.shape)
		back, err := t.Transpose()
		if err != nil {
			return nil, 0, in.fail(start, "Fortran order", err)
		}
		t = back.Contiguous()
	}
	return t, int64(len(data)), nil
}

const (
	npyMagic = "\x93NUMPY"
	// maxNPYHeader is far above what NumPy writes for anything but structured types.
	maxNPYHeader = 64 << 10
	// maxEmptyStrings bounds arrays of strings of length 0, which no data backs.
	maxEmptyStrings = 1 << 12
)

type npyReader struct {
	r  io.Reader
	at int64
}

func (in *npyReader) fail(at int64, reason string, err error) error {
	return &FormatError{Format: "npy", Offset: at, Reason: reason, Err: err}
}

// read returns the next n bytes. It takes memory as the data arrives, so that a
// header can not make it take more than twice what follows.
func (in *npyReader) read(n int, what string) ([]byte, error) {
	const chunk = 1 << 20
	buf := make([]byte, 0, min(n, chunk))
	if l, ok := in.r.(interface{ Len() int }); ok && l.Len() >= n {
		buf = make([]byte, 0, n)
	}
	for len(buf) < n {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(n, 2*cap(buf))), buf...)
		}
		got, err := io.ReadFull(in.r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+got]
		in.at += int64(got)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, in.fail(in.at, fmt.Sprintf("%s: %d of %d bytes there", what, len(buf), n), err)
		}
	}
	return buf, nil
}

func (in *npyReader) header() (*npyHeader, error) {
	b, err := in.read(len(npyMagic)+2, "the magic number")
	if err != nil {
		return nil, err
	}
	if string(b[:len(npyMagic)]) != npyMagic {
		return nil, in.fail(0, fmt.Sprintf("not a .npy file: it begins with %q", b[:len(npyMagic)]), nil)
	}
	major := b[len(npyMagic)]
	if major < 1 || major > 3 {
		return nil, in.fail(int64(len(npyMagic)), fmt.Sprintf("format version %d.%d is unknown", major, b[len(npyMagic)+1]), nil)
	}
	width := 4
	if major == 1 {
		width = 2
	}
	b, err = in.read(width, "the header's length")
	if err != nil {
		return nil, err
	}
	size := uint32(0)
	if width == 2 {
		size = uint32(binary.LittleEndian.Uint16(b))
	} else {
		size = binary.LittleEndian.Uint32(b)
	}
	if size > maxNPYHeader {
		return nil, in.fail(in.at-int64(width), fmt.Sprintf("a header of %d bytes", size), ErrTooLarge)
	}
	start := in.at
	b, err = in.read(int(size), "the header")
	if err != nil {
		return nil, err
	}
	return parseNPYHeader(string(b), start)
}

// strings cuts data into strings of a fixed length: code points of UTF-32 for U,
// bytes for S.
func (h *npyHeader) strings(data []byte, n int) ([]string, error) {
	out := make([]string, n)
	var b strings.Builder
	for i := range out {
		item := data[i*h.item:][:h.item]
		if h.word == 1 {
			out[i] = strings.TrimRight(string(item), "\x00")
			continue
		}
		b.Reset()
		for ; len(item) > 0; item = item[4:] {
			c := binary.LittleEndian.Uint32(item)
			if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
				return nil, fmt.Errorf("string %d holds %#x, which is not a Unicode character", i, c)
			}
			b.WriteRune(rune(c))
		}
		out[i] = strings.TrimRight(b.String(), "\x00")
	}
	return out, nil
}

// swapBytes reverses each word of the given size.
func swapBytes(data []byte, word int) {
	switch word {
	case 2:
		for i := 0; i+2 <= len(data); i += 2 {
			data[i], data[i+1] = data[i+1], data[i]
		}
	case 4, 8:
		for i := 0; i+word <= len(data); i += word {
			slices.Reverse(data[i : i+word])
		}
	}
}
