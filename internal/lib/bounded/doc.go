// Package bounded holds the limit of texts that tools make from shorter ones.
//
// Every tool whose result can be far longer than its arguments stops at MaxText and
// fails with TooMuch. The package measures nothing itself.
package bounded
