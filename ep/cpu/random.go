package cpu

var randomBindings = []Binding{}
