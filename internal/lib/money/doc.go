// Package money reads, adds and divides amounts of money in decimal.
//
// It promises that sums are exact, whatever the amounts, and that an amount has at most
// the decimals of its currency by ISO 4217. It converts nothing: an amount of one currency
// is never added to an amount of another.
//
// The decimals are those of cockroachdb/apd: its exponents are bounded, so that a number
// such as 1e999999999 from a caller is refused instead of being written out.
package money
