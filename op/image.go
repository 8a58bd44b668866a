package op

// Image files.
var imageDefs = []Def{
	{Name: "ImageDecoder", Since: 20,
		Inputs:  "encoded_stream: T1",
		Outputs: "image: T2",
		Attrs:   "pixel_format: string = RGB",
		Types:   "T1 = uint8; T2 = uint8"},
}
