package cpu

var textBindings = []Binding{}
