package tensor

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// npyHeader is what the Python dictionary at the head of a .npy file says.
type npyHeader struct {
	dtype     DType
	item      int // bytes of an element
	word      int // bytes of what the byte order applies to
	bigEndian bool
	fortran   bool
	shape     Shape
}

// parseNPYHeader reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), },
// which begins at byte start of the file.
func parseNPYHeader(s string, start int64) (*npyHeader, error) {
	p := &literal{s: s}
	h, err := p.header()
	if err != nil {
		e := &FormatError{Format: "npy", Offset: start + int64(p.at), Reason: "header: " + err.Error()}
		var large tooLarge
		if errors.As(err, &large) {
			e.Err = ErrTooLarge
		}
		return nil, e
	}
	return h, nil
}

// tooLarge is what in a header is too large.
type tooLarge string

func (s tooLarge) Error() string { return string(s) }

// literal reads the few Python literals that the header is made of.
type literal struct {
	s  string
	at int
}

func (p *literal) header() (*npyHeader, error) {
	h := &npyHeader{}
	seen := map[string]bool{}
	if !p.take('{') {
		return nil, errors.New("it does not begin with {")
	}
	for !p.take('}') {
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("%q appears twice", key)
		}
		seen[key] = true
		if !p.take(':') {
			return nil, fmt.Errorf("no : after %q", key)
		}
		switch key {
		case "descr":
			err = p.descr(h)
		case "fortran_order":
			h.fortran, err = p.boolean()
		case "shape":
			h.shape, err = p.tuple()
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return nil, err
		}
		if !p.take(',') && p.peek() != '}' {
			return nil, errors.New("neither , nor } after a value")
		}
	}
	if len(seen) != 3 {
		return nil, errors.New("it needs descr, fortran_order and shape")
	}
	if p.space(); p.at != len(p.s) {
		return nil, errors.New("something follows the closing }")
	}
	return h, nil
}

func (p *literal) space() {
	for p.at < len(p.s) && strings.IndexByte(" \n\t\r", p.s[p.at]) >= 0 {
		p.at++
	}
}

// peek is the next character that is not space, 0 at the end.
func (p *literal) peek() byte {
	if p.space(); p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

func (p *literal) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *literal) str() (string, error) {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		return "", errors.New("a string is missing")
	}
	end := strings.IndexByte(p.s[p.at+1:], quote)
	if end < 0 {
		return "", errors.New("a string does not end")
	}
	s := p.s[p.at+1:][:end]
	p.at += end + 2
	return s, nil
}

func (p *literal) boolean() (bool, error) {
	p.space()
	for word, v := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(p.s[p.at:], word) {
			p.at += len(word)
			return v, nil
		}
	}
	return false, errors.New("neither True nor False")
}

// tuple reads dimensions; Python 2 wrote some with an L.
func (p *literal) tuple() (Shape, error) {
	shape := Shape{}
	if !p.take('(') {
		return nil, errors.New("the shape is not a tuple")
	}
	for !p.take(')') {
		p.space()
		begin := p.at
		for p.at < len(p.s) && '0' <= p.s[p.at] && p.s[p.at] <= '9' {
			p.at++
		}
		d, err := strconv.ParseUint(p.s[begin:p.at], 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && d > math.MaxInt:
			return nil, tooLarge("dimension " + p.s[begin:p.at])
		case err != nil:
			return nil, errors.New("a dimension is not a number")
		}
		if p.at < len(p.s) && p.s[p.at] == 'L' {
			p.at++
		}
		shape = append(shape, int(d))
		if !p.take(',') && p.peek() != ')' {
			return nil, errors.New("neither , nor ) after a dimension")
		}
	}
	return shape, nil
}

var npyDTypes = map[string]DType{
	"b1": Bool, "i1": Int8, "i2": Int16, "i4": Int32, "i8": Int64, "u1": Uint8, "u2": Uint16, "u4": Uint32, "u8": Uint64,
	"f2": Float16, "f4": Float32, "f8": Float64, "c8": Complex64, "c16": Complex128,
}

// npyCode is the inverse of npyDTypes.
func npyCode(d DType) (string, bool) {
	for code, t := range npyDTypes {
		if t == d {
			return code, true
		}
	}
	return "", false
}

// descr reads the element type: byte order, kind, size.
func (p *literal) descr(h *npyHeader) error {
	if p.peek() == '[' {
		return errors.New("structured arrays are not supported; save each field as an array of its own")
	}
	s, err := p.str()
	if err != nil {
		return err
	}
	code := s
	if s != "" && strings.IndexByte("<>|=", s[0]) >= 0 {
		h.bigEndian = s[0] == '>'
		code = s[1:]
	}
	if d, ok := npyDTypes[code]; ok {
		h.dtype, h.item, h.word = d, d.Bytes(1), d.Bytes(1)
		if d.Class() == ClassComplex {
			h.word /= 2
		}
		return nil
	}
	if code == "" {
		return errors.New("an empty descr")
	}
	switch code[0] {
	case 'U', 'S':
		n, err := strconv.ParseUint(code[1:], 10, 31)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return tooLarge("strings of type " + s)
		case err != nil:
			return fmt.Errorf("type %q is not supported", s)
		}
		h.dtype, h.word = String, 1
		if code[0] == 'U' {
			h.word = 4
		}
		if n > uint64(math.MaxInt32/h.word) {
			return tooLarge("strings of type " + s)
		}
		h.item = int(n) * h.word
		return nil
	case 'V':
		return fmt.Errorf("type %q is raw bytes, as NumPy writes the types of ml_dtypes (bfloat16, float8); save a.astype(numpy.float32), or a.view(numpy.uint16) and convert here", s)
	case 'O':
		return fmt.Errorf("type %q holds pickled Python objects, which are not read; save strings as a.astype('U')", s)
	case 'M', 'm':
		return fmt.Errorf("type %q is a date or time; save a.astype(numpy.int64)", s)
	}
	return fmt.Errorf("type %q is not supported", s)
}
