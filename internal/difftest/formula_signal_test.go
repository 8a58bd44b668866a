package difftest

import (
	"math"
	"math/cmplx"
	"testing"

	"gort/tensor"
)

// complexOf are the numbers of a tensor whose last dimension holds one or two parts.
func complexOf(t *tensor.Tensor) []complex128 {
	return numbers(t, t.Shape()[t.Rank()-1] == 2)
}

// wantNumber compares one number of a transform, whose terms bound it.
func wantNumber(t *testing.T, name string, at int, got, want complex128, tol float64) {
	t.Helper()
	if !(cmplx.Abs(got-want) <= tol) {
		t.Errorf("%s: number %d is %v, want %v", name, at, got, want)
	}
}

var transformTypes = map[tensor.DType]float64{tensor.Float64: 1e-12, tensor.Float32: 4e-7}

// DFT is the sum itself, over what there is of the first N numbers: ONNX Runtime's errs
// by some 1e-4 where N is no power of 2.
func TestDFTFormula(t *testing.T) {
	ran := 0
	for d, tol := range transformTypes {
		for seed := range uint64(80) {
			c, in, out := runCall(t, Find("", "DFT"), seed, Types{"T1": d})
			if c.attr("onesided", 0) == 1 && c.attr("inverse", 0) == 1 {
				continue // whose input lacks a half
			}
			ran++
			shape := in[0].Shape()
			axis := int(c.attr("axis", 1))
			if axis < 0 {
				axis += len(shape)
			}
			n := shape[axis]
			if len(in) > 1 {
				list, err := tensor.Int64s(in[1])
				if err != nil {
					t.Fatal(err)
				}
				n = int(list[0])
			}
			sign, by := -1.0, complex(1, 0)
			if c.attr("inverse", 0) == 1 {
				sign, by = 1, complex(1/float64(n), 0)
			}
			x, y := complexOf(in[0]), complexOf(out)
			inner, lines := shape[axis+1:len(shape)-1].Size(), shape[:axis].Size()
			bins := out.Shape()[axis]
			for o := range lines {
				for i := range inner {
					for k := range bins {
						sum := complex(0, 0)
						for j := range min(n, shape[axis]) {
							angle := sign * 2 * math.Pi * float64(j*k%n) / float64(n)
							sum += x[(o*shape[axis]+j)*inner+i] * cmplx.Rect(1, angle)
						}
						at := (o*bins+k)*inner + i
						wantNumber(t, c.Name, at, y[at], sum*by, tol*80)
					}
				}
			}
		}
	}
	if ran == 0 {
		t.Error("no call has a formula")
	}
}

// STFT is the transform of each frame times the window. (ONNX Runtime mixes up the parts
// of complex signals when there is a window.)
func TestSTFTFormula(t *testing.T) {
	for d, tol := range transformTypes {
		for seed := range uint64(80) {
			c, in, out := runCall(t, Find("", "STFT"), seed, Types{"T1": d})
			x, y := complexOf(in[0]), complexOf(out)
			step, err := tensor.Int64s(in[1])
			if err != nil {
				t.Fatal(err)
			}
			var window []float64
			if in[2] != nil {
				window, err = tensor.Float64s(in[2])
			} else {
				var list []int64
				list, err = tensor.Int64s(in[3])
				for range list[0] {
					window = append(window, 1)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			shape, length := out.Shape(), in[0].Shape()[1]
			if want := (length-len(window))/int(step[0]) + 1; shape[1] != want {
				t.Errorf("%s: %d frames, want %d", c.Name, shape[1], want)
				continue
			}
			for at := range y {
				k, frame, batch := at%shape[2], at/shape[2]%shape[1], at/shape[2]/shape[1]
				sum := complex(0, 0)
				for j, w := range window {
					angle := -2 * math.Pi * float64(j*k%len(window)) / float64(len(window))
					sum += x[batch*length+frame*int(step[0])+j] * complex(w, 0) * cmplx.Rect(1, angle)
				}
				wantNumber(t, c.Name, at, y[at], sum, tol*40)
			}
		}
	}
}
