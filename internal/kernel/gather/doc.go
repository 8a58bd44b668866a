// Package gather computes the operators that read or write elements at places
// that other tensors name: gathers, scatters, Compress and OneHot. Indices are
// checked before anything is written; negative ones count from the end.
package gather
