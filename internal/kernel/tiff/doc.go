// Package tiff decodes TIFF images (revision 6.0) into pixels of red, green and blue:
// the first image of a file, in strips or tiles, with samples of a pixel together or
// apart.
//
//	directory.go  the file's header and the fields of the image
//	decode.go     the image's properties, and its strips and tiles
//	unpack.go     decompression and samples
//	pixel.go      colours of samples
//
// It reads samples of 1, 2, 4, 8 and 16 bits that are grey, RGB, a palette's indices
// or CMYK, and YCbCr within JPEG; uncompressed or with the compressions CCITT group 3
// (one-dimensional) and group 4, LZW, Deflate, PackBits and JPEG. Of 16 bits the upper 8 are
// taken. Opacity is dropped; colours multiplied by it are divided again.
package tiff
