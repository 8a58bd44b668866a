//go:build race

package rnn

// Under the race detector sync.Pool drops objects at random.
func init() { raceEnabled = true }
