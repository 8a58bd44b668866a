package cpu

var attentionBindings = []Binding{}
