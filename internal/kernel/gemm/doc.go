// Package gemm multiplies matrices: C = alpha*op(A)*op(B) + beta*C, row major,
// strides in elements.
//
//   - [Float32] and [Float32PackedB] use the vector kernels of internal/simd
//     on cache-sized blocks; products with a vector take a path of their own.
//   - [Generic] serves the other numeric types in plain Go.
//   - [Int8] and [Int8PackedB] are the exact integer products behind
//     MatMulInteger, ConvInteger and the QLinear operators.
//
// Work is divided over rows and columns of C, never along k, and the cuts along
// k are constants: an element is the same chain of additions whatever the
// number of threads. All functions may run concurrently, look at the context
// between blocks (milliseconds at most), and keep their packing buffers for
// the next call, so that nothing is allocated in steady state ([Generic]
// excepted: some small objects a call).
//
// When an error is returned for a context that is done, C holds a mixture of
// old, partial and finished elements.
package gemm
