// Package typings holds what scripts find beside the language, as TypeScript
// declarations for editors and type checkers.
//
// It promises, by its tests, that every name that is declared is there when a
// script runs, as the kind of thing that is declared, and that every bridge and
// every helper of utils is declared. The types of parameters and results are
// written by hand and promised by nobody.
package typings

import _ "embed"

//go:embed helve.d.ts
var declarations string

// Declarations returns the text of helve.d.ts.
func Declarations() string { return declarations }
