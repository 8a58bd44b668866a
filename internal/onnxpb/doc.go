// Package onnxpb holds the protobuf messages of the ONNX file format. Only the
// packages onnx and tensor see them; the rest of gort knows graphs and tensors.
package onnxpb

// The proto path gives the file a name of its own in protobuf's registry, where
// the plain onnx.proto of another library would collide with it.
//go:generate protoc --proto_path=gort/internal/onnxpb=. --go_out=. --go_opt=module=gort/internal/onnxpb gort/internal/onnxpb/onnx.proto
