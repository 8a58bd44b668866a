package cpu

var trainingBindings = []Binding{}
