package main

import (
	"errors"
	"image"
	"image/color"
	"math"
	"slices"
)

// The digit recogniser's preprocessing. digits/train.py describes the steps, and
// the model only knows pictures that went through exactly these.
const (
	digitSide   = 28   // the model's input is digitSide x digitSide
	digitBox    = 20   // the ink's longer side in it
	inkFloor    = 0.15 // fainter ink than this share of the contrast is paper
	minContrast = 24   // of 255; below it a picture holds no digit
)

// errNoDigit is returned for a picture of one colour.
var errNoDigit = errors.New("no digit in the picture: it is of one colour")

// plane is a picture of one channel, row by row.
type plane[T any] struct {
	width, height int
	at            []T
}

func newPlane[T any](width, height int) plane[T] {
	return plane[T]{width, height, make([]T, width*height)}
}

// prepareDigit turns a picture of any size into the model's input, row by row: 0
// is paper, 1 is ink.
func prepareDigit(img image.Image) ([]float32, error) {
	if img.Bounds().Empty() {
		return nil, errNoDigit
	}
	ink, err := inkOf(grey(img))
	if err != nil {
		return nil, err
	}
	return centred(resizeInk(crop(ink))), nil
}

// grey lays a picture over white and takes its brightness, 0 to 255 (steps 1 and 2).
func grey(img image.Image) plane[int] {
	b := img.Bounds()
	p := newPlane[int](b.Dx(), b.Dy())
	for y := range p.height {
		for x := range p.width {
			c := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
			over := func(v uint8) int { return (int(c.A)*int(v) + (255-int(c.A))*255 + 127) / 255 }
			p.at[y*p.width+x] = (19595*over(c.R) + 38470*over(c.G) + 7471*over(c.B) + 1<<15) >> 16
		}
	}
	return p
}

// inkOf tells ink from paper by the border's median and scales it to 0 … 1
// (steps 3 and 4).
func inkOf(y plane[int]) (plane[float64], error) {
	var border []int
	for i, v := range y.at {
		if row, column := i/y.width, i%y.width; row == 0 || row == y.height-1 || column == 0 || column == y.width-1 {
			border = append(border, v)
		}
	}
	slices.Sort(border)
	paper := border[len(border)/2]
	darker, brighter := paper-slices.Min(y.at), slices.Max(y.at)-paper
	contrast, sign := brighter, 1
	if darker > brighter {
		contrast, sign = darker, -1
	}
	if contrast < minContrast {
		return plane[float64]{}, errNoDigit
	}
	ink := newPlane[float64](y.width, y.height)
	for i, v := range y.at {
		share := float64(sign*(v-paper)) / float64(contrast)
		ink.at[i] = max(0, (share-inkFloor)/(1-inkFloor))
	}
	return ink, nil
}

// crop cuts out the smallest rectangle that holds all ink (step 5).
func crop(ink plane[float64]) plane[float64] {
	left, top, right, bottom := ink.width, ink.height, 0, 0
	for i, v := range ink.at {
		if v > 0 {
			x, y := i%ink.width, i/ink.width
			left, right = min(left, x), max(right, x+1)
			top, bottom = min(top, y), max(bottom, y+1)
		}
	}
	out := newPlane[float64](right-left, bottom-top)
	for y := range out.height {
		copy(out.at[y*out.width:][:out.width], ink.at[(top+y)*ink.width+left:])
	}
	return out
}

// resizeInk scales the longer side to digitBox and the darkest ink to 1 (steps 6 and 7).
func resizeInk(ink plane[float64]) plane[float64] {
	side := float64(max(ink.width, ink.height))
	scaled := func(n int) int { return max(1, int(digitBox*float64(n)/side+0.5)) }
	out := turn(resizeRows(turn(resizeRows(ink, scaled(ink.width))), scaled(ink.height)))
	darkest := slices.Max(out.at)
	for i := range out.at {
		out.at[i] /= darkest
	}
	return out
}

// turn swaps rows and columns.
func turn(p plane[float64]) plane[float64] {
	out := newPlane[float64](p.height, p.width)
	for y := range p.height {
		for x := range p.width {
			out.at[x*out.width+y] = p.at[y*p.width+x]
		}
	}
	return out
}

// resizeRows scales every row to a new width through a triangle filter with
// half-pixel centres, which averages when it shrinks.
func resizeRows(p plane[float64], width int) plane[float64] {
	out := newPlane[float64](width, p.height)
	scale := float64(p.width) / float64(width)
	support := max(1, scale)
	for x := range width {
		centre := (float64(x) + 0.5) * scale
		first, last := max(0, int(centre-support-0.5)), min(p.width, int(centre+support+1.5))
		weights, sum := make([]float64, last-first), 0.0
		for i := range weights {
			weights[i] = max(0, 1-math.Abs(float64(first+i)+0.5-centre)/support)
			sum += weights[i]
		}
		for y := range p.height {
			total := 0.0
			for i, w := range weights {
				total += w * p.at[y*p.width+first+i]
			}
			out.at[y*width+x] = total / sum
		}
	}
	return out
}

// centred puts ink in the middle of the model's input (step 8).
func centred(ink plane[float64]) []float32 {
	out := make([]float32, digitSide*digitSide)
	left, top := (digitSide-ink.width)/2, (digitSide-ink.height)/2
	for y := range ink.height {
		for x := range ink.width {
			out[(top+y)*digitSide+left+x] = float32(ink.at[y*ink.width+x])
		}
	}
	return out
}
