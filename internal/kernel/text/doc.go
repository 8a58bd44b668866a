// Package text computes the operators on strings.
package text
