// Package difftest compares ways of computing the same node. A generator makes
// random but valid calls of one operator (attributes, ranks, element types,
// broadcasting, negative axes, zero-size dimensions, omitted inputs); each call
// becomes a model of one node and is run
//
//   - by gort as a program would run it,
//   - by gort without optimisation,
//   - by the operator's function body, where the definition has one, on a provider
//     that declines the operator, and
//   - by ONNX Runtime, where a program that runs it is at hand.
//
// ONNX Runtime's answers are the reference. The command beside this package runs
// the generators and writes disagreements as small folders in the layout of ONNX's
// backend suite:
//
//	go run ./internal/difftest/run -ort PROGRAM 'com.microsoft.Gelu|Pad-.*'
//
// With -record it stores calls together with ONNX Runtime's answers in testdata,
// one file an operator; the tests of this package run the stored calls, so they
// need no ONNX Runtime, and with -tags purego they try the pure-Go kernels.
//
// Calls may have subgraphs, which a generator builds with [Sub], and operands that are
// sequences, optionals or maps; where ONNX Runtime takes no such input, its model
// makes it of tensors (parts.go).
//
// To add an operator, write a function that fills a [G] and list it in a table of
// gen_<family>.go; generators.go joins the tables.
package difftest
