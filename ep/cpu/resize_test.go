package cpu

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"gort/graph"
	"gort/op"
	"gort/tensor"
)

// Every type is doubled by its nearest elements, in every version.
func TestResizeEveryType(t *testing.T) {
	scales := vec[float32](2)
	def, err := op.Standard().Lookup("", "Resize", 19)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range def.Signature().Types["T1"].Tensor.List() {
		var x, want *tensor.Tensor
		switch d.Class() {
		case tensor.ClassString:
			x, want = vec("a", "b"), vec("a", "a", "b", "b")
		case tensor.ClassComplex:
			x, want = vec(complex64(1i), 2), vec(complex64(1i), 1i, 2, 2)
			x, want = tensor.Must(tensor.Convert(x, d, tensor.ConvertOptions{})), tensor.Must(tensor.Convert(want, d, tensor.ConvertOptions{}))
		default:
			x, want = numbersOf(d, []float64{0, 1}, 2), numbersOf(d, []float64{0, 0, 1, 1}, 4)
		}
		wantTensor(t, "Resize "+d.String(), nodeTest{op: "Resize", opset: 19, in: []*tensor.Tensor{x, nil, scales}}.one(t), want)
		if d != tensor.BFloat16 {
			wantTensor(t, "Upsample "+d.String(), nodeTest{op: "Upsample", opset: 9, in: []*tensor.Tensor{x, scales}}.one(t), want)
			wantTensor(t, "Resize-10 "+d.String(), nodeTest{op: "Resize", opset: 10, in: []*tensor.Tensor{x, scales}}.one(t), want)
		}
	}
	x := mat([]float32{1, 2}, 1, 1, 1, 2)
	got := nodeTest{op: "Upsample", opset: 1, attrs: []graph.Attr{graph.NewAttr("height_scale", float32(2)), graph.NewAttr("width_scale", float32(1))}, in: []*tensor.Tensor{x}}.one(t)
	wantTensor(t, "Upsample-1", got, mat([]float32{1, 2, 1, 2}, 1, 1, 2, 2))
	got = nodeTest{op: "Upsample", opset: 7, attrs: []graph.Attr{graph.NewAttr("scales", []float32{1, 1, 1, 2})}, in: []*tensor.Tensor{x}}.one(t)
	wantTensor(t, "Upsample-7", got, mat([]float32{1, 1, 2, 2}, 1, 1, 1, 4))
}

// What cubic interpolation makes of 0 and 255 beyond them stops at the type's ends.
func TestResizeSaturates(t *testing.T) {
	mode := []graph.Attr{graph.NewAttr("mode", "cubic")}
	x := vec[uint8](0, 0, 255, 255, 0, 0)
	got := tensor.Elements[uint8](nodeTest{op: "Resize", opset: 19, attrs: mode, in: []*tensor.Tensor{x, nil, vec[float32](4)}}.one(t))
	wide := tensor.Elements[float32](nodeTest{op: "Resize", opset: 19, attrs: mode, in: []*tensor.Tensor{numbersOf(tensor.Float32, []float64{0, 0, 255, 255, 0, 0}, 6), nil, vec[float32](4)}}.one(t))
	beyond := false
	for i, v := range wide {
		beyond = beyond || v < 0 || v > 255
		if want := uint8(min(max(v, 0), 255)); got[i] != want {
			t.Errorf("element %d is %d, want %d (%g)", i, got[i], want, v)
		}
	}
	if !beyond {
		t.Error("no element is beyond the range: nothing was tested")
	}
	if _, err := (nodeTest{op: "Resize", opset: 19, attrs: mode, in: []*tensor.Tensor{vec("a"), nil, vec[float32](2)}}).run(t); err == nil {
		t.Error("strings between strings: no error")
	}
}

// One kernel follows changing shapes and scales.
func TestResizeKernelIsReused(t *testing.T) {
	attrs := []graph.Attr{graph.NewAttr("mode", "linear"), graph.NewAttr("coordinate_transformation_mode", "asymmetric")}
	for _, c := range []struct {
		x     []float32
		scale float32
		want  []float32
	}{{[]float32{0, 2}, 2, []float32{0, 1, 2, 2}}, {[]float32{0, 2, 4}, 2, []float32{0, 1, 2, 3, 4, 4}}, {[]float32{0, 2, 4}, 1, []float32{0, 2, 4}}} {
		wantTensor(t, "Resize", nodeTest{op: "Resize", opset: 13, attrs: attrs, in: []*tensor.Tensor{vec(c.x...), nil, vec(c.scale)}}.one(t), vec(c.want...))
	}
}

