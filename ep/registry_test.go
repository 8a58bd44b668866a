package ep_test

import (
	"slices"
	"strings"
	"testing"

	"gort/ep"
	"gort/graph"
)

// named is a provider of which only the identity matters.
type named struct {
	ep.Provider
	name string
	id   int
}

func (n named) Name() string         { return n.name }
func (n named) Device() graph.Device { return graph.Device{Type: "test", ID: n.id} }

func TestRegistry(t *testing.T) {
	a, b := named{name: "a_ep"}, named{name: "b_ep"}
	r, err := ep.NewRegistry(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 2 || r.Provider(0) != a || r.Provider(1) != b || r.Provider(2) != nil || r.Provider(-1) != nil {
		t.Errorf("registry of %d: %v %v", r.Len(), r.Provider(0), r.Provider(1))
	}
	if got := r.Order(); !slices.Equal(got, []ep.ID{0, 1}) {
		t.Errorf("order is %v", got)
	}
	if err := r.SetPriority("b_ep", "a_ep"); err != nil || !slices.Equal(r.Order(), []ep.ID{1, 0}) {
		t.Errorf("SetPriority: %v, order %v", err, r.Order())
	}
}

func TestRegistryRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		list []ep.Provider
		says string
	}{
		{"nil", []ep.Provider{nil}, "is nil"},
		{"a provider twice", []ep.Provider{named{name: "a_ep"}, named{name: "a_ep"}}, "given twice"},
	} {
		if _, err := ep.NewRegistry(c.list...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.says)
		}
	}
	if _, err := ep.NewRegistry(named{name: "a_ep"}, named{name: "a_ep", id: 1}); err != nil {
		t.Errorf("one kind on two devices: %v", err)
	}
}

func TestSetPriorityRefuses(t *testing.T) {
	r, err := ep.NewRegistry(named{name: "a_ep"}, named{name: "b_ep"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names []string
		says  string
	}{
		{[]string{"a_ep", "c_ep"}, "there are a_ep, b_ep"},
		{[]string{"a_ep", "a_ep"}, "named twice"},
		{[]string{"a_ep"}, "1 of 2"},
		{nil, "0 of 2"},
	} {
		if err := r.SetPriority(c.names...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want an error with %q", c.names, err, c.says)
		}
	}
	if !slices.Equal(r.Order(), []ep.ID{0, 1}) {
		t.Errorf("a refused order changed the order to %v", r.Order())
	}
}
