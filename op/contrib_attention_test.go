package op_test

import "testing"

func TestContribAttentionShapes(t *testing.T) {
	two := attrs("num_heads", 2)
	runMoveCasesOf(t, "com.microsoft", []moveCase{
		{"MultiHeadAttention", 1, two, moveFacts("float[B,3,8]", "float[B,5,8]", "float[B,5,6]"), "float[B,3,6] | float[B,2,5,4] | float[B,2,5,3] | float[B,2,3,5]"},
		{"MultiHeadAttention", 1, two, moveFacts("float[B,3,8]", "float[B,2,5,4]", "float[B,2,5,3]"), "float[B,3,6] | float[B,2,5,4] | float[B,2,5,3] | float[B,2,3,5]"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,2,2,4]"), "float[1,3,8] | float[1,2,5,4] | float[1,2,5,4] | float[1,2,3,5]"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,2,3,4]"), "float[1,3,8] | float[1,2,3,4] | float[1,2,3,4] | float[1,2,3,3]"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,5,8]", "", "", "", "float[1,2,6,4]", "float[1,2,6,4]"), "float[1,3,8] | float[1,2,11,4] | float[1,2,11,4] | float[1,2,3,11]"},
		{"MultiHeadAttention", 1, attrs("num_heads", 0), moveFacts("float", "float", "float"), "!must be 1 or more"},
		{"MultiHeadAttention", 1, attrs("num_heads", 3), moveFacts("float[1,3,8]", "float", "float"), "!3 heads do not divide"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]"), "!is missing"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]"), "!is missing"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,8]", "float", "float"), "!must have 3 or 5"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[2,5,8]", "float"), "!must be [1,"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,6]", "float"), "!must be [1,"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,4,8]"), "!must be [1,"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,2,2,4]"), "!must be [1,"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,5,8]", "float[23]"), "!must be [24]"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,5,8]", "", "", "", "float[1,2,6,4]"), "!come together"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,5,8]", "", "", "", "float[1,2,6,4]", "float[1,2,7,4]"), "!another number of rows"},
		{"MultiHeadAttention", 1, two, moveFacts("float[1,3,8]", "float[1,5,8]", "float[1,5,8]", "", "", "", "float[1,2,6,5]", "float[1,2,6,4]"), "!must be [1,"},
		{"RotaryEmbedding", 1, nil, moveFacts("float[B,S,8]", "int64[1]", "float[9,2]", "float[9,2]"), "float[B,S,8]"},
		{"RotaryEmbedding", 1, attrs("rotary_embedding_dim", 2), moveFacts("float[B,S,8]", "int64[1]", "float[9,1]", "float[9,1]"), "!needs it"},
		{"RotaryEmbedding", 1, nil, moveFacts("float[8]", "int64[1]", "float", "float"), "!must have 3 or 4"},
	})
}
