package ml

// Table maps keys to values.
type Table[K comparable, V any] struct {
	values  map[K]V
	nan     *V // the value of NaN, which is no usable key of a map
	Default V
}

// NewTable returns the table that maps keys[i] to values[i]; of equal keys the
// last one counts.
func NewTable[K comparable, V any](keys []K, values []V, def V) *Table[K, V] {
	t := &Table[K, V]{values: make(map[K]V, len(keys)), Default: def}
	for i, k := range keys {
		if k != k {
			v := values[i]
			t.nan = &v
			continue
		}
		t.values[k] = values[i]
	}
	return t
}

// Encode looks up each element.
func (t *Table[K, V]) Encode(x []K, y []V) {
	for i, k := range x {
		v, ok := t.values[k]
		switch {
		case ok:
			y[i] = v
		case k != k && t.nan != nil:
			y[i] = *t.nan
		default:
			y[i] = t.Default
		}
	}
}
