// Package rnn computes the recurrent layers RNN, GRU and LSTM.
//
// The part of every step that depends on the input alone is one product over all
// steps, X*W^T + bias. What remains of a step is the product of the state with R
// and the cell's elementwise arithmetic. Both directions of a bidirectional layer
// run side by side.
package rnn
