package cpu

var resizeBindings = []Binding{}
