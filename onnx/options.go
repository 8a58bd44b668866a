package onnx

import "io/fs"

// Limits bound what a model file may ask for. A zero field means the default.
// All of them are checked before memory is spent.
type Limits struct {
	MaxBytes         int64 // size of the model file; default 2 GiB, the bound of protobuf itself
	MaxExternalBytes int64 // size of one external data file where it must be read instead of mapped; default 64 GiB
	MaxNodes         int64 // nodes in all graphs and functions together; default 1,000,000
	MaxMessages      int64 // protobuf messages of any kind; default 4,000,000
	MaxStrings       int64 // strings of any kind; default 32,000,000
	MaxValues        int64 // values in all graphs together, captured ones once for each level; default 4,000,000
	MaxDepth         int64 // nesting of messages; a subgraph in a subgraph adds three; default 200
	MaxString        int64 // bytes of one string, documentation or string attribute; default 256 MiB
	MaxDims          int64 // rank of a tensor or type; default 64
	MaxTensorBytes   int64 // bytes of one tensor; default 64 GiB
	MaxDenseBytes    int64 // bytes of a sparse initializer made dense; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		at    *int64
		value int64
	}{
		{&l.MaxBytes, 2 << 30},
		{&l.MaxExternalBytes, 64 << 30},
		{&l.MaxNodes, 1_000_000},
		{&l.MaxMessages, 4_000_000},
		{&l.MaxStrings, 32_000_000},
		{&l.MaxValues, 4_000_000},
		{&l.MaxDepth, 200},
		{&l.MaxString, 256 << 20},
		{&l.MaxDims, 64},
		{&l.MaxTensorBytes, 64 << 30},
		{&l.MaxDenseBytes, 1 << 30},
	} {
		if *f.at == 0 {
			*f.at = f.value
		}
	}
	return l
}

// Option changes how a model is read.
type Option func(*config)

type config struct {
	limits    Limits
	external  fs.FS
	checksums bool
}

func newConfig(opts []Option) config {
	var c config
	for _, o := range opts {
		o(&c)
	}
	c.limits = c.limits.withDefaults()
	return c
}

// WithLimits replaces the default limits.
func WithLimits(l Limits) Option { return func(c *config) { c.limits = l } }

// WithExternalData names where external data files are, instead of the model's
// directory. Models read with Read and Parse have no directory and need it. Files
// that the FS opens as [*os.File] are mapped. What the FS follows (symbolic links,
// for one) is its own affair: [os.DirFS] follows them anywhere.
func WithExternalData(fsys fs.FS) Option { return func(c *config) { c.external = fsys } }

// WithChecksums compares external data files with the SHA-1 digests that the
// model gives for them, which reads each file once in full.
func WithChecksums() Option { return func(c *config) { c.checksums = true } }
