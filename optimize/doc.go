// Package optimize rewrites graphs into cheaper ones with the same results.
package optimize
