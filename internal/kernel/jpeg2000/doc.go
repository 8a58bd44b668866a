// Package jpeg2000 decodes JPEG 2000 images, ISO/IEC 15444-1 (ITU-T T.800): files of
// the JP2 format and bare codestreams.
//
// The way of the data, and where to find each step:
//
//	box.go          the file's boxes: colour space, palette, channels, codestream
//	codestream.go   the codestream's markers: image size, tile-parts
//	parameters.go   how tiles are coded: styles, quantization, progression
//	tile.go         a tile's components, resolutions, bands, precincts, code-blocks
//	progression.go  the order of the packets
//	packet.go       a packet: which code-blocks get how many passes and bytes
//	tagtree.go      the trees of minima in a packet's header
//	block.go        the passes over a code-block's bit-planes
//	context.go      the contexts of their decisions
//	mq.go           the arithmetic decoder of the decisions
//	wavelet.go      the inverse wavelet transforms
//	component.go    the inverse colour transforms, and samples
//	colour.go       pixels of the samples
//
// Lossy images come out as OpenJPEG decodes them, to the bit on machines that
// compute alike: the order of float32 operations and two constants that differ from
// the standard's follow that library.
//
// Samples of up to 16 bits are read and scaled to 8: of more than 8 bits the upper 8
// count, fewer are stretched to the full range. Not read are the extensions of other
// parts of the standard, such as high-throughput coding.
package jpeg2000
