package op

import (
	"gort/graph"
	"gort/tensor"
)

// Attrs reads a node's attributes with the defaults of its definition. Kinds
// were checked before, so a reader gets the zero value of its type for an
// attribute that is absent and has no default; Has tells the two apart.
type Attrs struct {
	Node *graph.Node
	Def  *Def
}

// Has reports whether the node itself gives the attribute.
func (a Attrs) Has(name string) bool {
	_, ok := a.Node.Attr(name)
	return ok
}

func get[T any](a Attrs, name string) T {
	if at, ok := a.Node.Attr(name); ok {
		v, _ := at.Value.(T)
		return v
	}
	if a.Def != nil {
		if d := a.Def.Signature().Attr(name); d != nil && d.Default != nil {
			v, _ := d.Default.(T)
			return v
		}
	}
	var zero T
	return zero
}

// Int returns an integer attribute.
func (a Attrs) Int(name string) int { return int(get[int64](a, name)) }

// Int64 returns an integer attribute at its full width.
func (a Attrs) Int64(name string) int64 { return get[int64](a, name) }

// Bool reports whether an integer attribute is not zero.
func (a Attrs) Bool(name string) bool { return get[int64](a, name) != 0 }

// IntOr returns an integer attribute, or def when the node does not give it.
func (a Attrs) IntOr(name string, def int) int {
	if a.Has(name) {
		return a.Int(name)
	}
	return def
}

// Float returns a float attribute.
func (a Attrs) Float(name string) float32 { return get[float32](a, name) }

// String returns a string attribute.
func (a Attrs) String(name string) string { return get[string](a, name) }

// Ints returns a list of integers, nil when absent.
func (a Attrs) Ints(name string) []int64 { return get[[]int64](a, name) }

// IntsAsInt returns a list of integers as ints, nil when absent.
func (a Attrs) IntsAsInt(name string) []int {
	list := a.Ints(name)
	if list == nil {
		return nil
	}
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = int(v)
	}
	return out
}

// Floats returns a list of floats, nil when absent.
func (a Attrs) Floats(name string) []float32 { return get[[]float32](a, name) }

// Strings returns a list of strings, nil when absent.
func (a Attrs) Strings(name string) []string { return get[[]string](a, name) }

// Tensor returns a tensor attribute, nil when absent.
func (a Attrs) Tensor(name string) *tensor.Tensor { return get[*tensor.Tensor](a, name) }

// Sparse returns a sparse tensor attribute, nil when absent.
func (a Attrs) Sparse(name string) *graph.Sparse { return get[*graph.Sparse](a, name) }

// Graph returns a graph attribute, nil when absent.
func (a Attrs) Graph(name string) *graph.Graph { return get[*graph.Graph](a, name) }

// Type returns a type attribute; unknown when absent.
func (a Attrs) Type(name string) graph.Type { return get[graph.Type](a, name) }
