package tensor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// formatStrings writes numbers as ONNX Runtime's Cast does: floats of every type
// as C's %.8g, "NaN", "INF" and "-INF"; integers in decimal; bool as 1 and 0.
func formatStrings(dst, src *Tensor) error {
	out := Elements[string](dst)
	switch {
	case src.dtype.Class() == ClassFloat:
		wide, err := Convert(src, Float64, ConvertOptions{})
		if err != nil {
			return err
		}
		for i, v := range Elements[float64](wide) {
			out[i] = castFloatToString(v)
		}
	case src.dtype == Uint64:
		for i, v := range Elements[uint64](src) {
			out[i] = strconv.FormatUint(v, 10)
		}
	default:
		wide, err := Convert(src, Int64, ConvertOptions{})
		if err != nil {
			return err
		}
		for i, v := range Elements[int64](wide) {
			out[i] = strconv.FormatInt(v, 10)
		}
	}
	return nil
}

func castFloatToString(v float64) string {
	switch {
	case v != v:
		return "NaN"
	case v > math.MaxFloat64:
		return "INF"
	case v < -math.MaxFloat64:
		return "-INF"
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

// parseStrings reads decimal numbers, plain or with an exponent, with white space
// around them, and "INF", "+INF", "-INF" and "NaN" in any case; bool also takes
// "true" and "false". Float32 and Float64 are rounded once. For the other types
// what is written as an integer converts as an int64 or uint64 does, and the rest
// as the float64 nearest to it.
func parseStrings(dst, src *Tensor, opts ConvertOptions) error {
	for i, s := range Elements[string](src) {
		if err := parseString(dst, i, strings.TrimSpace(s), opts); err != nil {
			return fmt.Errorf("tensor: cannot convert string %d, %q, to %v: %w", i, s, dst.dtype, err)
		}
	}
	return nil
}

func parseString(dst *Tensor, i int, s string, opts ConvertOptions) error {
	switch dst.dtype.Class() {
	case ClassFloat:
		if dst.dtype == Float32 {
			v, err := parseFloat(s, 32)
			store(dst, i, []float32{float32(v)}, opts)
			return err
		}
	case ClassBool:
		switch {
		case strings.EqualFold(s, "true"):
			store(dst, i, []uint8{1}, opts)
			return nil
		case strings.EqualFold(s, "false"):
			store(dst, i, []uint8{0}, opts)
			return nil
		}
	default:
		if v, err := strconv.ParseInt(s, 10, 64); err == nil {
			store(dst, i, []int64{v}, opts)
			return nil
		}
		if v, err := strconv.ParseUint(s, 10, 64); err == nil {
			store(dst, i, []uint64{v}, opts)
			return nil
		}
	}
	v, err := parseFloat(s, 64)
	store(dst, i, []float64{v}, opts)
	return err
}

// parseFloat is strconv's without hexadecimal and underscores, which Cast does not
// know; what is out of range is infinite.
func parseFloat(s string, bits int) (float64, error) {
	if strings.ContainsAny(s, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	if len(s) == 4 && (s[0] == '+' || s[0] == '-') && strings.EqualFold(s[1:], "nan") {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(s, bits)
	if err != nil && math.IsInf(v, 0) {
		err = nil
	}
	if err != nil {
		return 0, strconv.ErrSyntax
	}
	return v, nil
}
