// Package cpu is the execution provider that runs on the host. It binds operator
// definitions to the numerics of internal/kernel: one file a family, each a table
// of [Binding] and the functions that read attributes and shapes once, when a
// model is built, and leave only arithmetic for the run.
//
// What the provider supports is what the bindings say and the definitions allow;
// there is no second list.
package cpu
