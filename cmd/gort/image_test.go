package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// fourColours is 2x2: red, green over blue, and (51, 102, 204).
func fourColours() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {51, 102, 204, 255}} {
		img.SetNRGBA(i%2, i/2, c)
	}
	return img
}

func pngFile(t *testing.T, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return tempFile(t, "x.png", b.Bytes())
}

// TestImageTensor has every flag's numbers by hand.
func TestImageTensor(t *testing.T) {
	file := pngFile(t, fourColours())
	nchw, nhwc := graph.Fixed(1, 3, 2, 2), graph.Fixed(1, 2, 2, 3)
	for _, c := range []struct {
		name  string
		flags imageFlags
		dtype tensor.DType
		shape graph.Shape
		want  string
	}{
		{"bytes", imageFlags{}, tensor.Uint8, nchw, "[[[[255,0],[0,51]],[[0,255],[0,102]],[[0,0],[255,204]]]]"},
		{"unit", imageFlags{}, tensor.Float32, nchw, "[[[[1,0],[0,0.2]],[[0,1],[0,0.4]],[[0,0],[1,0.8]]]]"},
		{"nhwc", imageFlags{}, tensor.Float32, nhwc, "[[[[1,0,0],[0,1,0]],[[0,0,1],[0.2,0.4,0.8]]]]"},
		{"bgr", imageFlags{channels: "bgr"}, tensor.Float32, nhwc, "[[[[0,0,1],[0,1,0]],[[1,0,0],[0.8,0.4,0.2]]]]"},
		{"none", imageFlags{normalize: "none"}, tensor.Float32, nhwc, "[[[[255,0,0],[0,255,0]],[[0,0,255],[51,102,204]]]]"},
		{"minus1", imageFlags{normalize: "minus1"}, tensor.Float32, nhwc, "[[[[1,-1,-1],[-1,1,-1]],[[-1,-1,1],[-0.6,-0.2,0.6]]]]"},
		{"mean and std", imageFlags{mean: []float64{51, 0, 4}, std: []float64{2, 1, 10}, scale: 1}, tensor.Float32, nhwc, "[[[[102,0,-0.4],[-25.5,255,-0.4]],[[-25.5,0,25.1],[0,102,20]]]]"},
		{"mean of bgr", imageFlags{channels: "bgr", mean: []float64{255, 0, 0}, scale: 1}, tensor.Float32, nhwc, "[[[[0,0,0],[0,255,-255]],[[255,0,-255],[204,102,-204]]]]"},
		{"no batch", imageFlags{}, tensor.Uint8, graph.Fixed(3, 2, 2), "[[[255,0],[0,51]],[[0,255],[0,102]],[[0,0],[255,204]]]"},
		// 0.299*255 = 76, 150, 29; 0.299*51 + 0.587*102 + 0.114*204 = 98.4
		{"gray", imageFlags{}, tensor.Uint8, graph.Fixed(1, 1, 2, 2), "[[[[76,150],[29,98]]]]"},
		{"plane", imageFlags{}, tensor.Uint8, graph.Fixed(2, 2), "[[76,150],[29,98]]"},
		{"open", imageFlags{}, tensor.Uint8, graph.OfRank(4), "[[[[255,0],[0,51]],[[0,255],[0,102]],[[0,0],[255,204]]]]"},
		{"open nhwc gray", imageFlags{layout: "nhwc", channels: "gray"}, tensor.Uint8, graph.OfRank(4), "[[[[76],[150]],[[29],[98]]]]"},
		{"one pixel", imageFlags{channels: "rgb", width: 1, height: 1}, tensor.Uint8, graph.OfRank(4), "[[[[77]],[[89]],[[115]]]]"},
		{"imagenet", imageFlags{normalize: "imagenet", width: 1, height: 1, layout: "nhwc"}, tensor.Float64, graph.OfRank(4), ""},
	} {
		info := gort.ValueInfo{Name: "x", Type: graph.TensorType(c.dtype, c.shape)}
		got, note, err := c.flags.read(file, info, &shapeFlags{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(note, "2x2 pixels") {
			t.Errorf("%s: note %q", c.name, note)
		}
		if c.want == "" {
			continue
		}
		want := tensor.Must(tensor.FromJSON([]byte(c.want), c.dtype))
		tolerance := 1e-6
		if c.name == "one pixel" { // averages are rounded by the picture library
			tolerance = 1
		}
		if err := tensor.Compare(got, want, 0, tolerance); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestImageNet has a grey of 127.5/255 by hand: (0.5 - mean) / deviation.
func TestImageNet(t *testing.T) {
	table := normalizations["imagenet"].tables()
	for c, want := range []float64{(0.4 - 0.485) / 0.229, (0.4 - 0.456) / 0.224, (0.4 - 0.406) / 0.225} {
		if got := table[c][102]; !within(float64(got), want, 1e-6) {
			t.Errorf("channel %d: %v, want %v", c, got, want)
		}
	}
}

func TestImageErrors(t *testing.T) {
	file := pngFile(t, fourColours())
	for _, c := range []struct {
		name  string
		flags imageFlags
		ty    graph.Type
		says  string
	}{
		{"strings", imageFlags{}, graph.TensorType(tensor.String, graph.OfRank(4)), "no image fits"},
		{"sequence", imageFlags{}, graph.SequenceType(floats()), "no image fits"},
		{"rank 1", imageFlags{}, graph.TensorType(tensor.Float32, graph.OfRank(1)), "2 to 4 dimensions"},
		{"rank 5", imageFlags{}, graph.TensorType(tensor.Float32, graph.OfRank(5)), "2 to 4 dimensions"},
		{"batch", imageFlags{}, graph.TensorType(tensor.Float32, graph.Fixed(8, 3, 2, 2)), "8 images at once"},
		{"channels", imageFlags{}, graph.TensorType(tensor.Float32, graph.Fixed(1, 4, 2, 2)), "4 channels"},
		{"gray for three", imageFlags{channels: "gray"}, graph.TensorType(tensor.Float32, graph.Fixed(1, 3, 2, 2)), "3 channels"},
		{"imagenet for gray", imageFlags{normalize: "imagenet"}, graph.TensorType(tensor.Float32, graph.Fixed(1, 1, 2, 2)), "gray images"},
		{"both", imageFlags{normalize: "unit", mean: []float64{1}}, graph.TensorType(tensor.Float32, graph.OfRank(4)), "exclude"},
		{"std 0", imageFlags{std: []float64{0}}, graph.TensorType(tensor.Float32, graph.OfRank(4)), "--std"},
	} {
		_, _, err := c.flags.read(file, gort.ValueInfo{Name: "x", Type: c.ty}, &shapeFlags{})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.says)
		}
	}
}

// TestImageFormats reads what the encoders of each format write.
func TestImageFormats(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 8, 4))
	for i := range grey.Pix {
		grey.Pix[i] = 200
	}
	for ext, encode := range map[string]func(io.Writer, image.Image) error{
		".png": png.Encode, ".bmp": bmp.Encode,
		".gif":  func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) },
		".jpg":  func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		".tiff": func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b, grey); err != nil {
			t.Fatal(err)
		}
		img, err := openImage(tempFile(t, "x"+ext, b.Bytes()))
		if err != nil {
			t.Errorf("%s: %v", ext, err)
			continue
		}
		r, g, bl, _ := img.At(3, 2).RGBA()
		if got := luma(uint8(r>>8), uint8(g>>8), uint8(bl>>8)); img.Bounds().Dx() != 8 || img.Bounds().Dy() != 4 || !within(float64(got), 200, 4) {
			t.Errorf("%s: %v with brightness %d, want 8x4 with about 200", ext, img.Bounds(), got)
		}
	}
	if _, err := openImage(tempFile(t, "x.png", []byte("text"))); err == nil {
		t.Error("text was read as .png")
	}
}
