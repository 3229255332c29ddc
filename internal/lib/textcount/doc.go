// Package textcount splits texts into words and sentences and counts them.
//
// It counts as word processors do; each Chinese or Japanese character is a word.
// Sentences are found by rules, so a count of them is an estimate.
package textcount
