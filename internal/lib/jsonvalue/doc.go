// Package jsonvalue reads JSON values in tools' arguments, finds parts of them by a
// path, and sorts, sums, flattens and writes them.
//
// Argument checks a value once (syntax, nesting, duplicate names) and reports the line
// and column of an error; everything else relies on that. Numbers keep every digit.
// MaxOutput limits what is written.
package jsonvalue
