package cpu_test

import (
	"testing"

	"gort/ep"
	"gort/ep/cpu"
	"gort/ep/eptest"
)

func TestContract(t *testing.T) {
	eptest.Test(t, func() ep.Provider { return cpu.New() }, eptest.MemoryLimit("cpu.memory_limit"))
}
