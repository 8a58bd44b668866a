package conformance

import (
	"context"
	"io/fs"

	"gort"
	"gort/graph"
	"gort/tensor"
)

// OpenWith returns an Opener that runs models as a program would: through gort,
// with these options.
func OpenWith(opts ...gort.Option) Opener {
	return func(_ context.Context, fsys fs.FS, name string) (Session, error) {
		s, err := gort.OpenFS(fsys, name, opts...)
		if err != nil {
			return nil, err
		}
		return session{s}, nil
	}
}

type session struct{ *gort.Session }

func (s session) InputTypes() []graph.Type  { return types(s.Inputs()) }
func (s session) OutputTypes() []graph.Type { return types(s.Outputs()) }

func types(list []gort.ValueInfo) []graph.Type {
	out := make([]graph.Type, len(list))
	for i, v := range list {
		out[i] = v.Type
	}
	return out
}

func (s session) Run(ctx context.Context, inputs []tensor.Value) ([]tensor.Value, error) {
	return s.RunValues(ctx, inputs...)
}
