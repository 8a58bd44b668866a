package graph

// Model is a whole program: the main graph, what it imports, and its functions.
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	Version         int64
	Doc             string
	Metadata        map[string]string
	Opsets          map[string]int // by domain; "" is ai.onnx
	Graph           *Graph
	Functions       map[FunctionKey]*Function
}

// FunctionKey identifies a model-local function.
type FunctionKey struct{ Domain, Name, Overload string }

// Function is an operator defined by a graph. Attributes of its nodes may refer
// to the function's attributes by name (Attr.Ref).
type Function struct {
	Key      FunctionKey
	Doc      string
	Attrs    []string // required attributes
	Defaults []Attr   // optional attributes with their defaults
	Opsets   map[string]int
	Graph    *Graph // inputs and outputs are the function's, by position
}

// NormalDomain returns the domain under which operators are known: ai.onnx is "".
func NormalDomain(d string) string {
	if d == "ai.onnx" {
		return ""
	}
	return d
}
