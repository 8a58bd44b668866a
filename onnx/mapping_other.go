//go:build !unix && !windows

package onnx

import (
	"errors"
	"os"
)

const canMap = false

func mapBytes(*os.File, int) ([]byte, func() error, error) { return nil, nil, errors.ErrUnsupported }
