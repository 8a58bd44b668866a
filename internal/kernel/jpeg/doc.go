// Package jpeg decodes JPEG images (ITU-T T.81) to exactly the pixels that libjpeg
// and libjpeg-turbo give with their default settings, which is what ONNX's
// ImageDecoder is specified by.
//
// The standard leaves the last bits of a decoder open: how the inverse cosine
// transform rounds, and how colour planes of reduced size are enlarged. This package
// makes libjpeg's choices: the "slow integer" transform of 13-bit constants (idct.go),
// triangle filters for planes of half the width or height (upsample.go), and colour
// conversion in 16-bit fixed point (colour.go).
//
// It reads sequential and progressive images of 8 bits a sample, with one, three or
// four components (grey; YCbCr or RGB; CMYK or YCCK), in one scan or many. Orientation
// and colour profiles are the caller's business.
//
// Where libjpeg warns about damaged data and carries on with grey blocks, this
// package returns an error. It does not smooth the block edges of progressive images
// whose last scans were never sent, as libjpeg does.
//
// Decode reads the entropy-coded data into planes of samples; an image's RowReader
// turns them into rows of pixels.
package jpeg
