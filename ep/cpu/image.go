package cpu

var imageBindings = []Binding{}
