// Package element gives kernels that move elements without computing with them
// the elements of a tensor as words: Go types of the same width, so that one
// instance of a generic kernel serves all element types of that width.
package element
