// Package gort runs ONNX models.
//
//	s, err := gort.Open("model.onnx")
//	if err != nil { … }
//	defer s.Close()
//	x, err := tensor.FromSlice(pixels, 1, 3, 224, 224)
//	if err != nil { … }
//	out, err := s.Run(ctx, map[string]tensor.Value{"input": x})
//
// A [Session] is made once and run often, from any number of goroutines. The
// first run with new input shapes plans memory and steps for them; later runs
// with the same shapes only compute. [Session.Bind] also reuses the outputs.
//
// Values are tensors of any ONNX element type, sequences, optionals and maps, as
// package tensor has them. Where nodes run is decided by the execution providers
// the session is given (package ep); the CPU provider is always there.
package gort
