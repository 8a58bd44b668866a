// Package matmul computes what is made of matrix products: stacks of them with
// broadcasting (MatMul), the product with a bias (Gemm), sums of products over
// named dimensions (Einsum), and determinants. The products themselves are
// internal/kernel/gemm's.
package matmul
