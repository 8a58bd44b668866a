package difftest

import (
	"math"

	"gort/graph"
	"gort/tensor"
)

// mltreeGenerators call the tree ensembles of ai.onnx.ml.
var mltreeGenerators = []Generator{
	{Domain: ml, Op: "TreeEnsembleRegressor", Make: treeRegressor},
	{Domain: ml, Op: "TreeEnsembleClassifier", Make: treeClassifier},
	{Domain: ml, Op: "TreeEnsemble", Make: treeEnsemble},
}

// forest is what a generator draws of trees: inner nodes with splits, and leaves.
type forest struct {
	features int
	nodes    []treeNode // tree after tree, each in preorder
}

type treeNode struct {
	tree, id    int
	mode        int // an index into treeModes, leafMode for a leaf
	feature     int
	split       float32
	yes, no     int // ids within the tree
	missingTrue bool
}

var treeModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

const leafMode = -1

func (g *G) forest() *forest {
	f := &forest{features: g.Between(1, 4)}
	oneMode := -1
	if g.Maybe() { // as trained models have it; ONNX Runtime has a path of its own for it
		oneMode = g.IntN(len(treeModes))
	}
	for t := range g.Between(1, 4) {
		id := 0
		var grow func(depth int) int
		grow = func(depth int) int {
			at, me := len(f.nodes), id
			id++
			f.nodes = append(f.nodes, treeNode{tree: t, id: me, mode: leafMode})
			if depth == 0 || g.OneIn(5) && me > 0 {
				return me
			}
			n := treeNode{tree: t, id: me, mode: oneMode, feature: g.IntN(f.features), split: float32(g.Between(-6, 6)) / 2, missingTrue: g.Maybe()}
			if n.mode < 0 {
				n.mode = g.IntN(len(treeModes))
			}
			n.yes = grow(depth - 1)
			n.no = grow(depth - 1)
			f.nodes[at] = n
			return me
		}
		grow(g.Between(1, 3))
	}
	return f
}

func (f *forest) leaves() []treeNode {
	var out []treeNode
	for _, n := range f.nodes {
		if n.mode == leafMode {
			out = append(out, n)
		}
	}
	return out
}

// rows are inputs on a grid of halves, so that values meet splits, with a NaN at times.
func (g *G) treeInput(d tensor.DType, f *forest) {
	rows := Pick(g, 1, 2, 7, 40)
	t := tensor.Must(tensor.Convert(g.Range(tensor.Int64, -8, 8, rows, f.features), tensor.Float64, tensor.ConvertOptions{}))
	list := tensor.Elements[float64](t)
	for i := range list {
		list[i] /= 2
		if g.OneIn(12) && (d == tensor.Float32 || d == tensor.Float64) {
			list[i] = math.NaN()
		}
	}
	g.In(tensor.Must(tensor.Convert(t, d, tensor.ConvertOptions{})))
}

// nodeAttrs writes the inner nodes and leaves as versions 1 and 3 have them.
func (g *G) nodeAttrs(f *forest, wide bool) {
	var trees, ids, features, yes, no, missing []int
	var modes []string
	var values []float32
	for _, n := range f.nodes {
		mode := "LEAF"
		if n.mode != leafMode {
			mode = treeModes[n.mode]
		}
		trees, ids, features = append(trees, n.tree), append(ids, n.id), append(features, n.feature)
		yes, no, modes, values = append(yes, n.yes), append(no, n.no), append(modes, mode), append(values, n.split)
		m := 0
		if n.missingTrue {
			m = 1
		}
		missing = append(missing, m)
	}
	g.Attr("nodes_treeids", trees)
	g.Attr("nodes_nodeids", ids)
	g.Attr("nodes_featureids", features)
	g.Attr("nodes_truenodeids", yes)
	g.Attr("nodes_falsenodeids", no)
	g.Attr("nodes_modes", modes)
	g.MaybeAttr("nodes_missing_value_tracks_true", missing)
	g.weights("nodes_values", values, wide)
}

// weights writes numbers as floats, or as a double tensor where version 3 has that.
func (g *G) weights(name string, list []float32, wide bool) {
	if !wide {
		g.Attr(name, list)
		return
	}
	t := tensor.Must(tensor.FromSlice(list, len(list)))
	g.Attr(name+"_as_tensor", tensor.Must(tensor.Convert(t, tensor.Float64, tensor.ConvertOptions{})))
}

// votes draws the weights of leaves: parallel lists of tree, node, target and weight.
func (g *G) votes(f *forest, prefix string, targets int, one bool, wide bool) {
	var trees, ids, target []int
	var weight []float32
	for _, n := range f.leaves() {
		for _, t := range g.Perm(targets)[:g.Between(1, targets)] {
			if one {
				t = 0
			}
			trees, ids, target, weight = append(trees, n.tree), append(ids, n.id), append(target, t), append(weight, float32(g.fraction(-2, 2)))
			if one {
				break
			}
		}
	}
	g.Attr(prefix+"_treeids", trees)
	g.Attr(prefix+"_nodeids", ids)
	g.Attr(prefix+"_ids", target)
	g.weights(prefix+"_weights", weight, wide)
}

