package ep

import (
	"fmt"
	"strings"
)

// ID is the index of a provider within a Registry.
type ID int

// Registry holds the providers of a session in the order in which they are asked.
type Registry struct {
	providers []Provider
	order     []ID
}

// NewRegistry returns a registry of providers, asked in the order given. Two
// providers of one name on one device are an error.
func NewRegistry(providers ...Provider) (*Registry, error) {
	r := &Registry{}
	for _, p := range providers {
		if p == nil {
			return nil, fmt.Errorf("ep: provider %d is nil", len(r.providers))
		}
		for _, q := range r.providers {
			if q.Name() == p.Name() && q.Device() == p.Device() {
				return nil, fmt.Errorf("ep: provider %s on %v is given twice", p.Name(), p.Device())
			}
		}
		r.order = append(r.order, ID(len(r.providers)))
		r.providers = append(r.providers, p)
	}
	return r, nil
}

// SetPriority sets the order by name. Every provider has to be named exactly once.
func (r *Registry) SetPriority(names ...string) error {
	var order []ID
	seen := map[ID]bool{}
	for _, name := range names {
		found := false
		for i, p := range r.providers {
			if p.Name() == name {
				if seen[ID(i)] {
					return fmt.Errorf("ep: provider %s is named twice in the priority order", name)
				}
				seen[ID(i)], found = true, true
				order = append(order, ID(i))
			}
		}
		if !found {
			return fmt.Errorf("ep: no provider is named %s; there are %s", name, strings.Join(r.names(), ", "))
		}
	}
	if len(order) != len(r.providers) {
		return fmt.Errorf("ep: the priority order names %d of %d providers: %s", len(order), len(r.providers), strings.Join(r.names(), ", "))
	}
	r.order = order
	return nil
}

func (r *Registry) names() []string {
	var out []string
	for _, p := range r.providers {
		out = append(out, p.Name())
	}
	return out
}

// Provider returns a provider by id, nil when there is none.
func (r *Registry) Provider(id ID) Provider {
	if id < 0 || int(id) >= len(r.providers) {
		return nil
	}
	return r.providers[id]
}

// Len is the number of providers; ids run from 0 to Len-1.
func (r *Registry) Len() int { return len(r.providers) }

// Order returns the ids in the order in which providers are asked. Read only.
func (r *Registry) Order() []ID { return r.order }
