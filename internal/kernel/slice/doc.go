// Package slice computes the operators that join, cut, pad, repeat and shuffle
// tensors: they move elements and never look at them, so every element type of
// one width shares a kernel. Where the operator is a copy between two strided
// windows, package strided does it; this package says which windows.
package slice
