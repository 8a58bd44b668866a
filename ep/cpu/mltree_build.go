package cpu

import (
	"fmt"
	"slices"

	"gort/internal/kernel/mltree"
	"gort/tensor"
)

// floatsAttr reads numbers that the definition allows as floats or, under the same
// name with _as_tensor, as a tensor.
func floatsAttr(b *Build, name string) ([]float64, error) {
	if t := b.Tensor(name + "_as_tensor"); t != nil && t.Size() > 0 {
		list, err := tensor.Float64s(t)
		if err != nil {
			return nil, b.AttrErrorf(name+"_as_tensor", "%v", err)
		}
		return list, nil
	}
	list := b.Floats(name)
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out, nil
}

// treeSource reads the ensemble of TreeEnsembleClassifier (votes "class") and
// TreeEnsembleRegressor (votes "target"), whose nodes are named by tree and id.
func treeSource(b *Build, votes string, targets int) (*mltree.Source, error) {
	trees, ids := b.Ints("nodes_treeids"), b.Ints("nodes_nodeids")
	features, modes := b.Ints("nodes_featureids"), b.Strings("nodes_modes")
	yes, no := b.Ints("nodes_truenodeids"), b.Ints("nodes_falsenodeids")
	missing := b.Ints("nodes_missing_value_tracks_true")
	splits, err := floatsAttr(b, "nodes_values")
	if err != nil {
		return nil, err
	}
	n := len(trees)
	for name, have := range map[string]int{
		"nodes_nodeids": len(ids), "nodes_featureids": len(features), "nodes_modes": len(modes),
		"nodes_truenodeids": len(yes), "nodes_falsenodeids": len(no), "nodes_values": len(splits),
	} {
		if have != n {
			return nil, b.AttrErrorf(name, "has %d elements, nodes_treeids has %d", have, n)
		}
	}
	if len(missing) != 0 && len(missing) != n {
		return nil, b.AttrErrorf("nodes_missing_value_tracks_true", "has %d elements, must have %d or none", len(missing), n)
	}
	type key struct{ tree, id int64 }
	src := &mltree.Source{Targets: targets}
	at := make(map[key]mltree.Child, n)
	for i := range n {
		k := key{trees[i], ids[i]}
		if _, twice := at[k]; twice {
			return nil, b.AttrErrorf("nodes_nodeids", "names node %d of tree %d twice", k.id, k.tree)
		}
		if modes[i] == "LEAF" {
			at[k] = ^mltree.Child(len(src.Leaves))
			src.Leaves = append(src.Leaves, nil)
			continue
		}
		at[k] = mltree.Child(len(src.Branches))
		src.Branches = append(src.Branches, mltree.Branch{})
	}
	last := int64(0)
	started := map[int64]bool{}
	for i := range n {
		self := at[key{trees[i], ids[i]}]
		// The first node listed of a tree is its root.
		if (i == 0 || trees[i] != last) && !started[trees[i]] {
			src.Roots = append(src.Roots, self)
			started[trees[i]] = true
		}
		last = trees[i]
		if self < 0 {
			continue
		}
		mode, ok := mltree.Modes[modes[i]]
		if !ok || mode == mltree.Member {
			return nil, b.AttrErrorf("nodes_modes", "element %d is %q, allowed are BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ, LEAF", i, modes[i])
		}
		br := mltree.Branch{Feature: int(features[i]), Mode: mode, Split: splits[i], Missing: missing != nil && missing[i] != 0}
		for _, c := range []struct {
			to   *mltree.Child
			id   int64
			name string
		}{{&br.Yes, yes[i], "nodes_truenodeids"}, {&br.No, no[i], "nodes_falsenodeids"}} {
			if *c.to, ok = at[key{trees[i], c.id}]; !ok {
				return nil, b.AttrErrorf(c.name, "element %d is %d, tree %d has no such node", i, c.id, trees[i])
			}
		}
		src.Branches[self] = br
	}
	voteTrees, voteNodes, voteIDs := b.Ints(votes+"_treeids"), b.Ints(votes+"_nodeids"), b.Ints(votes+"_ids")
	weights, err := floatsAttr(b, votes+"_weights")
	if err != nil {
		return nil, err
	}
	if len(voteNodes) != len(voteTrees) || len(voteIDs) != len(voteTrees) || len(weights) != len(voteTrees) {
		return nil, b.AttrErrorf(votes+"_treeids", "has %d elements, %s_nodeids %d, %s_ids %d and %s_weights %d; they must agree", len(voteTrees), votes, len(voteNodes), votes, len(voteIDs), votes, len(weights))
	}
	for i := range voteTrees {
		c, ok := at[key{voteTrees[i], voteNodes[i]}]
		if !ok {
			return nil, b.AttrErrorf(votes+"_nodeids", "element %d is %d, tree %d has no such node", i, voteNodes[i], voteTrees[i])
		}
		if c < 0 { // weights of branches mean nothing
			src.Leaves[^c] = append(src.Leaves[^c], mltree.Vote{Target: int(voteIDs[i]), Weight: weights[i]})
		}
	}
	return src, nil
}

