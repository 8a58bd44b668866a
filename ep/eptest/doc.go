// Package eptest checks that an execution provider keeps the contract of package
// ep. A provider's own test calls [Test] once:
//
//	func TestContract(t *testing.T) {
//		eptest.Test(t, func() ep.Provider { return mine.New() }, eptest.MemoryLimit("mine.memory_limit"))
//	}
//
// Each clause of the contract is a subtest with a provider of its own. What a
// provider may leave out (ep.HostTransfer on a host, ep.AsyncCopier, ep.Argmaxer,
// …) is found by type assertion and checked when it is there. Run the test with
// -race as well: one clause uses the provider from many goroutines.
package eptest
