package dynamic

import (
	"regexp"
	"strings"
)

// forbidden are patterns that code must not contain. They give early errors for code
// written for another platform, and no protection: this["ev"+"al"] passes. The sandbox
// protects.
var forbidden = []struct {
	shown string
	found *regexp.Regexp
}{
	{"process.exit", regexp.MustCompile(`\bprocess\s*\.\s*exit\b`)},
	{"require(", regexp.MustCompile(`\brequire\s*\(`)},
	{"import(", regexp.MustCompile(`\bimport\s*\(`)},
	{"__dirname", regexp.MustCompile(`\b__dirname\b`)},
	{"__filename", regexp.MustCompile(`\b__filename\b`)},
	{"global.", regexp.MustCompile(`\bglobal\s*\.`)},
	{"globalThis.", regexp.MustCompile(`\bglobalThis\s*\.`)},
}

// forbiddenIn returns the names of the patterns that the code contains.
func forbiddenIn(code string) string {
	var found []string
	for _, f := range forbidden {
		if f.found.MatchString(code) {
			found = append(found, "'"+f.shown+"'")
		}
	}
	return strings.Join(found, ", ")
}
