// Package reduce folds the elements along some axes of a tensor into one: sums,
// products, extrema, means, norms and the logarithms of sums.
//
// A reduction is an accumulator with a way to fold in a row of elements, a way to
// fold a row into a row of accumulators element by element, and a way to turn
// the accumulator into the result. Run joins the dimensions that are reduced or
// kept together, so that in the end either the innermost dimension is reduced
// (rows are folded) or it is kept (rows are folded into rows).
package reduce
