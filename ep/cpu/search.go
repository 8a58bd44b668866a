package cpu

var searchBindings = []Binding{}
