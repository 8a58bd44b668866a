package tensor

// copyElements copies between windows of equal type and shape.
func copyElements(dst, src *Tensor) {
	if src.size == 0 {
		return
	}
	if dst.IsContiguous() && src.IsContiguous() {
		if dst.dtype == String {
			copy(dst.strs[dst.offset:][:dst.size], src.strs[src.offset:][:src.size])
			return
		}
		d, dok := dst.dtype.position(dst.offset)
		s, sok := src.dtype.position(src.offset)
		if dok && sok {
			// Elements in a last byte that is not full are copied one by one: the
			// rest of that byte may belong to others.
			tail := 0
			if bits := dst.dtype.Bits(); bits < 8 {
				tail = dst.size % (8 / bits)
			}
			whole := dst.dtype.Bytes(dst.size - tail)
			copy(dst.data[d:][:whole], src.data[s:][:whole])
			for i := dst.size - tail; i < dst.size; i++ {
				setPacked(dst.data, dst.dtype.Bits(), dst.offset+i, getPacked(src.data, src.dtype.Bits(), src.offset+i))
			}
			return
		}
	}
	switch dst.dtype.Bits() {
	case 0:
		copyStrided(dst.strs, src.strs, dst, src)
	case 8:
		copyStrided(dst.data, src.data, dst, src)
	case 16:
		copyStrided(cast[uint16](dst.data), cast[uint16](src.data), dst, src)
	case 32:
		copyStrided(cast[uint32](dst.data), cast[uint32](src.data), dst, src)
	case 64:
		copyStrided(cast[uint64](dst.data), cast[uint64](src.data), dst, src)
	case 128:
		copyStrided(cast[[2]uint64](dst.data), cast[[2]uint64](src.data), dst, src)
	default:
		copyPacked(dst, src)
	}
}

// copyStrided walks both windows with the innermost dimension as a plain loop.
func copyStrided[T any](d, s []T, dst, src *Tensor) {
	r := len(dst.shape)
	if r == 0 {
		d[dst.offset] = s[src.offset]
		return
	}
	dst2, sst := dst.Strides(), src.Strides()
	inner, ds, ss := dst.shape[r-1], dst2[r-1], sst[r-1]
	index := make([]int, r-1)
	do, so := dst.offset, src.offset
	for {
		if ds == 1 && ss == 1 {
			copy(d[do:do+inner], s[so:so+inner])
		} else {
			for i, x, y := 0, do, so; i < inner; i, x, y = i+1, x+ds, y+ss {
				d[x] = s[y]
			}
		}
		k := r - 2
		for ; k >= 0; k-- {
			index[k]++
			do += dst2[k]
			so += sst[k]
			if index[k] < dst.shape[k] {
				break
			}
			do -= index[k] * dst2[k]
			so -= index[k] * sst[k]
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

func copyPacked(dst, src *Tensor) {
	bits := dst.dtype.Bits()
	dit, sit := NewIterator(dst.shape, dst.Strides(), dst.offset), NewIterator(src.shape, src.Strides(), src.offset)
	for dit.Next() && sit.Next() {
		setPacked(dst.data, bits, dit.Index(), getPacked(src.data, bits, sit.Index()))
	}
}

// Iterator walks the elements of a strided window in row-major order and gives
// each one's index in the storage.
type Iterator struct {
	shape, strides, index []int
	at, left              int
	started               bool
}

// NewIterator returns an iterator standing before the first element.
func NewIterator(shape Shape, strides []int, offset int) *Iterator {
	return &Iterator{shape: shape, strides: strides, index: make([]int, len(shape)), at: offset, left: shape.Size()}
}

// Next steps to the next element and reports whether there is one.
func (it *Iterator) Next() bool {
	if it.left == 0 {
		return false
	}
	it.left--
	if !it.started {
		it.started = true
		return true
	}
	for k := len(it.shape) - 1; k >= 0; k-- {
		it.index[k]++
		it.at += it.strides[k]
		if it.index[k] < it.shape[k] {
			break
		}
		it.at -= it.index[k] * it.strides[k]
		it.index[k] = 0
	}
	return true
}

// Index is the current element's index in the storage.
func (it *Iterator) Index() int { return it.at }
