// Package csvtab reads delimited text as tables and writes tables as CSV.
//
// Reading streams: it holds one record and the requested rows, so that files of any
// size need limited memory, and its errors name the line. Writing follows RFC 4180, and
// puts an apostrophe before a cell that a spreadsheet would run as a formula. It
// guesses no delimiter and no encoding other than UTF-8 and UTF-16 with a byte order
// mark.
package csvtab