func TestGridSampleEveryType(t *testing.T) {
	grid := mat([]float32{-1, -1, 1, 1, 3, 3}, 1, 1, 3, 2)
	for d := range gridSampleTypes {
		if d.Class() == tensor.ClassString || d.Class() == tensor.ClassBool || d.Class() == tensor.ClassComplex {
			continue // below
		}
		got := nodeTest{op: "GridSample", opset: 20, attrs: []graph.Attr{graph.NewAttr("align_corners", int64(1))}, in: []*tensor.Tensor{numbersOf(d, []float64{1, 2, 3, 4}, 1, 1, 2, 2), grid}}.one(t)
		wantTensor(t, "GridSample "+d.String(), got, numbersOf(d, []float64{1, 4, 0}, 1, 1, 1, 3))
	}
}

// Halfway between two elements: complex numbers are averaged, a bool is true where
// either is, and strings are taken from the nearest place.
func TestGridSampleOtherTypes(t *testing.T) {
	grid := mat([]float32{-1, 0, 0, 0, 1, 0, 5, 0}, 1, 1, 4, 2)
	align := graph.NewAttr("align_corners", int64(1))
	for _, c := range []struct {
		mode    string
		x, want *tensor.Tensor
	}{
		{"linear", mat([]complex64{2 + 4i, 4 - 2i}, 1, 1, 1, 2), mat([]complex64{2 + 4i, 3 + 1i, 4 - 2i, 0}, 1, 1, 1, 4)},
		{"linear", mat([]complex128{2 + 4i, 4 - 2i}, 1, 1, 1, 2), mat([]complex128{2 + 4i, 3 + 1i, 4 - 2i, 0}, 1, 1, 1, 4)},
		{"linear", mat([]bool{false, true}, 1, 1, 1, 2), mat([]bool{false, true, true, false}, 1, 1, 1, 4)},
		{"nearest", mat([]string{"a", "b"}, 1, 1, 1, 2), mat([]string{"a", "a", "b", ""}, 1, 1, 1, 4)},
	} {
		got := nodeTest{op: "GridSample", opset: 20, attrs: []graph.Attr{align, graph.NewAttr("mode", c.mode)}, in: []*tensor.Tensor{c.x, grid}}.one(t)
		wantTensor(t, "GridSample "+c.x.DType().String(), got, c.want)
	}
}

func TestImageDecoder(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	m.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 255})
	m.SetNRGBA(1, 0, color.NRGBA{40, 50, 60, 255})
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		file   []byte
		format string
		want   *tensor.Tensor
	}{
		{"png", file.Bytes(), "RGB", mat([]uint8{10, 20, 30, 40, 50, 60}, 1, 2, 3)},
		{"png", file.Bytes(), "BGR", mat([]uint8{30, 20, 10, 60, 50, 40}, 1, 2, 3)},
		{"png", file.Bytes(), "Grayscale", mat([]uint8{18, 48}, 1, 2, 1)}, // 0.299 R + 0.587 G + 0.114 B
		{"ppm", []byte("P3 #c\n1 2 1 0 1 0 1 1 1"), "RGB", mat([]uint8{0, 255, 0, 255, 255, 255}, 2, 1, 3)},
		{"pgm", []byte("P5 2 1 65535\n\xff\xff\x00\x00"), "RGB", mat([]uint8{255, 255, 255, 0, 0, 0}, 1, 2, 3)},
		{"pbm", []byte("P4 9 1\n\x80\x80"), "Grayscale", mat([]uint8{0, 255, 255, 255, 255, 255, 255, 255, 0}, 1, 9, 1)},
		{"pbm text", []byte("P1 2 1 10"), "Grayscale", mat([]uint8{0, 255}, 1, 2, 1)},
		{"nothing", nil, "RGB", mat([]uint8{}, 0, 0, 3)},
		{"broken png", file.Bytes()[:40], "RGB", mat([]uint8{}, 0, 0, 3)},
		{"short pgm", []byte("P5 2 2 255\nab"), "Grayscale", mat([]uint8{}, 0, 0, 1)},
		{"huge pgm", []byte("P5 16000 16000 255\nab"), "Grayscale", mat([]uint8{}, 0, 0, 1)},
	} {
		got := nodeTest{op: "ImageDecoder", opset: 20, attrs: []graph.Attr{graph.NewAttr("pixel_format", c.format)}, in: []*tensor.Tensor{vec(c.file...)}}.one(t)
		wantTensor(t, c.name, got, c.want)
	}
	if _, err := (nodeTest{op: "ImageDecoder", opset: 20, in: []*tensor.Tensor{vec([]uint8("GIF89a\x01\x00\x01\x00")...)}}).run(t); err == nil {
		t.Error("GIF: no error")
	}
}
