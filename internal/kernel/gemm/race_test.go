//go:build race

package gemm

// Under the race detector sync.Pool drops objects at random.
func init() { raceEnabled = true }
