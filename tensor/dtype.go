package tensor

import "fmt"

// DType is an element type. Its values are the numbers of
// TensorProto.DataType in the ONNX format, so no table translates them.
type DType uint8

// The 26 element types of ONNX.
const (
	Undefined DType = iota
	Float32
	Uint8
	Int8
	Uint16
	Int16
	Int32
	Int64
	String
	Bool
	Float16
	Float64
	Uint32
	Uint64
	Complex64
	Complex128
	BFloat16
	Float8E4M3FN   // 1-4-3, bias 7, no infinities
	Float8E4M3FNUZ // 1-4-3, bias 8, no infinities, no negative zero
	Float8E5M2     // 1-5-2, bias 15, infinities as in IEEE 754
	Float8E5M2FNUZ // 1-5-2, bias 16, no infinities, no negative zero
	Uint4          // packed, two a byte, the first in the low bits
	Int4
	Float4E2M1 // 1-2-1, packed as Uint4
	Float8E8M0 // an exponent alone: 2^(b-127), 255 is NaN
	Uint2      // packed, four a byte, the first in the low bits
	Int2

	numDTypes
)

// Class groups element types by the arithmetic they follow.
type Class uint8

// Classes of element types.
const (
	ClassNone Class = iota
	ClassFloat
	ClassInt
	ClassUint
	ClassBool
	ClassComplex
	ClassString
)

type dtypeInfo struct {
	name  string // Go style: float32
	onnx  string // as in tensor(float)
	bits  int
	class Class
}

var dtypes = [numDTypes]dtypeInfo{
	Undefined:      {"undefined", "undefined", 0, ClassNone},
	Float32:        {"float32", "float", 32, ClassFloat},
	Uint8:          {"uint8", "uint8", 8, ClassUint},
	Int8:           {"int8", "int8", 8, ClassInt},
	Uint16:         {"uint16", "uint16", 16, ClassUint},
	Int16:          {"int16", "int16", 16, ClassInt},
	Int32:          {"int32", "int32", 32, ClassInt},
	Int64:          {"int64", "int64", 64, ClassInt},
	String:         {"string", "string", 0, ClassString},
	Bool:           {"bool", "bool", 8, ClassBool},
	Float16:        {"float16", "float16", 16, ClassFloat},
	Float64:        {"float64", "double", 64, ClassFloat},
	Uint32:         {"uint32", "uint32", 32, ClassUint},
	Uint64:         {"uint64", "uint64", 64, ClassUint},
	Complex64:      {"complex64", "complex64", 64, ClassComplex},
	Complex128:     {"complex128", "complex128", 128, ClassComplex},
	BFloat16:       {"bfloat16", "bfloat16", 16, ClassFloat},
	Float8E4M3FN:   {"float8e4m3fn", "float8e4m3fn", 8, ClassFloat},
	Float8E4M3FNUZ: {"float8e4m3fnuz", "float8e4m3fnuz", 8, ClassFloat},
	Float8E5M2:     {"float8e5m2", "float8e5m2", 8, ClassFloat},
	Float8E5M2FNUZ: {"float8e5m2fnuz", "float8e5m2fnuz", 8, ClassFloat},
	Uint4:          {"uint4", "uint4", 4, ClassUint},
	Int4:           {"int4", "int4", 4, ClassInt},
	Float4E2M1:     {"float4e2m1", "float4e2m1", 4, ClassFloat},
	Float8E8M0:     {"float8e8m0", "float8e8m0", 8, ClassFloat},
	Uint2:          {"uint2", "uint2", 2, ClassUint},
	Int2:           {"int2", "int2", 2, ClassInt},
}

// DTypes lists every element type, in the order of their numbers.
func DTypes() []DType {
	all := make([]DType, 0, numDTypes-1)
	for d := Undefined + 1; d < numDTypes; d++ {
		all = append(all, d)
	}
	return all
}

// Valid reports whether d is one of the 26 element types.
func (d DType) Valid() bool { return d > Undefined && d < numDTypes }

func (d DType) info() *dtypeInfo {
	if d < numDTypes {
		return &dtypes[d]
	}
	return &dtypes[Undefined]
}

// String returns Go's name of the type, such as "float32".
func (d DType) String() string {
	if d >= numDTypes {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return d.info().name
}

// ONNX returns the name the ONNX specification uses inside tensor(…), such as "float" or "double".
func (d DType) ONNX() string { return d.info().onnx }

// Bits is the size of one element in bits: 2, 4, 8 … 128; 0 for strings.
func (d DType) Bits() int { return d.info().bits }

// Class tells which arithmetic the type follows.
func (d DType) Class() Class { return d.info().class }

// Packed reports whether several elements share a byte (the 4- and 2-bit types).
func (d DType) Packed() bool { return d.info().bits > 0 && d.info().bits < 8 }

// Bytes returns the storage of n elements in bytes; packed types round up to a
// whole byte. Strings have no fixed size and give 0. n must not be negative and
// n times the element size must fit an int, which NumElements guarantees.
func (d DType) Bytes(n int) int {
	b := d.info().bits
	if b >= 8 {
		return n * (b / 8)
	}
	if b == 0 {
		return 0
	}
	per := 8 / b
	return n/per + (n%per+per-1)/per
}

// position is the byte in which element i of a storage starts, and whether it
// starts on the byte's first bit. d must not be String.
func (d DType) position(i int) (at int, aligned bool) {
	b := d.info().bits
	if b >= 8 {
		return i * (b / 8), true
	}
	per := 8 / b
	return i / per, i%per == 0
}

// ParseDType reads a type's name, either Go's ("float32") or ONNX's ("float", "double", "tensor(int64)").
func ParseDType(s string) (DType, error) {
	if len(s) > 8 && s[:7] == "tensor(" && s[len(s)-1] == ')' {
		s = s[7 : len(s)-1]
	}
	for d := Undefined + 1; d < numDTypes; d++ {
		if dtypes[d].name == s || dtypes[d].onnx == s {
			return d, nil
		}
	}
	return Undefined, fmt.Errorf("tensor: unknown element type %q", s)
}
