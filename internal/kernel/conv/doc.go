// Package conv computes convolutions of tensors in the layout batch, channels,
// spatial dimensions, and their relatives.
//
//   - [Plan.Float32] multiplies the weights with patches of the input that are
//     gathered panel by panel while the product runs (an implicit im2col): the
//     working memory of a thread is a few hundred KiB whatever the image.
//   - Convolutions with one input channel a group go plane by plane instead
//     (depthwise.go).
//   - [Plan.Int8] is the same product on 8-bit integers, exact in 32 bits.
//   - [Float64] is the plain loop.
//   - [Transposed], [Deform] and [Col2Im] scatter or sample instead of sliding.
//
// Work is divided over images, groups, filters and output positions, and the
// cuts along the sum are constants, so results do not depend on the number of
// threads. All functions may run concurrently.
package conv
