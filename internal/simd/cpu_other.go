//go:build !amd64 || purego

package simd

func vector() bool { return false }

func disable() (restore func()) { return func() {} }
