// Package quant converts between numbers and their quantised codes, and requantises
// the exact sums of integer products.
//
// A code q with scale s and zero point z stands for (q-z)*s. Scales and zero
// points belong to a whole tensor, to the positions along one axis, or to blocks
// of positions along one axis; [Layout] says which elements share one.
package quant
