package onnx_test

import (
	"bytes"
	"fmt"
	"log"

	"gort/graph"
	"gort/onnx"
	"gort/tensor"
)

// A graph made in code is written as an ONNX file and read back.
func Example() {
	g := graph.New("scale")
	float := graph.TensorType(tensor.Float32, graph.ShapeOf(graph.Symbol("N"), graph.Known(2)))
	x, err := g.AddValue("x", float)
	if err != nil {
		log.Fatal(err)
	}
	w, err := g.AddConst("w", tensor.Must(tensor.FromSlice([]float32{10, 100})))
	if err != nil {
		log.Fatal(err)
	}
	y, err := g.AddValue("y", float)
	if err != nil {
		log.Fatal(err)
	}
	if err := g.AddInput(x); err != nil {
		log.Fatal(err)
	}
	if _, err := g.AddNode(graph.NodeSpec{Name: "mul", Op: "Mul", Inputs: []graph.ValueID{x, w}, Outputs: []graph.ValueID{y}}); err != nil {
		log.Fatal(err)
	}
	if err := g.AddOutput(y); err != nil {
		log.Fatal(err)
	}
	model, err := onnx.FromGraph(&graph.Model{Opsets: map[string]int{"": 20}, Graph: g})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := model.Write(&file); err != nil {
		log.Fatal(err)
	}

	again, err := onnx.Parse(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close()
	read, err := again.Graph()
	if err != nil {
		log.Fatal(err)
	}
	for n := range read.Graph.Nodes() {
		fmt.Println(n.Name, n.Op, n.Opset)
		for _, id := range n.Inputs() {
			v := read.Graph.Value(id)
			fmt.Println(" ", v.Name, v.Type, v.IsConstant())
		}
	}
	// Output:
	// mul Mul 20
	//   x tensor(float)[N,2] false
	//   w tensor(float)[2] true
}