// treeEnsembleSource reads TreeEnsemble-5, whose branches and leaves are numbered
// by position.
func treeEnsembleSource(b *Build) (*mltree.Source, error) {
	numbers := func(name string) ([]float64, error) {
		t := b.Tensor(name)
		if t == nil {
			return nil, nil
		}
		list, err := tensor.Float64s(t)
		if err != nil {
			return nil, b.AttrErrorf(name, "%v", err)
		}
		return list, nil
	}
	splits, err := numbers("nodes_splits")
	if err != nil {
		return nil, err
	}
	modes, err := numbers("nodes_modes")
	if err != nil {
		return nil, err
	}
	weights, err := numbers("leaf_weights")
	if err != nil {
		return nil, err
	}
	members, err := numbers("membership_values")
	if err != nil {
		return nil, err
	}
	features, missing := b.Ints("nodes_featureids"), b.Ints("nodes_missing_value_tracks_true")
	yes, no := b.Ints("nodes_truenodeids"), b.Ints("nodes_falsenodeids")
	yesLeaf, noLeaf := b.Ints("nodes_trueleafs"), b.Ints("nodes_falseleafs")
	n := len(features)
	for name, have := range map[string]int{
		"nodes_splits": len(splits), "nodes_modes": len(modes), "nodes_truenodeids": len(yes), "nodes_falsenodeids": len(no),
		"nodes_trueleafs": len(yesLeaf), "nodes_falseleafs": len(noLeaf),
	} {
		if have != n {
			return nil, b.AttrErrorf(name, "has %d elements, nodes_featureids has %d", have, n)
		}
	}
	if len(missing) != 0 && len(missing) != n {
		return nil, b.AttrErrorf("nodes_missing_value_tracks_true", "has %d elements, must have %d or none", len(missing), n)
	}
	targets := b.Ints("leaf_targetids")
	if len(targets) != len(weights) {
		return nil, b.AttrErrorf("leaf_targetids", "has %d elements, leaf_weights has %d", len(targets), len(weights))
	}
	src := &mltree.Source{Targets: b.IntOr("n_targets", 1)}
	for i := range targets {
		src.Leaves = append(src.Leaves, []mltree.Vote{{Target: int(targets[i]), Weight: weights[i]}})
	}
	child := func(id, leaf int64) mltree.Child {
		if leaf != 0 {
			return ^mltree.Child(id)
		}
		return mltree.Child(id)
	}
	for i := range n {
		if yes[i] < 0 || no[i] < 0 {
			return nil, b.AttrErrorf("nodes_truenodeids", "node %d goes to %d and %d, must not be negative", i, yes[i], no[i])
		}
		if m := modes[i]; m < 0 || m > float64(mltree.Member) {
			return nil, b.AttrErrorf("nodes_modes", "element %d is %v, allowed are 0 to 6", i, m)
		}
		br := mltree.Branch{
			Feature: int(features[i]), Mode: mltree.Mode(modes[i]), Split: splits[i],
			Missing: missing != nil && missing[i] != 0, Yes: child(yes[i], yesLeaf[i]), No: child(no[i], noLeaf[i]),
		}
		if br.Mode == mltree.Member {
			end := slices.IndexFunc(members, func(v float64) bool { return v != v })
			if end < 0 {
				return nil, b.AttrErrorf("membership_values", "has no set for node %d; each set ends with NaN", i)
			}
			br.Members, members = members[:end], members[end+1:]
		}
		src.Branches = append(src.Branches, br)
	}
	for _, r := range b.Ints("tree_roots") {
		if r < 0 || r >= int64(n) {
			return nil, b.AttrErrorf("tree_roots", "names node %d, there are %d", r, n)
		}
		src.Roots = append(src.Roots, mltree.Child(r))
	}
	return src, nil
}

// buildForest flattens an ensemble and words errors for the node.
func buildForest[T mltree.Float](src *mltree.Source) (*mltree.Forest[T], error) {
	f, err := mltree.New[T](src)
	if err != nil {
		return nil, fmt.Errorf("the trees are malformed: %w", err)
	}
	return f, nil
}
