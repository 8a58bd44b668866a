//go:build !linux

package main

// peakMemory is what the Go runtime has mapped, in bytes: a stand-in where the
// peak of the whole process is not to be had.
func peakMemory() int64 { return mappedMemory() }
