// Package arch holds the rules that concern the repository as a whole: which
// package may import which, how files are named, how long they get, what the
// module depends on. It has tests only.
package arch
