package main

import (
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemo compares the samples with what PyTorch, which trained the model, says
// of them with preprocessing of its own (digits/accuracy.json).
func TestDemo(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("digits", "accuracy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Samples []struct {
			File        string
			Label       int
			Predicted   int
			Probability float64
		}
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	got := map[string]recognition{}
	for line := range strings.Lines(mustRun(t, "demo", "--json")) {
		var r recognition
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		got[r.File] = r
	}
	if len(got) != len(want.Samples) || len(got) == 0 {
		t.Errorf("%d samples recognised, want %d", len(got), len(want.Samples))
	}
	for _, w := range want.Samples {
		r, ok := got[w.File]
		if !ok || r.Label == nil {
			t.Errorf("%s: not among the samples, or without label", w.File)
			continue
		}
		if r.Digit != w.Label || r.Digit != w.Predicted || *r.Label != w.Label {
			t.Errorf("%s: %d, label %d, want %d", w.File, r.Digit, *r.Label, w.Label)
		}
		if !within(r.Probability, w.Probability, 5e-5) { // five digits are given
			t.Errorf("%s: probability %.5f, want %.5f", w.File, r.Probability, w.Probability)
		}
	}
}

func TestDemoShows(t *testing.T) {
	out := mustRun(t, "demo")
	for _, part := range []string{"digit-7-a.png: it is a 7 (96.5 %, label 7, ", "10 of 10 pictures", "@@@"} {
		if !strings.Contains(out, part) {
			t.Errorf("gort demo lacks %q:\n%s", part, out)
		}
	}
}

func TestDemoImages(t *testing.T) {
	sample := filepath.Join("digits", "samples", "drawn-4.png")
	out := mustRun(t, "demo", "--image", sample, "--image", sample)
	if strings.Count(out, "it is a 4") != 2 || !strings.Contains(out, "2 of 2 pictures") {
		t.Errorf("two pictures of a 4:\n%s", out)
	}
	blank := filepath.Join(t.TempDir(), "blank.png")
	f, err := os.Create(blank)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 9, 9))), f.Close()); err != nil {
		t.Fatal(err)
	}
	code, _, errs := invoke(t, "demo", "--image", blank)
	if code != exitFailure || !strings.Contains(errs, "no digit") {
		t.Errorf("a blank picture: exit code %d, %q", code, errs)
	}
}

func TestLabelOf(t *testing.T) {
	for name, want := range map[string]int{
		"digit-7-a.png": 7, "drawn-4.png": 4, "a/digit-1-b.png": 1, "seven.png": -1, "7.png": -1, "digit-12-a.png": -1, "a-3/x.png": -1,
	} {
		got := labelOf(name)
		if (got == nil) != (want < 0) || got != nil && *got != want {
			t.Errorf("labelOf(%q) is %v, want %d", name, got, want)
		}
	}
}

// stroke draws a rectangle of ink on paper.
func stroke(width, height int, ink image.Rectangle, paperShade, inkShade uint8) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			shade := paperShade
			if image.Pt(x, y).In(ink) {
				shade = inkShade
			}
			img.SetGray(x, y, color.Gray{Y: shade})
		}
	}
	return img
}

// TestPrepareDigit compares with a rectangle of 5x10 pixels by hand: it becomes
// 10x20 of full ink, from column 9 and row 4 on, in either polarity.
func TestPrepareDigit(t *testing.T) {
	ink := image.Rect(3, 2, 8, 12)
	for name, img := range map[string]image.Image{
		"dark ink":  stroke(20, 16, ink, 250, 10),
		"light ink": stroke(20, 16, ink, 10, 250),
		"faint ink": stroke(20, 16, ink, 100, 100-minContrast),
	} {
		got, err := prepareDigit(img)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, v := range got {
			want := float32(0)
			if x, y := i%digitSide, i/digitSide; x >= 9 && x < 19 && y >= 4 && y < 24 {
				want = 1
			}
			if !within(float64(v), float64(want), 1e-6) {
				t.Errorf("%s: pixel %d,%d is %v, want %v", name, i%digitSide, i/digitSide, v, want)
				break
			}
		}
	}
	for name, img := range map[string]image.Image{
		"one colour":      stroke(9, 9, image.Rectangle{}, 80, 0),
		"little contrast": stroke(9, 9, image.Rect(3, 3, 5, 5), 100, 100-minContrast+1),
		"empty":           image.NewGray(image.Rectangle{}),
	} {
		if _, err := prepareDigit(img); !errors.Is(err, errNoDigit) {
			t.Errorf("%s: error %v, want errNoDigit", name, err)
		}
	}
}

// TestInk has a picture of one dark, one faint and one middling pixel on white:
// 0, 235 and 127 of 255, so shares 1, 20/255 and 128/255 of the contrast.
func TestInk(t *testing.T) {
	p := newPlane[int](5, 3)
	for i := range p.at {
		p.at[i] = 255
	}
	p.at[6], p.at[7], p.at[8] = 0, 235, 127
	ink, err := inkOf(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]float64{6: 1, 7: 0, 8: (128./255 - 0.15) / 0.85, 0: 0} {
		if !within(ink.at[i], want, 1e-12) {
			t.Errorf("pixel %d is %v, want %v", i, ink.at[i], want)
		}
	}
	if c := crop(ink); c.width != 3 || c.height != 1 {
		t.Errorf("cropped to %dx%d, want 3x1", c.width, c.height)
	}
}

// TestGrey has colours whose brightness is by hand, and transparency over white.
func TestGrey(t *testing.T) {
	img := image.NewNRGBA(image.Rect(5, 7, 8, 9)) // not at the origin
	for i, c := range []color.NRGBA{
		{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 0, 0}, {0, 0, 0, 128}, {255, 255, 255, 255},
	} {
		img.SetNRGBA(5+i%3, 7+i/3, c)
	}
	// 0.299*255 = 76.2, 0.587*255 = 149.7, 0.114*255 = 29.07; half black over white is 127
	for i, want := range []int{76, 150, 29, 255, 127, 255} {
		if got := grey(img).at[i]; got != want {
			t.Errorf("pixel %d is %d, want %d", i, got, want)
		}
	}
}

// TestResizeRows halves and doubles by hand.
func TestResizeRows(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		// weights at distances .5 and 1.5 of support 2: 3/4 and 1/4, cut off at the edges
		{[]float64{0, 4, 8, 12}, []float64{(0*.75 + 4*.75 + 8*.25) / 1.75, (4*.25 + 8*.75 + 12*.75) / 1.75}},
		{[]float64{0, 4}, []float64{0, 1, 3, 4}},
		{[]float64{7}, []float64{7, 7, 7}},
	} {
		got := resizeRows(plane[float64]{len(c.in), 1, c.in}, len(c.want))
		for i, want := range c.want {
			if !within(got.at[i], want, 1e-12) {
				t.Errorf("%v in %d: %v, want %v", c.in, len(c.want), got.at, c.want)
				break
			}
		}
	}
}

func TestPreview(t *testing.T) {
	got := preview([]float32{0, 1, 0.5, 0, 1, 0.5}, 3)
	if want := " @+\n"; got != want {
		t.Errorf("preview is %q, want %q", got, want)
	}
	if bar(0.5, 10) != "#####" || bar(0, 10) != "" || bar(2, 3) != "###" {
		t.Error("bar is wrong")
	}
}
