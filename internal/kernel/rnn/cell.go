package rnn

import (
	"context"

	"gort/internal/parallel"
)

// step advances the active sequences by one step: p.gates holds their input parts,
// p.h and p.c the states before and after.
func (p *pass[T]) step(ctx context.Context, pool *parallel.Pool) error {
	if p.Kind == GRU {
		return p.stepGRU(ctx, pool)
	}
	if err := p.R[0].multiply(ctx, pool, p.batch, p.h, 1, p.gates, p.row); err != nil {
		return err
	}
	for b := range p.batch {
		if !p.active(b) {
			continue
		}
		lo, hi := b*p.hidden, (b+1)*p.hidden
		gates := p.gates[b*p.row : (b+1)*p.row]
		if p.Kind == LSTM {
			p.lstm(gates, p.c[lo:hi], p.h[lo:hi])
			continue
		}
		clip(gates, p.Clip)
		p.act[0](gates)
		copy(p.h[lo:hi], gates)
	}
	return nil
}

// lstm is the cell of the LSTM page, equations (default: f=Sigmoid, g=Tanh, h=Tanh):
//
//	i = f(i + Pi.c)  f = f(f + Pf.c)  g = g(g)
//	c = f.c + i.g    o = f(o + Po.c)  h = o.h(c)
//
// where the gates come in the order i, o, f, g. The clip bounds the gates before
// their functions, but not c before h; ONNX Runtime does the same.
func (p *pass[T]) lstm(gates, c, h []T) {
	n := p.hidden
	i, o, f, g := gates[:n], gates[n:2*n], gates[2*n:3*n], gates[3*n:]
	if p.P == nil {
		clip(gates, p.Clip)
		p.act[0](gates[:3*n])
	} else {
		addProduct(i, p.P[:n], c)
		addProduct(f, p.P[2*n:], c)
		clip(i, p.Clip)
		clip(f, p.Clip)
		clip(g, p.Clip)
		p.act[0](i)
		p.act[0](f)
	}
	p.act[1](g)
	if p.InputForget {
		for j, v := range i {
			f[j] = 1 - v
		}
	}
	f, g = f[:len(i)], g[:len(i)]
	c, h = c[:len(i)], h[:len(i)]
	for j, v := range i {
		c[j] = f[j]*c[j] + v*g[j]
	}
	if p.P != nil {
		addProduct(o, p.P[n:2*n], c)
		clip(o, p.Clip)
		p.act[0](o)
	}
	copy(h, c)
	p.act[2](h)
	for j, v := range o {
		h[j] *= v
	}
}

func addProduct[T Float](y, a, b []T) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] += a[i] * b[i]
	}
}

// stepGRU is the cell of the GRU page (default: f=Sigmoid, g=Tanh):
//
//	z = f(z)  r = f(r)
//	h' = g(x + R(r.h) + b)   or, with linear_before_reset, g(x + r.(R(h) + b))
//	h = (1-z).h' + z.h
//
// where the gates come in the order z, r, h.
func (p *pass[T]) stepGRU(ctx context.Context, pool *parallel.Pool) error {
	n := p.hidden
	if err := p.R[0].multiply(ctx, pool, p.batch, p.h, 1, p.gates, p.row); err != nil {
		return err
	}
	if p.LinearBeforeReset {
		if err := p.R[1].multiply(ctx, pool, p.batch, p.h, 0, p.tmp, n); err != nil {
			return err
		}
	}
	for b := range p.batch {
		zr := p.gates[b*p.row:][:2*n]
		clip(zr, p.Clip)
		p.act[0](zr)
		r, tmp, h := zr[n:], p.tmp[b*n:(b+1)*n], p.h[b*n:(b+1)*n]
		if !p.LinearBeforeReset {
			for j, v := range r {
				tmp[j] = v * h[j]
			}
			continue
		}
		if p.B != nil {
			for j, v := range p.B[p.row+2*n : p.row+3*n] {
				tmp[j] += v
			}
		}
		addProduct(p.gates[b*p.row+2*n:(b+1)*p.row], r, tmp)
	}
	if !p.LinearBeforeReset {
		if err := p.R[1].multiply(ctx, pool, p.batch, p.tmp, 1, p.gates[2*n:], p.row); err != nil {
			return err
		}
	}
	for b := range p.batch {
		if !p.active(b) {
			continue
		}
		gates := p.gates[b*p.row : (b+1)*p.row]
		z, g, h := gates[:n], gates[2*n:], p.h[b*n:(b+1)*n]
		clip(g, p.Clip)
		p.act[1](g)
		g, h = g[:len(z)], h[:len(z)]
		for j, v := range z {
			h[j] = (1-v)*g[j] + v*h[j]
		}
	}
	return nil
}
