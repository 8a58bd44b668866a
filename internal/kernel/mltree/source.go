package mltree

// Mode is how a node compares its feature with its split value.
type Mode uint8

// Modes, numbered as in TreeEnsemble-5.
const (
	LEQ Mode = iota
	LT
	GTE
	GT
	EQ
	NEQ
	Member
)

// Modes by the names of TreeEnsembleClassifier and TreeEnsembleRegressor. LEAF is
// no mode of a branch.
var Modes = map[string]Mode{
	"BRANCH_LEQ": LEQ, "BRANCH_LT": LT, "BRANCH_GTE": GTE, "BRANCH_GT": GT, "BRANCH_EQ": EQ, "BRANCH_NEQ": NEQ, "BRANCH_MEMBER": Member,
}

// Child points to a branch, or with ^i to leaf i.
type Child int

// Branch is one inner node: feature, comparison, and where to go.
type Branch struct {
	Feature int
	Mode    Mode
	Split   float64
	Members []float64 // of mode Member
	Missing bool      // NaN counts as true
	Yes, No Child
}

// Vote is what a leaf adds to a target or class.
type Vote struct {
	Target int
	Weight float64
}

// Source is an ensemble as a model file describes it.
type Source struct {
	Branches []Branch
	Leaves   [][]Vote
	Roots    []Child
	Targets  int
}
