package op_test

import (
	"errors"
	"strings"
	"testing"

	"gort/op"
)

func TestLookupTakesTheNewestVersionNotAboveTheOpset(t *testing.T) {
	for _, c := range []struct {
		domain, name string
		opset, since int
	}{
		{"", "Abs", 1, 1},
		{"", "Abs", 5, 1},
		{"", "Abs", 6, 6},
		{"", "Abs", 12, 6},
		{"", "Abs", 13, 13},
		{"", "Abs", 1 << 30, 13},
		{"ai.onnx", "Abs", 13, 13},
		{"", "Gelu", 20, 20},
		{"ai.onnx.ml", "TreeEnsemble", 5, 5},
		{"ai.onnx.ml", "LabelEncoder", 3, 2},
	} {
		d, err := op.Standard().Lookup(c.domain, c.name, c.opset)
		if err != nil {
			t.Errorf("Lookup(%q, %q, %d): %v", c.domain, c.name, c.opset, err)
			continue
		}
		if d.Name != c.name || d.Since != c.since {
			t.Errorf("Lookup(%q, %q, %d) is %s-%d, want version %d", c.domain, c.name, c.opset, d.Name, d.Since, c.since)
		}
	}
}

func TestLookupSaysWhyThereIsNoDefinition(t *testing.T) {
	for _, c := range []struct {
		domain, name string
		opset        int
		first        int
		says         string
	}{
		{"", "Gelu", 19, 20, "operator Gelu does not exist in opset 19; it came with opset 20, so the model's opset import is too old for it"},
		{"", "Abs", 0, 1, "operator Abs does not exist in opset 0; it came with opset 1, so the model's opset import is too old for it"},
		{"", "Abs", -1, 1, "operator Abs does not exist in opset -1; it came with opset 1, so the model's opset import is too old for it"},
		{"ai.onnx.ml", "TreeEnsemble", 4, 5, "operator ai.onnx.ml.TreeEnsemble does not exist in opset 4; it came with opset 5, so the model's opset import is too old for it"},
		{"", "Frobnicate", 13, 0, "operator Frobnicate (opset 13) is not known; check its domain and spelling, or give its definition and kernel to the session"},
		{"com.example", "Abs", 1, 0, "operator com.example.Abs (opset 1) is not known; check its domain and spelling, or give its definition and kernel to the session"},
	} {
		d, err := op.Standard().Lookup(c.domain, c.name, c.opset)
		var unknown *op.UnknownError
		if !errors.As(err, &unknown) {
			t.Errorf("Lookup(%q, %q, %d) is %v, %v, want an UnknownError", c.domain, c.name, c.opset, d, err)
			continue
		}
		if unknown.First != c.first || err.Error() != c.says {
			t.Errorf("Lookup(%q, %q, %d): %q, first %d\nwant %q, first %d", c.domain, c.name, c.opset, err, unknown.First, c.says, c.first)
		}
	}
}

func TestWithAddsDefinitionsToACopy(t *testing.T) {
	own := &op.Def{Domain: "com.example", Name: "Double", Since: 1, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float"}
	later := &op.Def{Domain: "com.example", Name: "Double", Since: 3, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float"}
	base := op.Standard()
	more, err := base.With(later, own)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := more.Lookup("com.example", "Double", 2); err != nil || d != own {
		t.Errorf("Lookup at version 2 is %v, %v, want the definition of version 1", d, err)
	}
	if d, err := more.Lookup("com.example", "Double", 3); err != nil || d != later {
		t.Errorf("Lookup at version 3 is %v, %v, want the definition of version 3", d, err)
	}
	if d, err := base.Lookup("com.example", "Double", 2); err == nil {
		t.Errorf("the registry that With was called on has %v", d)
	}
}

func TestWithRefuses(t *testing.T) {
	for _, c := range []struct {
		def  *op.Def
		says string
	}{
		{&op.Def{Name: "Abs", Since: 6, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float"}, "Abs-6 is defined twice"},
		{&op.Def{Domain: "ai.onnx", Name: "Abs", Since: 6, Inputs: "X: T", Outputs: "Y: T", Types: "T = @float"}, "Abs-6 is defined twice"},
		{&op.Def{Name: "A", Since: 1, Types: "T"}, `type constraint "T" has no =`},
		{&op.Def{Name: "A", Since: 1, Types: "T = flot"}, "flot"},
		{&op.Def{Name: "A", Since: 1, Types: "T = map(int64)"}, `type "map(int64)" is no map`},
		{&op.Def{Name: "A", Since: 1, Inputs: "X"}, `parameter "X" has no type`},
		{&op.Def{Name: "A", Since: 1, Outputs: "Y: U"}, "U"},
		{&op.Def{Name: "A", Since: 1, Inputs: ": float"}, "has no name"},
		{&op.Def{Name: "A", Since: 1, Attrs: "axis"}, `attribute "axis" has no kind`},
		{&op.Def{Name: "A", Since: 1, Attrs: "axis: integer"}, `unknown kind "integer"`},
		{&op.Def{Name: "A", Since: 1, Attrs: "axis: int = one"}, "one"},
		{&op.Def{Name: "A", Since: 1, Attrs: "axes: ints = 0 x"}, "x"},
		{&op.Def{Name: "A", Since: 1, Attrs: "f: float = x"}, "x"},
		{&op.Def{Name: "A", Since: 1, Attrs: "t: tensor = 1"}, "a tensor has no default"},
	} {
		t.Run(c.def.Inputs+c.def.Types+c.def.Attrs, func(t *testing.T) {
			if _, err := op.Standard().With(c.def); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("With(%+v): %v\nwant an error that says %q", c.def, err, c.says)
			}
		})
	}
}

// The order of All depends on nothing but the definitions.
func TestAllIsOrdered(t *testing.T) {
	var last *op.Def
	for _, d := range op.Standard().All() {
		if last != nil && (last.Domain > d.Domain || last.Domain == d.Domain && (last.Name > d.Name || last.Name == d.Name && last.Since >= d.Since)) {
			t.Errorf("%s %s-%d stands before %s %s-%d", last.Domain, last.Name, last.Since, d.Domain, d.Name, d.Since)
		}
		last = d
	}
}
