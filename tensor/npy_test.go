package tensor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// npyFile puts a .npy file together: version and data in hexadecimal, the
// dictionary padded with spaces as NumPy does.
func npyFile(version, dict, data string) []byte {
	head := []byte("\x93NUMPY")
	v, err1 := hex.DecodeString(version)
	d, err2 := hex.DecodeString(data)
	if err1 != nil || err2 != nil {
		panic("bad hexadecimal in a test")
	}
	size := 4
	if v[0] == 1 {
		size = 2
	}
	total := (len(head) + 2 + size + len(dict) + 1 + 63) / 64 * 64
	n := total - len(head) - 2 - size
	head = append(head, v...)
	head = append(head, []byte{byte(n), byte(n >> 8), 0, 0}[:size]...)
	head = append(head, dict...)
	head = append(head, strings.Repeat(" ", n-len(dict)-1)...)
	return append(append(head, '\n'), d...)
}

// The headers and data in this table were written by NumPy 1.24.
var numpyFiles = []struct {
	name, version, dict, data string
	dtype                     DType
	shape                     Shape
	want                      string
}{
	{"bool", "0100", "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "010001", Bool, Shape{3}, "[true false true]"},
	{"int8", "0100", "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2), }", "807f", Int8, Shape{1, 2}, "[-128 127]"},
	{"uint8", "0100", "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "00ff", Uint8, Shape{2}, "[0 255]"},
	{"int16 big-endian", "0100", "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", "fffe0102", Int16, Shape{2}, "[-2 258]"},
	{"uint16", "0100", "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "ffff", Uint16, Shape{1}, "[65535]"},
	{"int32", "0100", "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", "ffffffff07000000", Int32, Shape{2}, "[-1 7]"},
	{"uint32 big-endian", "0100", "{'descr': '>u4', 'fortran_order': False, 'shape': (2,), }", "ffffffff00000001", Uint32, Shape{2}, "[4294967295 1]"},
	{"int64 Fortran order", "0100", "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }",
		"000000000000000003000000000000000100000000000000040000000000000002000000000000000500000000000000", Int64, Shape{2, 3}, "[0 1 2 3 4 5]"},
	{"uint64 scalar", "0100", "{'descr': '<u8', 'fortran_order': False, 'shape': (), }", "ffffffffffffffff", Uint64, Shape{}, "[18446744073709551615]"},
	{"float16", "0100", "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", "003c00b8", Float16, Shape{2}, "[1 -0.5]"},
	{"float32 scalar", "0100", "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "0000c03f", Float32, Shape{}, "[1.5]"},
	{"float64 big-endian Fortran order", "0100", "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 2), }",
		"3ff0000000000000400800000000000040000000000000004010000000000000", Float64, Shape{2, 2}, "[1 2 3 4]"},
	{"complex64", "0100", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "0000803f00000040", Complex64, Shape{1}, "[1+2i]"},
	{"complex128 big-endian", "0100", "{'descr': '>c16', 'fortran_order': False, 'shape': (1,), }", "3ff0000000000000c000000000000000", Complex128, Shape{1}, "[1-2i]"},
	{"unicode", "0100", "{'descr': '<U2', 'fortran_order': False, 'shape': (2, 2), }",
		"6100000000000000e56500002c67000000000000000000001ed1010078000000", String, Shape{2, 2}, `["a" "日本" "" "𝄞x"]`},
	{"unicode big-endian", "0100", "{'descr': '>U2', 'fortran_order': False, 'shape': (1,), }", "00000061000000e9", String, Shape{1}, `["aé"]`},
	{"bytes", "0100", "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", "616200630000", String, Shape{2}, `["ab" "c"]`},
	{"empty", "0100", "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", "", Float32, Shape{0, 3}, "[]"},
	{"version 2", "0200", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "0000803f00000040", Float32, Shape{2}, "[1 2]"},
	{"version 3", "0300", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "0000803f00000040", Float32, Shape{2}, "[1 2]"},
	// Other spellings that NumPy reads.
	{"native order, double quotes, no last comma", "0100", `{"shape": (1,), "fortran_order": False, "descr": "=i4"}`, "05000000", Int32, Shape{1}, "[5]"},
	{"Python 2's long", "0100", "{'descr': '<i2', 'fortran_order': False, 'shape': (1L, 2L), }", "01000200", Int16, Shape{1, 2}, "[1 2]"},
	{"bool bytes", "0100", "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "02ff", Bool, Shape{2}, "[true true]"},
	{"Fortran order strings", "0100", "{'descr': '|S1', 'fortran_order': True, 'shape': (2, 2), }", "61636264", String, Shape{2, 2}, `["a" "b" "c" "d"]`},
}

// elements prints the elements of a tensor in a flat list.
func elements(t *Tensor) string {
	var b strings.Builder
	print := newPrinter(t)
	for it := NewIterator(t.Shape(), t.Strides(), t.Offset()); it.Next(); {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(print(it.Index()))
	}
	return "[" + b.String() + "]"
}

func TestReadNPY(t *testing.T) {
	for _, tt := range numpyFiles {
		file := npyFile(tt.version, tt.dict, tt.data)
		for name, r := range map[string]io.Reader{
			"": bytes.NewReader(file), " one byte at a time": iotest.OneByteReader(bytes.NewReader(file)), " data with EOF": iotest.DataErrReader(bytes.NewReader(file)),
		} {
			got, err := ReadNPY(r)
			if err != nil {
				t.Errorf("%s%s: %v", tt.name, name, err)
				continue
			}
			if got.DType() != tt.dtype || !got.Shape().Equal(tt.shape) || elements(got) != tt.want {
				t.Errorf("%s%s: got %v %s, want %v %v %s", tt.name, name, got, elements(got), tt.dtype, tt.shape, tt.want)
			}
			if !got.IsContiguous() {
				t.Errorf("%s%s: not contiguous", tt.name, name)
			}
		}
	}
}

// Arrays can follow each other in a stream.
func TestReadNPYLeavesTheRest(t *testing.T) {
	var b bytes.Buffer
	for v := range int32(3) {
		if err := WriteNPY(&b, Scalar(v)); err != nil {
			t.Fatal(err)
		}
	}
	for v := range int32(3) {
		got, err := ReadNPY(&b)
		if err != nil || Elements[int32](got)[0] != v {
			t.Fatalf("array %d: %v, %v", v, got, err)
		}
	}
	if _, err := ReadNPY(&b); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("at the end: %v, want io.ErrUnexpectedEOF", err)
	}
}

func TestWriteNPYAsNumPy(t *testing.T) {
	for _, tt := range numpyFiles[:16] {
		if strings.Contains(tt.name, "big-endian") || strings.Contains(tt.name, "Fortran") {
			continue
		}
		file := npyFile(tt.version, tt.dict, tt.data)
		read, err := ReadNPY(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, read); err != nil {
			t.Fatal(err)
		}
		// NumPy leaves room for the first dimension to grow, to the next 64 bytes.
		got, want := bytes.ReplaceAll(b.Bytes(), []byte(" "), nil), bytes.ReplaceAll(file, []byte(" "), nil)
		got[8], got[9], want[8], want[9] = 0, 0, 0, 0
		if !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, want)
		}
		if start := bytes.IndexByte(b.Bytes(), '\n') + 1; start%64 != 0 {
			t.Errorf("%s: data begin at byte %d", tt.name, start)
		}
	}
}

func TestNPYRoundTrip(t *testing.T) {
	for _, d := range DTypes() {
		if _, ok := npyCode(d); !ok && d != String {
			continue
		}
		for _, shape := range []Shape{{}, {1}, {7}, {0}, {2, 0, 3}, {2, 3, 4}, make(Shape, 40000)} {
			if d != Int8 && len(shape) > 3 {
				continue // one header long enough for version 2
			}
			src := Must(New(d, shape...))
			for i := range src.Storage() {
				src.Storage()[i] = byte(i*31 + 1)
			}
			if d == Bool {
				toBool(src.Storage(), src.Storage())
			}
			for i := range src.strs {
				src.strs[i] = strings.Repeat("ü", i%5)
			}
			var b bytes.Buffer
			if err := WriteNPY(&b, src); err != nil {
				t.Fatal(err)
			}
			if len(shape) > 3 {
				if v := b.Bytes()[6]; v != 2 {
					t.Errorf("a header of %d dimensions is of version %d", len(shape), v)
				}
				continue
			}
			got, err := ReadNPY(&b)
			if err != nil {
				t.Fatalf("%v: %v", src, err)
			}
			if err := Compare(got, src, 0, 0); err != nil {
				t.Errorf("%v: %v", src, err)
			}
		}
	}
}

func TestWriteNPYView(t *testing.T) {
	src := Must(Must(FromSlice([]int16{1, 2, 3, 4, 5, 6}, 2, 3)).Transpose())
	var b bytes.Buffer
	if err := WriteNPY(&b, src); err != nil {
		t.Fatal(err)
	}
	if got := elements(Must(ReadNPY(&b))); got != "[1 4 2 5 3 6]" {
		t.Errorf("got %s", got)
	}
}

func TestWriteNPYErrors(t *testing.T) {
	for _, d := range []DType{BFloat16, Float8E4M3FN, Float8E8M0, Int4, Uint2, Float4E2M1} {
		if err := WriteNPY(io.Discard, Must(New(d, 2))); err == nil || !strings.Contains(err.Error(), "convert") {
			t.Errorf("%v: error %v lacks a remedy", d, err)
		}
	}
	if err := WriteNPY(io.Discard, Scalar("\xff")); err == nil {
		t.Error("invalid UTF-8: no error")
	}
	broken := errors.New("broken")
	for _, src := range []*Tensor{Must(New(Float32, 100)), Scalar("a")} {
		if err := WriteNPY(failingWriter{broken}, src); !errors.Is(err, broken) {
			t.Errorf("%v to a broken writer: %v", src, err)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReadNPYHostile(t *testing.T) {
	dict := func(descr, shape string) string {
		return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	}
	file := func(d string) []byte { return npyFile("0100", d, "00000000") }
	huge := []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f{")
	tests := []struct {
		name string
		in   []byte
		want error  // nil: any *FormatError
		says string // part of the message
	}{
		{"nothing", nil, io.ErrUnexpectedEOF, "magic"},
		{"another format", []byte("PK\x03\x04 something else"), nil, "not a .npy file"},
		{"version 9", []byte("\x93NUMPY\x09\x00"), nil, "version 9.0"},
		{"cut in the length", []byte("\x93NUMPY\x01\x00\x10"), io.ErrUnexpectedEOF, "length"},
		{"cut in the header", []byte("\x93NUMPY\x01\x00\x10\x00{'descr"), io.ErrUnexpectedEOF, "7 of 16"},
		{"header of 2 GB", huge, ErrTooLarge, "header"},
		{"short data", file(dict("<f8", "(3,)")), io.ErrUnexpectedEOF, "4 of 24"},
		{"4 EB that are not there", file(dict("|u1", "(4611686018427387904,)")), ErrTooLarge, ""},
		{"64 GB that are not there", file(dict("<f4", "(17179869184,)")), nil, "4 of 68719476736"},
		{"dimensions that overflow", file(dict("<f4", "(4294967296, 4294967296, 4294967296)")), ErrTooLarge, ""},
		{"a dimension beyond 64 bits", file(dict("<f4", "(99999999999999999999,)")), ErrTooLarge, "99999999999999999999"},
		{"overflow beside 0", file(dict("<f4", "(0, 9223372036854775807, 9223372036854775807)")), ErrTooLarge, ""},
		{"negative dimension", file(dict("<f4", "(-1,)")), nil, "not a number"},
		{"no shape", file("{'descr': '<f4', 'fortran_order': False}"), nil, "needs"},
		{"shape twice", file("{'shape': (), 'shape': ()}"), nil, "twice"},
		{"unknown key", file("{'colour': True}"), nil, "colour"},
		{"not a dictionary", file("print('hello')"), nil, "{"},
		{"unfinished", file("{'descr': '<f4"), nil, "does not end"},
		{"unfinished tuple", file("{'shape': (1"), nil, "dimension"},
		{"no colon", file("{'shape' (1,)}"), nil, ":"},
		{"no comma", file("{'shape': (1,) 'descr': '<f4'}"), nil, ","},
		{"no comma in the shape", file("{'shape': (1 2)}"), nil, ","},
		{"shape as a list", file("{'shape': [1]}"), nil, "tuple"},
		{"order as a number", file("{'fortran_order': 0}"), nil, "True nor False"},
		{"something behind", file(dict("<f4", "(1,)") + " + evil()"), nil, "follows"},
		{"bfloat16", file(dict("<V2", "(2,)")), nil, "numpy.float32"},
		{"objects", file(dict("|O", "(2,)")), nil, "pickled"},
		{"dates", file(dict("<M8[ns]", "(2,)")), nil, "int64"},
		{"structured", file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), nil, "structured"},
		{"long double", file(dict("<f16", "(1,)")), nil, "f16"},
		{"empty descr", file(dict("", "(1,)")), nil, "empty"},
		{"strings without a length", file(dict("<U", "(1,)")), nil, "not supported"},
		{"only an order", file(dict("<", "(1,)")), nil, "empty"},
		{"strings of 10 GB", file(dict("<U9999999999", "(1,)")), ErrTooLarge, ""},
		{"strings of 4 GB", file(dict("<U1073741824", "(1,)")), ErrTooLarge, ""},
		{"many empty strings", file(dict("|S0", "(100000,)")), ErrTooLarge, "no length"},
		{"surrogate", npyFile("0100", dict("<U1", "(1,)"), "00d80000"), nil, "0xd800"},
		{"beyond Unicode", npyFile("0100", dict("<U1", "(1,)"), "ffffffff"), nil, "0xffffffff"},
	}
	for _, tt := range tests {
		if bits.UintSize == 32 && strings.HasPrefix(tt.name, "64 GB") {
			continue // no such shape there
		}
		got, err := ReadNPY(bytes.NewReader(tt.in))
		var e *FormatError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, %v, want a *FormatError", tt.name, got, err)
			continue
		}
		if e.Format != "npy" || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got error %q, want %v saying %q", tt.name, err, tt.want, tt.says)
		}
		if e.Offset < 0 || e.Offset > int64(len(tt.in)) {
			t.Errorf("%s: offset %d of %d", tt.name, e.Offset, len(tt.in))
		}
	}
}

// A header that promises much must not make the reader take memory for it.
func TestReadNPYMemory(t *testing.T) {
	file := npyFile("0100", "{'descr': '<f4', 'fortran_order': False, 'shape': (17179869184,), }", "00000000")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadNPY(bytes.NewReader(file)); err == nil {
		t.Fatal("no error")
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8<<20 {
		t.Errorf("reading 4 bytes of a promised 64 GB takes %d bytes", taken)
	}
}

func TestReadNPYLimit(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPY(&b, Must(New(Float32, 10))); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadNPY(bytes.NewReader(b.Bytes()), MaxBytes(40)); err != nil {
		t.Errorf("40 bytes within a limit of 40: %v", err)
	}
	if _, err := ReadNPY(bytes.NewReader(b.Bytes()), MaxBytes(39)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("40 bytes within a limit of 39: %v", err)
	}
}

func FuzzReadNPY(f *testing.F) {
	for _, tt := range numpyFiles {
		f.Add(npyFile(tt.version, tt.dict, tt.data))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := ReadNPY(bytes.NewReader(in))
		if err != nil {
			var e *FormatError
			if !errors.As(err, &e) {
				t.Fatalf("error %v (%T) is not a *FormatError", err, err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, got); err != nil {
			t.Skip(err) // bytes of S that are not UTF-8
		}
		again, err := ReadNPY(&b)
		if err != nil {
			t.Fatalf("what was written does not read: %v", err)
		}
		if err := Compare(again, got, 0, 0); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadNPZ(t *testing.T) {
	// numpy.savez_compressed(f, x=arange(3, dtype=int32), y=array('s')), NumPy 1.24.
	const file = "UEsDBBQAAAAIAAAAIQAC7L2pTAAAAIwAAAAFABQAeC5ucHkBABAAjAAAAAAAAABMAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TaaKuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GsY6mjoKtQoUAC4GIGAEYiYgBgBQSwMEFAAAAAgAAAAhAE9R8BJGAAAAhAAAAAUAFAB5Lm5weQEAEACEAAAAAAAAAEYAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbhNqqK6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkamjoKtQoUAa5iBgYGAFBLAQIUAxQAAAAIAAAAIQAC7L2pTAAAAIwAAAAFAAAAAAAAAAAAAACAAQAAAAB4Lm5weVBLAQIUAxQAAAAIAAAAIQBPUfASRgAAAIQAAAAFAAAAAAAAAAAAAACAAYMAAAB5Lm5weVBLBQYAAAAAAgACAGYAAAAAAQAAAAA="
	data, err := base64.StdEncoding.DecodeString(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadNPZ(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || elements(got["x"]) != "[0 1 2]" || elements(got["y"]) != `["s"]` || got["x"].DType() != Int32 {
		t.Errorf("got %v", got)
	}
	// The limit is on both together: 12 bytes and 4.
	if _, err := ReadNPZ(bytes.NewReader(data), int64(len(data)), MaxBytes(16)); err != nil {
		t.Errorf("16 bytes within a limit of 16: %v", err)
	}
	if _, err := ReadNPZ(bytes.NewReader(data), int64(len(data)), MaxBytes(15)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("16 bytes within a limit of 15: %v", err)
	}
	// Damage anywhere is an error or changes nothing that counts; never a panic.
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0xff
		got, err := ReadNPZ(bytes.NewReader(bad), int64(len(bad)))
		var e *FormatError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("byte %d damaged: %v is not a *FormatError", i, err)
		}
		if x := got["x"]; err == nil && x != nil && elements(x) != "[0 1 2]" {
			t.Fatalf("byte %d damaged: reads as %s", i, elements(x))
		}
	}
}

func TestNPZRoundTrip(t *testing.T) {
	arrays := map[string]*Tensor{
		"weights/a": Must(FromSlice([]float32{1, float32(math.Inf(1))})),
		"b":         Must(New(Int64, 0, 2)),
		"":          Scalar("text"),
	}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := WriteNPZ(b, arrays); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same arrays give different files")
	}
	got, err := ReadNPZ(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(arrays) {
		t.Errorf("%d arrays come back of %d", len(got), len(arrays))
	}
	for name, want := range arrays {
		if err := Compare(got[name], want, 0, 0); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := WriteNPZ(io.Discard, map[string]*Tensor{"x": Must(New(BFloat16, 1))}); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("bfloat16: error %v does not name the array", err)
	}
	if _, err := ReadNPZ(bytes.NewReader([]byte("no zip")), 6); err == nil {
		t.Error("not a zip: no error")
	}
}
