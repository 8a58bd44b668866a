// Package ml computes the classical models and feature steps of the ai.onnx.ml
// domain, but for tree ensembles (internal/kernel/mltree). Where the
// specification leaves a detail open (what a binary classifier with one column of
// scores writes, which class wins a tie), the outputs are those of ONNX Runtime.
package ml
