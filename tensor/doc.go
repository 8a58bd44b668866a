// Package tensor holds values on the host: tensors of every ONNX element type,
// and the sequences, optionals and maps that ONNX builds from them.
//
// A [Tensor] is a typed, strided window on storage. It borrows what it is given:
// [FromSlice] and [FromBytes] alias the caller's memory, views alias their base,
// and only [New], [Tensor.Contiguous] and [Tensor.Clone] allocate. Strides count
// elements and may be negative or zero. Elements of 8 bits and more are reached
// as ordinary Go slices with [Data]; the packed 4- and 2-bit types one element
// at a time or with [Unpack].
//
// [Convert] turns one element type into another by the rules of the ONNX Cast
// operator, and [Compare] compares values as ONNX's backend tests do.
//
// The package also reads and writes the formats in which people keep tensors:
// NumPy's .npy and .npz, the protobuf messages of ONNX test data, and JSON.
package tensor
