package tensor

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteNPY writes a tensor in NumPy's .npy format, little-endian and in C order;
// strings as the type U of the longest one. NumPy has no bfloat16, no floats of 8
// and 4 bits and no integers of 4 and 2: those fail, convert them first.
func WriteNPY(w io.Writer, t *Tensor) error {
	if t.dtype == String {
		return writeNPYStrings(w, t)
	}
	code, ok := npyCode(t.dtype)
	if !ok {
		return fmt.Errorf("tensor: NumPy has no %v; convert the tensor to a type it has, such as %v", t.dtype, npyStandIn(t.dtype))
	}
	data, err := t.Contiguous().Bytes()
	if err != nil {
		return err
	}
	order := "<"
	if t.dtype.Bits() == 8 {
		order = "|"
	}
	if err := writeNPYHeader(w, order+code, t.shape); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// npyStandIn is the narrowest NumPy type that holds every element of a type that
// NumPy lacks.
func npyStandIn(d DType) DType {
	switch d.Class() {
	case ClassInt:
		return Int8
	case ClassUint:
		return Uint8
	}
	return Float32
}

// writeNPYHeader pads with spaces to a multiple of 64 bytes, as NumPy does, so that
// the data can be mapped.
func writeNPYHeader(w io.Writer, descr string, shape Shape) error {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(shape)), " ", ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	head := []byte(npyMagic + "\x01\x00??")
	if len(head)+len(dict)+64 > 1<<16 {
		head = []byte(npyMagic + "\x02\x00????")
	}
	pad := 63 - (len(head)+len(dict))%64
	dict += strings.Repeat(" ", pad) + "\n"
	if head[6] == 1 {
		binary.LittleEndian.PutUint16(head[8:], uint16(len(dict)))
	} else {
		binary.LittleEndian.PutUint32(head[8:], uint32(len(dict)))
	}
	_, err := w.Write(append(head, dict...))
	return err
}

func writeNPYStrings(w io.Writer, t *Tensor) error {
	strs := Elements[string](t.Contiguous())
	longest := 1
	for i, s := range strs {
		if !utf8.ValidString(s) {
			return fmt.Errorf("tensor: string %d, %q, is not valid UTF-8, and the .npy format holds characters", i, s)
		}
		longest = max(longest, utf8.RuneCountInString(s))
	}
	if err := writeNPYHeader(w, fmt.Sprintf("<U%d", longest), t.shape); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	var word [4]byte
	put := func(r rune) {
		binary.LittleEndian.PutUint32(word[:], uint32(r))
		_, _ = b.Write(word[:]) // Flush gives the error
	}
	for _, s := range strs {
		n := 0
		for _, r := range s {
			put(r)
			n++
		}
		for ; n < longest; n++ {
			put(0)
		}
	}
	return b.Flush()
}
