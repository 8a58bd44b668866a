// Package search computes the operators that look for elements: the largest
// ones, the non-zero ones, the distinct ones, and the boxes that overlap no
// better one.
package search
