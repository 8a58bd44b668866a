package cpu

import (
	"gort/op"
	"gort/tensor"
)

// Claims returns the element types that kernels take where each type variable of a
// definition stands, in tensors or inside sequences and optionals. It is nil when no
// kernel follows the definition. What a kernel declines beyond types does not show.
func Claims(d *op.Def) map[string]op.DTypes {
	var out map[string]op.DTypes
	for _, bd := range standard()[d.Domain+"."+d.Name] {
		if d.Since < bd.From || bd.To > 0 && d.Since > bd.To {
			continue
		}
		if out == nil {
			out = map[string]op.DTypes{}
		}
		for variable, spec := range d.Signature().Types {
			allowed := spec.Elements()
			if narrowed, ok := bd.Types[variable]; ok {
				if bd.ViaFloat32 && narrowed.Has(tensor.Float32) {
					narrowed |= viaFloat32Types
				}
				allowed &= narrowed
			}
			out[variable] |= allowed
		}
	}
	return out
}
