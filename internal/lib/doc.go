// Package lib has libraries of values: text, dates, mail, documents, formats of providers.
//
// Each promises something about values and knows nothing of Helve; some return the errors of a
// tool, which agents read. A library that only one tool needs lies here too, so that a tool stays
// one file.
package lib
