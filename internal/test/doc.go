// Package test has the tests of whole systems, the rules of the source, the model of a call, and
// what tests of several packages share.
//
// It promises nothing to programs, which do not link it.
package test
