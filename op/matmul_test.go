package op_test

import "testing"

func TestInferMatMul(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"MatMul", 13, nil, moveFacts("float[2,3]", "float[3,4]"), "float[2,4]"},
		{"MatMul", 1, nil, moveFacts("double[N,7,3]", "double[3,M]"), "double[N,7,M]"},
		{"MatMul", 9, nil, moveFacts("int32[3]", "int32[3]"), "int32[]"},
		{"MatMul", 13, nil, moveFacts("float[3]", "float[5,3,4]"), "float[5,4]"},
		{"MatMul", 13, nil, moveFacts("float[5,4,3]", "float[3]"), "float[5,4]"},
		{"MatMul", 13, nil, moveFacts("float[N,1,2,3]", "float[6,3,4]"), "float[N,6,2,4]"},
		{"MatMul", 13, nil, moveFacts("float[N,K]", "float[L,4]"), "float[N,4]"},
		{"MatMul", 13, nil, moveFacts("float[0,3]", "float[3,0]"), "float[0,0]"},
		{"MatMul", 13, nil, moveFacts("float", "float[3,4]"), "float"},
		{"MatMul", 13, nil, moveFacts("float[2,3]", "float[4,4]"), "!3 columns meet 4 rows"},
		{"MatMul", 13, nil, moveFacts("float[2,2,3]", "float[3,3,4]"), "!do not broadcast"},
		{"MatMul", 13, nil, moveFacts("float[]", "float[3,4]"), "!is a scalar"},
	})
}

func TestInferGemm(t *testing.T) {
	runMoveCases(t, []moveCase{
		{"Gemm", 13, nil, moveFacts("float[N,3]", "float[3,4]", "float[4]"), "float[N,4]"},
		{"Gemm", 11, attrs("transA", int64(1), "transB", int64(1)), moveFacts("float[3,2]", "float[4,3]"), "float[2,4]"},
		{"Gemm", 13, nil, moveFacts("float[2,3]", "float[3,4]", "float[]"), "float[2,4]"},
		{"Gemm", 6, attrs("broadcast", int64(1)), moveFacts("float[2,3]", "float[3,4]", "float[4]"), "float[2,4]"},
		{"Gemm", 6, nil, moveFacts("float[2,3]", "float[3,4]", "float[4]"), "!unless broadcast is 1"},
		{"Gemm", 13, nil, moveFacts("float", "float[3,M]"), "float[?,M]"},
		{"Gemm", 13, nil, moveFacts("float[2,3]", "float[3,4]", "float[2]"), "!does not broadcast"},
		{"Gemm", 13, nil, moveFacts("float[2,3]", "float[3,4]", "float[1,2,4]"), "!at most 2"},
		{"Gemm", 13, attrs("transB", int64(1)), moveFacts("float[2,3]", "float[3,4]"), "!3 columns meet 4 rows"},
		{"Gemm", 13, nil, moveFacts("float[2,3,1]", "float[3,4]"), "!rank 3"},
	})
}

func TestInferEinsumAndDet(t *testing.T) {
	eq := func(s string) []any { return []any{"equation", s} }
	runMoveCases(t, []moveCase{
		{"Einsum", 12, attrs(eq("bij, bjk -> bik")...), moveFacts("float[B,2,3]", "float[B,3,K]"), "float[B,2,K]"},
		{"Einsum", 12, attrs(eq("ij,jk")...), moveFacts("int8[2,3]", "int8[3,4]"), "int8[2,4]"},
		{"Einsum", 12, attrs(eq("ba")...), moveFacts("float[2,3]"), "float[3,2]"},
		{"Einsum", 12, attrs(eq("...ii->...i")...), moveFacts("float[N,5,3,3]"), "float[N,5,3]"},
		{"Einsum", 12, attrs(eq("...ij,...jk")...), moveFacts("float[7,2,3]", "float[5,7,3,4]"), "float[5,7,2,4]"},
		{"Einsum", 12, attrs(eq("i->")...), moveFacts("float[3]"), "float[]"},
		{"Einsum", 12, attrs(eq("ij->ji")...), moveFacts("float"), "float[?,?]"},
		{"Einsum", 12, attrs(eq("ij->ik")...), moveFacts("float[2,3]"), "!in no operand"},
		{"Einsum", 12, attrs(eq("ij->ii")...), moveFacts("float[2,3]"), "!occurs twice"},
		{"Einsum", 12, attrs(eq("i*j")...), moveFacts("float[2,3]"), "!no letter"},
		{"Einsum", 12, attrs(eq("i,j")...), moveFacts("float[2]"), "!2 operands, the node 1"},
		{"Einsum", 12, attrs(eq("ijk")...), moveFacts("float[2,3]"), "!names 3 dimensions"},
		{"Einsum", 12, attrs(eq("ij,jk")...), moveFacts("float[2,3]", "float[4,5]"), "!earlier one of the same label is 3"},
		{"Det", 22, nil, moveFacts("float[N,4,4]"), "float[N]"},
		{"Det", 11, nil, moveFacts("double[4,?]"), "double[]"},
		{"Det", 11, nil, moveFacts("float[4,3]"), "!must be square"},
		{"Det", 11, nil, moveFacts("float[4]"), "!at least 2"},
	})
}
