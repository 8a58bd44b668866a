package op_test

import "testing"

func TestInferRecurrent(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"LSTM", 14, attrs("hidden_size", int64(5)), moveFacts("float[T,N,3]", "float[1,20,3]", "float[1,20,5]"), "float[T,1,N,5] | float[1,N,5] | float[1,N,5]"},
		{"GRU", 14, attrs("direction", "bidirectional"), moveFacts("float[7,N,3]", "float[2,15,3]", "float[2,15,5]", "float[2,30]", "int32[N]", "float[2,N,5]"), "float[7,2,N,5] | float[2,N,5]"},
		{"RNN", 14, attrs("layout", int64(1)), moveFacts("float[N,7,3]", "float[1,5,3]", "float[1,5,5]"), "float[N,7,1,5] | float[N,1,5]"},
		{"GRU", 1, nil, moveFacts("float[7,2,3]", "float[1,15,3]", "float[1,15,5]"), "float[7,1,2,5] | float[1,2,5]"},
		{"LSTM", 7, nil, moveFacts("float", "float", "float"), "float[?,1,?,?]"},
		{"LSTM", 14, nil, moveFacts("float[7,2,3]", "float[1,20,4]", "float[1,20,5]"), "!input 1 (W): has shape [1,20,4]"},
		{"LSTM", 14, nil, moveFacts("float[7,2,3]", "float[1,20,3]", "float[1,20,5]", "", "", "float[1,3,5]"), "!input 5"},
		{"LSTM", 14, attrs("direction", "backward"), moveFacts("float[7,2,3]", "float[1,20,3]", "float[1,20,5]"), "!forward, reverse and bidirectional"},
		{"LSTM", 14, attrs("layout", int64(2)), moveFacts("float[7,2,3]", "float[1,20,3]", "float[1,20,5]"), "!allowed are 0 and 1"},
		{"LSTM", 14, attrs("hidden_size", int64(4)), moveFacts("float[7,2,3]", "float[1,20,3]", "float[1,20,5]"), "!is 4, but R"},
		{"LSTM", 14, attrs("clip", float32(-1)), moveFacts("float[7,2,3]", "float[1,20,3]", "float[1,20,5]"), "!must be positive"},
		{"LSTM", 14, nil, moveFacts("float[7,3]", "float[1,20,3]", "float[1,20,5]"), "!rank 2"},
	})
}
