package cpu

var signalBindings = []Binding{}
