package difftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gort/tensor"
)

// ORT runs models under ONNX Runtime through a program that is called as
//
//	PROGRAM run MODEL --inputs DIR --outputs DIR --opt none
//
// with input_N.pb and output_N.pb files as in ONNX's backend suite.
type ORT struct{ Program string }

// RefusedError says that ONNX Runtime does not run a model: it lacks the operator,
// the version or the element type, or takes the call for wrong.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "ONNX Runtime: " + e.Reason }

// Run returns ONNX Runtime's outputs; types are those of the outputs.
func (o ORT) Run(ctx context.Context, model []byte, inputs []tensor.Value, types []tensor.Type) ([]tensor.Value, error) {
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out, file := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "model.onnx")
	if err := errors.Join(os.Mkdir(in, 0o777), os.Mkdir(out, 0o777), os.WriteFile(file, model, 0o666)); err != nil {
		return nil, err
	}
	for i, v := range inputs {
		raw, err := tensor.WritePB(v)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("input_%d.pb", i)), raw, 0o666); err != nil {
			return nil, err
		}
	}
	var text strings.Builder
	args := []string{"run", file, "--outputs", out, "--opt", "none", "--log", "4"}
	if len(inputs) > 0 { // an empty folder lacks the first input
		args = append(args, "--inputs", in)
	}
	cmd := exec.CommandContext(ctx, o.Program, args...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		if errors.As(err, new(*exec.ExitError)) {
			return nil, &RefusedError{lastLine(text.String())}
		}
		return nil, err
	}
	var values []tensor.Value
	for i, t := range types {
		raw, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return nil, err
		}
		v, err := tensor.ReadPB(raw, t)
		if err != nil {
			return nil, fmt.Errorf("ONNX Runtime's output %d: %w", i, err)
		}
		values = append(values, v)
	}
	return values, nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
