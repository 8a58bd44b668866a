// Package mltree evaluates ensembles of decision trees. An ensemble is flattened
// when it is built: nodes of a few words each, siblings side by side, so that a
// step reads one node and picks one of two neighbours. Rows are worked on in
// blocks, tree by tree, so that a tree stays in the cache for a block.
package mltree
