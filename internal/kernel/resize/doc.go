// Package resize resamples tensors: to another size along some of their
// dimensions, or at positions that a grid gives.
//
// Resizing is separable: [Axis] holds, for each output position along one
// dimension, which input positions it is made of and with which weights.
// Everything that depends on modes and coordinates is in those tables; what runs
// over the elements is the same for all of them.
package resize
