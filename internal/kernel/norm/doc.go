// Package norm computes normalisations: of channels with given or computed
// statistics, of rows, over neighbouring channels, and by norms.
//
// Statistics are computed in two passes, the mean first and then the squared
// distances from it, so that a large mean does not drown a small variance.
// All functions may run concurrently.
package norm
