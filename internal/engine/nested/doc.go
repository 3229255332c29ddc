// Package nested makes the calls that a running call makes: those of scripts, and of batches.
//
// It promises that each of them has an id that follows from the outer call, a decision, a fence and a
// record of its own, and that the outer call is fenced before the first of them acts. It bounds their
// number and depth, and parks none.
package nested
