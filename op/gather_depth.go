package op

import (
	"fmt"

	"gort/tensor"
)

// OneHotDepth reads OneHot's depth, one number of any type; fractions are cut off.
func OneHotDepth(t *tensor.Tensor) (int, error) {
	f, err := tensor.Float64s(t)
	if err != nil {
		return 0, err
	}
	if len(f) != 1 {
		return 0, fmt.Errorf("shape %v, must be one number", t.Shape())
	}
	if !(f[0] >= 0 && f[0] < 1<<53) {
		return 0, fmt.Errorf("is %v, must not be negative", f[0])
	}
	return int(f[0]), nil
}
