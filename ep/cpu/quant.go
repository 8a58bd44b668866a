package cpu

var quantBindings = []Binding{}
