// Package pool reduces windows of tensors in the layout planes (batch times
// channels), spatial dimensions: maximum, average and Lp norm, over sliding
// windows, whole planes and regions of interest.
//
// Only window elements inside the input are visited, so the time is bounded by
// the sizes of the tensors however large a window is declared. All functions may
// run concurrently.
package pool
