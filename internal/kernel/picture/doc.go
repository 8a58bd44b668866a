// Package picture decodes image files into elements of height, width and colours
// (ONNX ImageDecoder): BMP, JPEG, JPEG 2000, PNG, TIFF, WebP and the portable formats
// PBM, PGM and PPM.
//
// Pixels are those of the usual libraries, which the operator is specified by:
// libjpeg, OpenJPEG, libwebp. What has not three colours of 8 bits becomes so:
//
//   - grey is repeated, palettes are looked up;
//   - of 16 bits the upper 8 are taken, except that the portable formats, whose
//     largest value is free, are scaled and rounded;
//   - opacity is dropped: transparent pixels keep the colour that they have;
//   - colour profiles and orientations are not applied.
package picture
