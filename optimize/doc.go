// Package optimize rewrites graphs into cheaper ones with the same results.
//
// A [Pass] looks at each node once, in an order in which what it wants to know
// was settled before, so that every pass costs the graph's nodes and edges. [Run]
// repeats the passes of a [Level] until none changes anything. Passes know what
// operators mean only through their definitions and through an [Evaluator]; the
// tables that name operators say so in their comments.
package optimize
