package slice

import (
	"gort/internal/kernel/strided"
	"gort/tensor"
)

// DepthToSpaced is the move of DepthToSpace: with block size b and C output
// channels, pixel (h·b+i, w·b+j) of channel c comes from pixel (h, w) of channel
// (i·b+j)·C + c in the mode DCR, and c·b² + i·b+j in the mode CRD (columnFirst).
func DepthToSpaced(in tensor.Shape, b int, columnFirst bool) strided.Move {
	n, ch, h, w := in[0], in[1]/(b*b), in[2], in[3]
	plane := h * w
	block, channel := ch*plane, plane
	if columnFirst {
		block, channel = plane, b*b*plane
	}
	var m strided.Move
	m.Add(n, in[1]*plane, in[1]*plane)
	m.Add(ch, plane*b*b, channel)
	m.Add(h, w*b*b, w)
	m.Add(b, w*b, b*block)
	m.Add(w, b, 1)
	m.Add(b, 1, block)
	return m
}

// SpaceToDepthed is the move of SpaceToDepth, the inverse of DepthToSpace in
// mode DCR.
func SpaceToDepthed(in tensor.Shape, b int) strided.Move {
	n, ch, h, w := in[0], in[1], in[2]/b, in[3]/b
	var m strided.Move
	size := ch * in[2] * in[3]
	m.Add(n, size, size)
	m.Add(b, b*ch*h*w, in[3])
	m.Add(b, ch*h*w, 1)
	m.Add(ch, h*w, in[2]*in[3])
	m.Add(h, w, in[3]*b)
	m.Add(w, 1, b)
	return m
}
