package difftest

import (
	"fmt"
	"slices"
	"testing"

	"gort/op"
	"gort/tensor"
)

// TestGeneratedCallsRun runs a few fresh calls of each generator without ONNX
// Runtime: all of gort's own ways have to agree, and the same number has to make
// the same call.
func TestGeneratedCallsRun(t *testing.T) {
	for _, gen := range Generators() {
		for _, d := range gen.Definitions() {
			made := 0
			for seed := uint64(1000); seed < 1012 && made < 3; seed++ {
				c := gen.New(d, seed, nil)
				if c == nil {
					continue
				}
				made++
				r, err := gen.Check(t.Context(), d, c, nil)
				if err != nil {
					t.Error(err)
				} else if r.Disagreement != "" {
					t.Errorf("%s: %s", c.Name, r.Disagreement)
				}
			}
		}
	}
}

// TestEveryType runs each definition with each type that it allows for each
// of its type variables: what the specification allows, gort runs, by a function body too.
func TestEveryType(t *testing.T) {
	for _, gen := range Generators() {
		for _, d := range gen.Definitions() {
			for variable, set := range d.Signature().Types {
				if sig := d.Signature(); !slices.ContainsFunc(slices.Concat(sig.Inputs, sig.Outputs), func(p op.Param) bool { return p.Type == variable }) {
					continue // as T1 of Tile-1
				}
				for _, typ := range set.List() {
					if err := gen.tryType(t, d, variable, typ); err != "" {
						t.Errorf("%s with %s = %v: %s", ID(d), variable, typ, err)
					}
				}
			}
		}
	}
}

// tryType looks for a call that runs and has that type where the variable
// stands, and returns what the last such call failed of.
func (gen *Generator) tryType(t *testing.T, d *op.Def, variable string, typ tensor.Type) string {
	fails := "the generator makes no such call"
	for seed := uint64(2000); seed < 2040; seed++ {
		c := gen.newOf(d, seed, map[string]tensor.Type{variable: typ})
		if c == nil {
			continue
		}
		model, err := c.Model(nil)
		if err != nil {
			return err.Error()
		}
		outputs, err := runAll(t, d, model, c.Fed())
		switch {
		case err != nil:
			fails = err.Error()
		case c.has(d, variable, typ, outputs):
			return ""
		}
	}
	return fails
}

// runAll runs a call in each of gort's ways but for the one without optimisation, and
// returns what the first gave.
func runAll(t *testing.T, d *op.Def, model []byte, fed []tensor.Value) (outputs []tensor.Value, err error) {
	list := ways(d)
	for i, w := range slices.Delete(list, 1, 2) {
		a := w.run(t.Context(), model, fed)
		if a.Err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, a.Err)
		}
		if i == 0 {
			outputs = a.Outputs
		}
	}
	return outputs, nil
}

// has reports whether an operand that the variable describes has the type.
func (c *Case) has(d *op.Def, variable string, typ tensor.Type, outputs []tensor.Value) bool {
	sig := d.Signature()
	for i, in := range c.Inputs {
		if in.Value != nil && sig.Input(i).Type == variable && in.Value.Type().Equal(typ) {
			return true
		}
	}
	n := 0
	for i, asked := range c.Outputs {
		if !asked {
			continue
		}
		if sig.Output(i).Type == variable && outputs[n].Type().Equal(typ) {
			return true
		}
		n++
	}
	return false
}
