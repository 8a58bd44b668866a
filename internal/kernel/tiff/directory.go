package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	// ErrCorrupt is returned for data that is no TIFF image, or a damaged one.
	ErrCorrupt = errors.New("damaged TIFF image")
	// ErrUnsupported is returned for kinds of TIFF that are not read.
	ErrUnsupported = errors.New("TIFF variant not supported")
)

// Tags of fields.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanar          = 284
	tagGroup3Options   = 292
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	tagJPEGTables      = 347
)

// Types of fields.
const (
	typeByte      = 1
	typeShort     = 3
	typeLong      = 4
	typeUndefined = 7
)

// directory has the fields of an image.
type directory struct {
	order  binary.ByteOrder
	fields map[int]field
}

// field is a field's type and bytes.
type field struct {
	kind int
	data []byte
}

// readDirectory reads the header and the fields of the first image. Fields of types
// that are of no use here are left out.
func readDirectory(file []byte) (*directory, error) {
	d := &directory{fields: map[int]field{}}
	switch {
	case len(file) < 8:
		return nil, fmt.Errorf("%w: %d bytes are too few", ErrCorrupt, len(file))
	case string(file[:4]) == "II*\x00":
		d.order = binary.LittleEndian
	case string(file[:4]) == "MM\x00*":
		d.order = binary.BigEndian
	default:
		return nil, fmt.Errorf("%w: it begins with % x", ErrCorrupt, file[:4])
	}
	at := uint64(d.order.Uint32(file[4:]))
	if at+2 > uint64(len(file)) {
		return nil, fmt.Errorf("%w: the directory is at byte %d of %d", ErrCorrupt, at, len(file))
	}
	entries := file[at+2:]
	n := int(d.order.Uint16(file[at:]))
	if len(entries) < 12*n {
		return nil, fmt.Errorf("%w: it ends within the directory", ErrCorrupt)
	}
	for i := range n {
		e := entries[12*i:][:12]
		tag, kind := int(d.order.Uint16(e)), int(d.order.Uint16(e[2:]))
		size := map[int]uint64{typeByte: 1, typeShort: 2, typeLong: 4, typeUndefined: 1}[kind]
		size *= uint64(d.order.Uint32(e[4:]))
		data := e[8:]
		if size > 4 {
			at := uint64(d.order.Uint32(data))
			if at+size > uint64(len(file)) {
				return nil, fmt.Errorf("%w: field %d has %d bytes at byte %d of %d", ErrCorrupt, tag, size, at, len(file))
			}
			data = file[at:]
		}
		d.fields[tag] = field{kind, data[:size]}
	}
	return d, nil
}

// numbers returns a field's numbers.
func (d *directory) numbers(tag int) []int {
	f := d.fields[tag]
	var out []int
	switch f.kind {
	case typeByte:
		for _, v := range f.data {
			out = append(out, int(v))
		}
	case typeShort:
		for i := 0; i < len(f.data); i += 2 {
			out = append(out, int(d.order.Uint16(f.data[i:])))
		}
	case typeLong:
		for i := 0; i < len(f.data); i += 4 {
			out = append(out, int(d.order.Uint32(f.data[i:])))
		}
	}
	return out
}

// number returns a field's first number, or a default.
func (d *directory) number(tag, missing int) int {
	if v := d.numbers(tag); len(v) > 0 {
		return v[0]
	}
	return missing
}
