// Package ep is the execution-provider contract: what a piece of hardware, or a
// library for it, has to say so that gort can run parts of a model on it.
//
// Four interfaces carry it. A [Provider] names a device, owns its memory and
// says which nodes it runs; a [Buffer] is one allocation of that memory; a
// [Kernel] is one node made ready; an [Invocation] is one call of a kernel.
// Everything else a provider or kernel may do is a small interface that the
// engine finds by type assertion, never a method that answers "not supported".
//
// A provider decides nothing about the model: the engine places nodes, plans
// memory, moves values between devices and orders the work. It calls every
// method of this package, and ep/eptest checks that a provider answers each as
// documented here.
package ep
