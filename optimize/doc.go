// Package optimize rewrites graphs into cheaper ones with the same results.
//
// A [Pass] looks at each node once, in an order in which what it wants to know
// was settled before, so that every pass costs the graph's nodes and edges. [Run]
// repeats the passes of a [Level], subgraphs before what surrounds them, until none
// changes anything. Passes know what operators mean only through their definitions
// and through an [Evaluator]; the tables that name operators say so in their
// comments. Each pass is on a page of its own:
//
//   - [Fold] computes what depends on constants alone;
//   - [FoldShapes] writes down integers that follow from shapes alone;
//   - [Branches] takes the branch of an If that is always taken;
//   - [Identities] removes nodes that give back their input;
//   - [Duplicates] merges nodes that compute the same;
//   - [Dead] removes what nothing reads.
//
// [LowerGradients] is no optimisation: it replaces the operator Gradient, which is
// defined by the graph around it, by nodes that compute derivatives.
//
// A rewritten graph gives the same values at the same outputs, bit for bit, from
// the same inputs; its outputs' names and the nodes' are not kept.
package optimize
