// Package op defines the operators of ONNX. A [Def] holds, for one operator from
// one version of its domain on, everything that is not arithmetic: inputs and
// outputs, attributes with defaults, type constraints, the shape function and,
// where the specification gives one, the body in terms of other operators.
// Legality checks, shape inference, what a provider may claim, error messages and
// the printed operator tables all read these definitions; nothing repeats them.
//
// Definitions stand in one file a family, as tables in the notation of the
// specification's own documents:
//
//	{Name: "Conv", Since: 11,
//		Inputs:  "X: T; W: T; B?: T",
//		Outputs: "Y: T",
//		Attrs:   "auto_pad: string = NOTSET; group: int = 1; kernel_shape: ints",
//		Types:   "T = @float",
//		Infer:   inferConv},
//
// A parameter marked ? is optional, * repeats zero or more times, + once or more
// often; ~ after either says that the repeated ones may differ in type. A !
// marks a required attribute. Names of type sets start with @ (see typeset.go).
//
// The body and the gradient of an operator are texts too, see [Body] and
// [GradientContext].
//
// A shape function sees what is known of the inputs: types, dimensions, constant
// values, and integer values of which only some elements are known. The same
// function runs over symbolic shapes when a model is loaded, over concrete ones
// when a plan is made, and over actual values where a shape depends on data.
package op
