package cpu

var cumulativeBindings = []Binding{}
