// Package strided copies elements between memory layouts: from a window with one
// set of strides to a window with another. Transposing, expanding, slicing,
// joining, tiling and shuffling blocks are such copies, so they all share this
// one loop nest, which merges dimensions, copies runs as a whole, widens short
// runs to words, transposes in blocks that fit the cache, and works in parallel.
package strided
