package op

import "gort/graph"

// Image files.
var imageDefs = []Def{
	{Name: "ImageDecoder", Since: 20,
		Inputs:        "encoded_stream: T1",
		Outputs:       "image: T2",
		Attrs:         "pixel_format: string = RGB",
		Types:         "T1 = uint8; T2 = uint8",
		DataDependent: true,
		Infer:         inferImageDecoder},
}

// inferImageDecoder knows the number of colours only: an image's size is in its
// bytes.
func inferImageDecoder(c *Context) error {
	if err := c.WantRank(0, 1); err != nil {
		return err
	}
	colours := 3
	switch f := c.String("pixel_format"); f {
	case "RGB", "BGR":
	case "Grayscale":
		colours = 1
	default:
		return c.AttrErrorf("pixel_format", "is %q, allowed are RGB, BGR and Grayscale", f)
	}
	c.SetDims(0, graph.Dim{}, graph.Dim{}, graph.Known(colours))
	return nil
}
