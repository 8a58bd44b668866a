package cpu

var lossBindings = []Binding{}
