package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"gort"
	"gort/tensor"
)

func runCommand() *command {
	return &command{
		name:    "run",
		purpose: "Run a model once and show its outputs.",
		args:    "MODEL",
		about: `
Inputs come from NumPy files (.npy, .npz), ONNX test data (.pb), JSON, pictures,
or literals (@3.5 fills the input's shape, @[1,2,3] is a list). What is not given
is made up: random numbers, dimensions that the model leaves open being 1. A note
on standard error says so.

A JSON file is an object of inputs, {"x": [[1, 2]], "n": 3}, or one value: nested
lists or {"shape": [1, 2], "dtype": "float32", "data": [1, 2]}.`,
		examples: []string{
			"gort run model.onnx --random",
			"gort run mobilenet.onnx --input cat.jpg --normalize imagenet --top 5 --labels labels.txt",
			"gort run vad.onnx --input input=audio.npy --input sr=@16000 --shape state=2x1x128",
			"gort run model.onnx --input inputs.npz --output results",
			"gort run model.onnx --input inputs.json --json",
		},
		setup: func(fs *flag.FlagSet) action {
			var c runConfig
			c.session.register(fs)
			c.session.registerTimeout(fs)
			c.inputs.register(fs)
			c.output.register(fs)
			return c.run
		},
	}
}

// runConfig is what the flags of gort run say.
type runConfig struct {
	session sessionFlags
	inputs  inputFlags
	output  outputFlags
}

func (c *runConfig) run(ctx context.Context, std *streams, args []string) (err error) {
	path, err := oneModel(args)
	if err == nil {
		err = errors.Join(c.session.check(), c.output.check())
	}
	if err != nil {
		return err
	}
	ctx, cancel := c.session.deadline(ctx)
	defer cancel()
	s, err := gort.Open(path, c.session.options(ctx)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	in, err := c.inputs.resolve(s.Inputs())
	if err != nil {
		return err
	}
	for _, note := range in.notes {
		fmt.Fprintln(std.err, note)
	}
	values, err := s.RunValues(ctx, in.values...)
	if err != nil {
		return err
	}
	return c.output.write(std, namedOutputs(s.Outputs(), values))
}

// namedValue is one output of a model.
type namedValue struct {
	name  string
	value tensor.Value
}

func namedOutputs(infos []gort.ValueInfo, values []tensor.Value) []namedValue {
	out := make([]namedValue, len(values))
	for i, v := range values {
		out[i] = namedValue{infos[i].Name, v}
	}
	return out
}