func treeRegressor(g *G) {
	d := g.DType("T")
	f := g.forest()
	wide := g.Since() >= 3 && d == tensor.Float64
	g.treeInput(d, f)
	targets := g.Between(1, 3)
	g.Attr("n_targets", targets)
	g.nodeAttrs(f, wide)
	g.votes(f, "target", targets, false, wide)
	aggregate := Pick(g, "SUM", "AVERAGE", "MIN", "MAX")
	g.MaybeAttr("aggregate_function", aggregate)
	// ONNX Runtime leaves base values out of MIN and MAX for one target and of
	// targets that no leaf reached; the specification adds them always.
	if aggregate == "SUM" && targets == 1 && g.Maybe() {
		g.weights("base_values", someFloats(g, targets), wide)
	}
	g.MaybeAttr("post_transform", Pick(g, "NONE", "SOFTMAX", "LOGISTIC"))
	if g.Since() == 5 {
		g.AskVersion(3)
	}
}

func treeClassifier(g *G) {
	d := g.DType("T1")
	f := g.forest()
	wide := g.Since() >= 3 && d == tensor.Float64
	g.treeInput(d, f)
	g.OutputCount(2)
	classes := g.Between(2, 4)
	g.nodeAttrs(f, wide)
	// With two classes the usual models vote for one of them, and the other's score
	// follows from it; where leaves vote for both, ONNX Runtime does not follow the
	// specification.
	g.votes(f, "class", classes, classes == 2, wide)
	if g.DType("T2") == tensor.String {
		g.Attr("classlabels_strings", pickWords(g.Perm(classes)))
	} else {
		g.Attr("classlabels_int64s", g.Perm(classes))
	}
	if classes > 2 && g.Maybe() {
		g.weights("base_values", someFloats(g, classes), wide)
	}
	g.MaybeAttr("post_transform", Pick(g, "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"))
	if g.Since() == 5 {
		g.AskVersion(3)
	}
}

// treeEnsemble writes the form of version 5: inner nodes and leaves apart, and trees
// by the inner nodes that are their roots.
func treeEnsemble(g *G) {
	d := g.DType("T")
	f := g.forest()
	g.treeInput(d, f)
	type key struct{ tree, id int }
	inner, leaf := map[key]int{}, map[key]int{}
	for _, n := range f.nodes {
		k := key{n.tree, n.id}
		if n.mode == leafMode {
			leaf[k] = len(leaf)
		} else {
			inner[k] = len(inner)
		}
	}
	var features, yes, no, yesLeaf, noLeaf, missing, roots, targets []int
	var splits, weights []float32
	var modes []uint8
	point := func(tree, id int) (at, isLeaf int) {
		if i, ok := leaf[key{tree, id}]; ok {
			return i, 1
		}
		return inner[key{tree, id}], 0
	}
	codes := []uint8{0, 1, 2, 3, 4, 5} // LEQ, LT, GTE, GT, EQ, NEQ
	n := g.Between(1, 3)
	for _, node := range f.nodes {
		if node.mode == leafMode {
			targets, weights = append(targets, g.IntN(n)), append(weights, float32(g.fraction(-2, 2)))
			continue
		}
		if node.id == 0 {
			roots = append(roots, inner[key{node.tree, 0}])
		}
		features, splits, modes = append(features, node.feature), append(splits, node.split), append(modes, codes[node.mode])
		at, isLeaf := point(node.tree, node.yes)
		yes, yesLeaf = append(yes, at), append(yesLeaf, isLeaf)
		at, isLeaf = point(node.tree, node.no)
		no, noLeaf = append(no, at), append(noLeaf, isLeaf)
		m := 0
		if node.missingTrue {
			m = 1
		}
		missing = append(missing, m)
	}
	numbers := func(list []float32) *tensor.Tensor {
		return tensor.Must(tensor.Convert(tensor.Must(tensor.FromSlice(list, len(list))), d, tensor.ConvertOptions{}))
	}
	g.Attr("n_targets", n)
	g.MaybeAttr("aggregate_function", g.Between(0, 3))
	g.Attr("nodes_featureids", features)
	g.Attr("nodes_splits", numbers(splits))
	g.Attr("nodes_modes", tensor.Must(tensor.FromSlice(modes, len(modes))))
	g.Attr("nodes_truenodeids", yes)
	g.Attr("nodes_falsenodeids", no)
	g.Attr("nodes_trueleafs", yesLeaf)
	g.Attr("nodes_falseleafs", noLeaf)
	g.MaybeAttr("nodes_missing_value_tracks_true", missing)
	g.Attr("tree_roots", roots)
	g.Attr("leaf_targetids", targets)
	g.Attr("leaf_weights", numbers(weights))
	if g.OneIn(3) {
		return
	}
	// The specification numbers SOFTMAX 1 and LOGISTIC 2; ONNX Runtime has them the
	// other way round, so it is asked for the other number.
	transform := g.Between(0, 3)
	twin := *g.c
	twin.Attrs = append(twin.Attrs[:len(twin.Attrs):len(twin.Attrs)], graph.NewAttr("post_transform", int64([]int{0, 2, 1, 3}[transform])))
	g.c.Twin = &twin
	g.Attr("post_transform", transform)
}
