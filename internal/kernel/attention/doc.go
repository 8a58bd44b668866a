// Package attention computes scaled dot product attention, rotary position
// embedding, and linear attention.
//
// Attention works on blocks of query rows of one head: their scores with all keys
// that the masks allow, softmax, and the product with the values, in memory that
// stays in the cache. Blocks are shared out to the threads; one element is always
// the same chain of operations.
package attention
