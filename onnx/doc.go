// Package onnx reads and writes the ONNX file format.
//
// [Open] maps a model file into memory; the weights are never copied: the tensors
// of the graph that [Model.Graph] builds alias the mapped bytes, those of the
// model file and those of the external data files beside it. [OpenFS] reads from
// any [io/fs.FS], [Read] from a stream and [Parse] from memory, which is aliased
// in the same way.
//
// A file is taken for hostile until it has been checked. Before any message is
// allocated, one pass over the wire bounds depth, counts and lengths ([Limits]);
// every claimed size is compared with the bytes that are there; external data
// can not leave the model's directory. What is wrong comes back as [*FormatError]
// or [*LimitError], and the sentinel errors of this package tell the kinds apart.
//
// A model that is read and written again keeps everything, fields unknown to this
// package included. A graph that was edited becomes a model with [FromGraph].
package onnx
