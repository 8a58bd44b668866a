package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gort"
	"gort/tensor"
)

// digits holds the recogniser and pictures to try it with.
//
//go:embed digits/digits.onnx digits/samples/*.png
var digits embed.FS

func demoCommand() *command {
	return &command{
		name:    "demo",
		purpose: "Recognise handwritten digits with a model that is built in.",
		about: `
Without --image it reads ten pictures that it carries. A picture is of one digit,
dark on light or light on dark, of any size. When a file's name has a digit between
"-" and "-" or ".", as digit-7-a.png and drawn-4.png do, that is its label.`,
		examples: []string{"gort demo", "gort demo --image seven.png", "gort demo --json"},
		setup: func(fs *flag.FlagSet) action {
			var c demoConfig
			c.session.register(fs)
			fs.Func("image", "recognise the digit in a picture `FILE`; repeatable", func(s string) error {
				c.images = append(c.images, s)
				return nil
			})
			fs.BoolVar(&c.json, "json", false, "print one JSON object a picture")
			return c.run
		},
	}
}

// demoConfig is what the flags of gort demo say.
type demoConfig struct {
	session sessionFlags
	images  []string
	json    bool
}

// picture is a file to recognise.
type picture struct {
	file string
	open func() (image.Image, error)
}

// recognition is the answer for one picture.
type recognition struct {
	File          string    `json:"file"`
	Label         *int      `json:"label,omitempty"`
	Digit         int       `json:"digit"`
	Probability   float64   `json:"probability"`
	Probabilities []float64 `json:"probabilities"`
	Milliseconds  float64   `json:"ms"`
	pixels        []float32
}

func (c *demoConfig) run(ctx context.Context, std *streams, args []string) (err error) {
	if len(args) > 0 {
		return usagef("no arguments expected, got %q; pictures go after --image", args[0])
	}
	if err := c.session.check(); err != nil {
		return err
	}
	pictures, err := c.pictures()
	if err != nil {
		return err
	}
	s, err := gort.OpenFS(digits, "digits/digits.onnx", c.session.options(ctx)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	right, labelled := 0, 0
	for _, p := range pictures {
		r, err := recognise(ctx, s, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if r.Label != nil {
			if labelled++; *r.Label == r.Digit {
				right++
			}
		}
		if c.json {
			err = json.NewEncoder(std.out).Encode(r)
		} else {
			err = r.show(std.out)
		}
		if err != nil {
			return err
		}
	}
	if !c.json && labelled > 0 {
		fmt.Fprintf(std.out, "%d of %d pictures with a label recognised.\n", right, labelled)
	}
	return nil
}

// pictures are those asked for, else the ones built in.
func (c *demoConfig) pictures() ([]picture, error) {
	var list []picture
	for _, file := range c.images {
		list = append(list, picture{file, func() (image.Image, error) { return openImage(file) }})
	}
	if list != nil {
		return list, nil
	}
	const samples = "digits/samples"
	entries, err := digits.ReadDir(samples)
	for _, e := range entries {
		list = append(list, picture{e.Name(), func() (image.Image, error) {
			data, err := digits.ReadFile(path.Join(samples, e.Name()))
			if err != nil {
				return nil, err
			}
			return decodeImage(bytes.NewReader(data), ".png")
		}})
	}
	return list, err
}

// recognise reads a picture and runs the model on it.
func recognise(ctx context.Context, s *gort.Session, p picture) (*recognition, error) {
	img, err := p.open()
	if err != nil {
		return nil, err
	}
	r := &recognition{File: p.file, Label: labelOf(p.file)}
	start := time.Now()
	if r.pixels, err = prepareDigit(img); err != nil {
		return nil, err
	}
	in, err := tensor.FromSlice(r.pixels, 1, 1, digitSide, digitSide)
	if err != nil {
		return nil, err
	}
	out, err := s.Run(ctx, map[string]tensor.Value{"image": in})
	if err != nil {
		return nil, err
	}
	r.Milliseconds = float64(time.Since(start).Microseconds()) / 1e3
	t, ok := out["probabilities"].(*tensor.Tensor)
	if !ok || t.Size() != 10 {
		return nil, fmt.Errorf("the recogniser gave %v", out["probabilities"])
	}
	scores, err := tensor.Data[float32](t)
	if err != nil {
		return nil, err
	}
	for _, v := range scores {
		r.Probabilities = append(r.Probabilities, float64(v))
	}
	r.Probability = slices.Max(r.Probabilities)
	r.Digit = slices.Index(r.Probabilities, r.Probability)
	return r, nil
}

var labelInName = regexp.MustCompile(`-([0-9])[-.]`)

// labelOf is the digit that a file's name gives, nil when it has none.
func labelOf(file string) *int {
	m := labelInName.FindStringSubmatch(filepath.Base(file))
	if m == nil {
		return nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &n
}

// show prints the picture beside the probability of each digit.
func (r *recognition) show(w io.Writer) error {
	fmt.Fprintf(w, "%s: it is a %d (%.1f %%", r.File, r.Digit, 100*r.Probability)
	if r.Label != nil {
		fmt.Fprintf(w, ", label %d", *r.Label)
	}
	fmt.Fprintf(w, ", %.2f ms)\n", r.Milliseconds)
	lines := strings.Split(preview(r.pixels, digitSide), "\n")
	for i, line := range lines {
		n := i - 2 // the ten bars beside the middle of the picture
		if n >= 0 && n < len(r.Probabilities) {
			line = fmt.Sprintf("%-*s  %d %5.1f %% %s", digitSide, line, n, 100*r.Probabilities[n], bar(r.Probabilities[n], 30))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight("  "+line, " ")); err != nil {
			return err
		}
	}
	return nil
}
