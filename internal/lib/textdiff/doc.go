// Package textdiff finds the common part of two sequences of lines, words or characters
// and formats the difference as a unified diff.
//
// The common part is the longest one for texts of ordinary size; above a limit of work
// it is only a long one, which Diff.Coarse reports. Time and memory grow only with the
// length of the sequences.
package textdiff
