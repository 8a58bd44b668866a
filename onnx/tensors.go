package onnx

import (
	"iter"

	"gort/internal/onnxpb"
)

// tensorsOfModel walks every TensorProto of a model: initializers, attributes,
// subgraphs, functions and training graphs.
func tensorsOfModel(m *onnxpb.ModelProto) iter.Seq[*onnxpb.TensorProto] {
	return func(yield func(*onnxpb.TensorProto) bool) {
		w := tensorWalk{yield: yield}
		w.model(m)
	}
}

// initializersOfModel walks the dense initializers of all graphs.
func initializersOfModel(m *onnxpb.ModelProto) iter.Seq[*onnxpb.TensorProto] {
	return func(yield func(*onnxpb.TensorProto) bool) {
		w := tensorWalk{yield: yield, initializersOnly: true}
		w.model(m)
	}
}

type tensorWalk struct {
	yield            func(*onnxpb.TensorProto) bool
	initializersOnly bool
	done             bool
}

func (w *tensorWalk) model(m *onnxpb.ModelProto) {
	w.graph(m.Graph)
	for _, t := range m.TrainingInfo {
		w.graph(t.Initialization)
		w.graph(t.Algorithm)
	}
	for _, f := range m.Functions {
		w.nodes(f.Node)
		w.attributes(f.AttributeProto)
	}
}

// other walks a tensor that is no initializer.
func (w *tensorWalk) other(t *onnxpb.TensorProto) {
	if !w.initializersOnly {
		w.tensor(t)
	}
}

func (w *tensorWalk) tensor(t *onnxpb.TensorProto) {
	if t != nil && !w.done {
		w.done = !w.yield(t)
	}
}

func (w *tensorWalk) sparse(t *onnxpb.SparseTensorProto) {
	if t != nil {
		w.other(t.Values)
		w.other(t.Indices)
	}
}

func (w *tensorWalk) graph(g *onnxpb.GraphProto) {
	if g == nil || w.done {
		return
	}
	for _, t := range g.Initializer {
		w.tensor(t)
	}
	for _, t := range g.SparseInitializer {
		w.sparse(t)
	}
	w.nodes(g.Node)
}

func (w *tensorWalk) nodes(nodes []*onnxpb.NodeProto) {
	for _, n := range nodes {
		w.attributes(n.Attribute)
	}
}

func (w *tensorWalk) attributes(attrs []*onnxpb.AttributeProto) {
	for _, a := range attrs {
		w.other(a.T)
		for _, t := range a.Tensors {
			w.other(t)
		}
		w.sparse(a.SparseTensor)
		for _, t := range a.SparseTensors {
			w.sparse(t)
		}
		w.graph(a.G)
		for _, g := range a.Graphs {
			w.graph(g)
		}
	}
}
