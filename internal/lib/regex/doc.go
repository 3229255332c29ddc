// Package regex runs JavaScript regular expressions on untrusted input.
//
// Compile accepts the syntax and flags of JavaScript with their meaning there, even if
// the engine differs. Matching is limited in time, memory and output: a pattern with
// endless backtracking fails with a [tool.Timeout] or [tool.ValidationError]. It is
// slower than package regexp, which code with its own patterns uses.
package regex
