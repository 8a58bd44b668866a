package difftest

import (
	"gort/graph"
	"gort/op"
)

// tables joins the generators of all families.
var tables = [][]Generator{
	elementwiseGenerators,
	reduceGenerators,
	mlGenerators,
	mltreeGenerators,
	quantGenerators,
	resizeGenerators,
	lossGenerators,
	randomGenerators,
	flexGenerators,
	bitwiseGenerators,
	gateGenerators,
	signalGenerators,
	trainingGenerators,
	convGenerators,
	poolGenerators,
	normGenerators,
	rnnGenerators,
	matmulGenerators,
	reshapeGenerators,
	sliceGenerators,
	gatherGenerators,
	searchGenerators,
	castGenerators,
	constantGenerators,
	attentionGenerators,
	controlGenerators,
	sequenceGenerators,
	textGenerators,
	mapGenerators,
	imageGenerators,
	contribActivationGenerators,
	contribNormGenerators,
	contribTensorGenerators,
	contribMatmulGenerators,
	contribQuantGenerators,
	contribAttentionGenerators,
	contribBlockquantGenerators,
	contribTextGenerators,
	contribMoEGenerators,
	contribGateGenerators,
	contribGenerationGenerators,
}

// Generators returns every generator.
func Generators() []*Generator {
	var out []*Generator
	for _, t := range tables {
		for i := range t {
			out = append(out, &t[i])
		}
	}
	return out
}

// Find returns the generator of an operator, nil when there is none.
func Find(domain, name string) *Generator {
	for _, g := range Generators() {
		if g.Op == name && graph.NormalDomain(g.Domain) == graph.NormalDomain(domain) {
			return g
		}
	}
	return nil
}

// Definitions returns every version of the generator's operator. Deprecated ones are
// among them: models have them, and a generator may skip.
func (gen *Generator) Definitions() []*op.Def {
	var out []*op.Def
	for _, d := range op.Standard().All() {
		if d.Name == gen.Op && graph.NormalDomain(d.Domain) == graph.NormalDomain(gen.Domain) {
			out = append(out, d)
		}
	}
	return out
}
