package op

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"gort/graph"
)

// Registry finds definitions by domain, name and version. It does not change
// once made and is safe for concurrent use.
type Registry struct {
	defs map[key][]*Def // ascending by Since
}

type key struct{ domain, name string }

// Standard returns the registry of every definition in this package.
var Standard = sync.OnceValue(func() *Registry {
	r := &Registry{defs: map[key][]*Def{}}
	for _, family := range families {
		for i := range family {
			if d := &family[i]; d.Gradient == nil && graph.NormalDomain(d.Domain) == "" {
				d.Gradient = gradientOf(d.Name)
			}
			r.add(&family[i])
		}
	}
	r.sort()
	return r
})

func (r *Registry) add(d *Def) {
	k := key{graph.NormalDomain(d.Domain), d.Name}
	r.defs[k] = append(r.defs[k], d)
}

func (r *Registry) sort() {
	for _, list := range r.defs {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Since < list[j].Since })
	}
}

// With returns a registry that has further definitions, such as a program's own
// operators. A definition that does not parse, or that repeats one, is an error.
func (r *Registry) With(defs ...*Def) (*Registry, error) {
	out := &Registry{defs: make(map[key][]*Def, len(r.defs)+len(defs))}
	for k, list := range r.defs {
		out.defs[k] = slices.Clone(list)
	}
	for _, d := range defs {
		if err := d.Parse(); err != nil {
			return nil, err
		}
		for _, e := range out.defs[key{graph.NormalDomain(d.Domain), d.Name}] {
			if e.Since == d.Since {
				return nil, fmt.Errorf("op: %s-%d is defined twice", qualified(d.Domain, d.Name), d.Since)
			}
		}
		out.add(d)
	}
	out.sort()
	return out, nil
}

// Lookup returns the definition that holds at a version of the domain: the one
// with the highest Since not above it. It fails with *UnknownError.
func (r *Registry) Lookup(domain, name string, opset int) (*Def, error) {
	domain = graph.NormalDomain(domain)
	list := r.defs[key{domain, name}]
	i := sort.Search(len(list), func(i int) bool { return list[i].Since > opset })
	if i > 0 {
		return list[i-1], nil
	}
	e := &UnknownError{Domain: domain, Op: name, Opset: opset}
	if len(list) > 0 {
		e.First = list[0].Since
	}
	return nil, e
}

// All lists the definitions, ordered by domain, name and version.
func (r *Registry) All() []*Def {
	var out []*Def
	for _, list := range r.defs {
		out = append(out, list...)
	}
	slices.SortFunc(out, func(a, b *Def) int {
		switch {
		case a.Domain != b.Domain:
			return cmp(a.Domain, b.Domain)
		case a.Name != b.Name:
			return cmp(a.Name, b.Name)
		}
		return a.Since - b.Since
	})
	return out
}

func cmp(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

func qualified(domain, name string) string {
	if domain == "" {
		return name
	}
	return domain + "." + name
}
