package main

import "runtime/metrics"

// mappedMemory is the memory that the Go runtime has mapped and not returned.
func mappedMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	n := int64(0)
	for i, sign := range []int64{1, -1} {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			n += sign * int64(samples[i].Value.Uint64())
		}
	}
	return n
}
