// Package picture decodes image files into elements of height, width and colours
// (ONNX ImageDecoder): BMP, JPEG, PNG, TIFF, WebP and the portable formats PBM,
// PGM and PPM.
//
// JPEG's reduced colour planes are enlarged as libjpeg does by default, which the
// operator requires; see chroma.go.
package picture
