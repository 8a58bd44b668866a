// Package graph is the intermediate representation of a model: nodes joined by
// values, with types whose dimensions are known, symbolic or unknown.
//
// Every link is kept both ways: a node lists the values it reads and makes, and
// a value knows its producer and each use, so an edit costs as much as the links
// it touches and a pass over a graph costs its nodes and edges. Ids are never
// given twice. A subgraph (the branch of an If, the body of a Loop) is a Graph of
// its own; what it reads from outside is listed as Captures in the subgraph and
// as implicit inputs of the node that holds it, so every pass sees those reads
// like any other.
package graph
