// Package typings holds the runtime API of scripts as TypeScript declarations for
// editors and type checkers.
//
// Its tests check that every declared name exists when a script runs, with the declared
// kind, and that every bridge and every helper of utils is declared. The types of
// parameters and results are written by hand and not checked.
package typings

import _ "embed"

//go:embed helve.d.ts
var declarations string

// Declarations returns the text of helve.d.ts.
func Declarations() string { return declarations }
