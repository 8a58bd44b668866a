package engine

import (
	"context"
	"fmt"

	"gort/ep"
	"gort/tensor"
)

// transfer copies a value from one provider's memory to another's: from and to
// the host directly, between devices through the host.
func (f *frame) transfer(ctx context.Context, at int) error {
	st := &f.plan.steps[at]
	s, d := st.in[0], st.out[0]
	src, err := f.current(s)
	if err != nil {
		return err
	}
	from, to := f.plan.slots[s].provider, f.plan.slots[d].provider
	if f.plan.slots[d].kind == slotDynamic {
		if t, ok := src.Value.(*tensor.Tensor); src.Value != nil && (!ok || t.DType() == tensor.String) {
			f.args[d] = *src // only the host has such values
			return nil
		}
		shape := src.Shape
		if t, ok := src.Value.(*tensor.Tensor); ok {
			shape = t.Shape()
		}
		if err := f.allocateTransfer(d, to, src.DType, shape); err != nil {
			return err
		}
	}
	dst := &f.args[d]
	n := dst.DType.Bytes(dst.Shape.Size())
	if err := f.provider(from).Sync(ctx); err != nil {
		return err
	}
	var mem []byte
	if t, ok := src.Value.(*tensor.Tensor); ok {
		if mem, err = t.Contiguous().Bytes(); err != nil {
			return err
		}
	} else {
		if src.Strides != nil {
			return fmt.Errorf("a strided value can not leave its device")
		}
		mem = make([]byte, n)
		h, ok := f.provider(from).(ep.HostTransfer)
		if !ok {
			return fmt.Errorf("provider %s has no way to the host (ep.HostTransfer)", f.provider(from).Name())
		}
		if err := h.Download(ctx, mem, src.Buffer, src.Offset); err != nil {
			return err
		}
	}
	if t, ok := dst.Value.(*tensor.Tensor); ok {
		b, err := t.Bytes()
		if err != nil {
			return err
		}
		copy(b, mem)
		return nil
	}
	h, ok := f.provider(to).(ep.HostTransfer)
	if !ok {
		return fmt.Errorf("provider %s has no way from the host (ep.HostTransfer)", f.provider(to).Name())
	}
	return h.Upload(ctx, dst.Buffer, dst.Offset, mem)
}

func (f *frame) allocateTransfer(d int32, to ep.ID, dt tensor.DType, shape tensor.Shape) error {
	if err := f.release(d); err != nil {
		return err
	}
	n, err := shape.NumElements()
	if err != nil {
		return err
	}
	b, err := f.provider(to).Allocate(dt.Bytes(n), arenaAlign)
	if err != nil {
		return err
	}
	f.owned[d] = b
	a := &f.args[d]
	*a = ep.Arg{DType: dt, Shape: shape, Buffer: b}
	if f.plan.p.s.hostMemory[to] {
		mem, err := b.Writable()
		if err != nil {
			return err
		}
		t, err := tensor.FromBytes(dt, mem, shape...)
		if err != nil {
			return err
		}
		a.Value = t
	}
	return nil
}
