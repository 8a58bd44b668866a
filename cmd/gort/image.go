package main

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"gort"
	"gort/tensor"
)

// maxPixels bounds the pictures that are decoded: 256 megapixels.
const maxPixels = 1 << 28

// imageFormat decodes one kind of file.
type imageFormat struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

var (
	jpegFormat = imageFormat{jpeg.DecodeConfig, jpeg.Decode}
	tiffFormat = imageFormat{tiff.DecodeConfig, tiff.Decode}
	// imageFormats are the kinds of pictures that are read, by file extension.
	imageFormats = map[string]imageFormat{
		".png": {png.DecodeConfig, png.Decode}, ".gif": {gif.DecodeConfig, gif.Decode},
		".bmp": {bmp.DecodeConfig, bmp.Decode}, ".webp": {webp.DecodeConfig, webp.Decode},
		".jpg": jpegFormat, ".jpeg": jpegFormat, ".tif": tiffFormat, ".tiff": tiffFormat,
	}
)

func imageExtensions() []string {
	var all []string
	for ext := range imageFormats {
		all = append(all, ext)
	}
	slices.Sort(all)
	return all
}

func isImageFile(file string) bool {
	_, ok := imageFormats[extension(file)]
	return ok
}

// decodeImage reads a picture of the kind that its file's extension says.
func decodeImage(r io.ReadSeeker, ext string) (image.Image, error) {
	format, ok := imageFormats[ext]
	if !ok {
		return nil, fmt.Errorf("is no picture of a kind that is read: %v", imageExtensions())
	}
	config, err := format.config(r)
	if err != nil {
		return nil, err
	}
	if config.Width < 1 || config.Height < 1 || config.Height > maxPixels/config.Width {
		return nil, fmt.Errorf("%dx%d pixels; up to %d in all are read", config.Width, config.Height, maxPixels)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return format.decode(r)
}

func openImage(file string) (image.Image, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := decodeImage(f, extension(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return img, nil
}

// read makes an input's tensor of a picture file, and a note on how.
func (f *imageFlags) read(file string, info gort.ValueInfo, shapes *shapeFlags) (tensor.Value, string, error) {
	if !info.Type.IsTensor() || info.Type.DType.Class() == tensor.ClassString {
		return nil, "", fmt.Errorf("is %v, which no image fits", info.Type)
	}
	g, err := f.geometry(info, shapes)
	if err != nil {
		return nil, "", err
	}
	n, scaling, err := f.normalization(info.Type.DType)
	if err != nil {
		return nil, "", err
	}
	img, err := openImage(file)
	if err != nil {
		return nil, "", err
	}
	channels := f.channels
	if channels == "" {
		if channels = "rgb"; g.depth == 1 {
			channels = "gray"
		}
	}
	t, err := imageTensor(img, g, channels, n, info.Type.DType)
	if err != nil {
		return nil, "", err
	}
	size := img.Bounds().Size()
	return t, fmt.Sprintf("%s of %dx%d pixels as %v, %s, %s", file, size.X, size.Y, t, channels, scaling), nil
}

// imageTensor scales a picture (bilinear, averaging when it shrinks), lays
// transparent parts over white, and writes its normalised channels.
func imageTensor(img image.Image, g imageGeometry, channels string, n normalization, d tensor.DType) (*tensor.Tensor, error) {
	if g.depth == 1 && (len(n.mean) != 1 || len(n.std) != 1) {
		return nil, usagef("gray images take one --mean and --std, and not --normalize imagenet")
	}
	if g.width == 0 || g.height == 0 {
		g.width, g.height = img.Bounds().Dx(), img.Bounds().Dy()
	}
	if g.height > maxPixels/g.width {
		return nil, fmt.Errorf("%dx%d pixels are too many", g.width, g.height)
	}
	g.shape[g.w], g.shape[g.h] = g.width, g.height
	if g.c >= 0 {
		g.shape[g.c] = g.depth
	}
	t, err := tensor.New(tensor.Float32, g.shape...)
	if err != nil {
		return nil, err
	}
	out, strides := tensor.Elements[float32](t), t.Strides()
	table := n.tables()
	order := map[string][]int{"rgb": {0, 1, 2}, "bgr": {2, 1, 0}}[channels]
	pixels := scaleImage(img, g.width, g.height)
	for y := range g.height {
		for x := range g.width {
			p := pixels.Pix[y*pixels.Stride+4*x:][:3]
			at := y*strides[g.h] + x*strides[g.w]
			if g.depth == 1 {
				out[at] = table[0][luma(p[0], p[1], p[2])]
				continue
			}
			for i, c := range order {
				out[at+i*strides[g.c]] = table[c][p[c]]
			}
		}
	}
	if d == tensor.Float32 {
		return t, nil
	}
	return tensor.Convert(t, d, tensor.ConvertOptions{})
}

// tables maps bytes to normalised values, for each of red, green and blue.
func (n normalization) tables() (table [3][256]float32) {
	pick := func(list []float64, c int) float64 {
		if len(list) == 1 {
			return list[0]
		}
		return list[c]
	}
	for c := range table {
		for v := range table[c] {
			table[c][v] = float32((float64(v)*n.scale - pick(n.mean, c)) / pick(n.std, c))
		}
	}
	return table
}

// luma is the brightness of a pixel (ITU-R BT.601), from 0 to 255.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*int(r) + 38470*int(g) + 7471*int(b) + 1<<15) >> 16)
}

// scaleImage returns the picture in a given size on a white ground.
func scaleImage(img image.Image, width, height int) *image.RGBA {
	flat := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Over)
	if flat.Bounds().Dx() == width && flat.Bounds().Dy() == height {
		return flat
	}
	scaled := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.BiLinear.Scale(scaled, scaled.Bounds(), flat, flat.Bounds(), draw.Src, nil)
	return scaled
}
