package utilities

import (
	"regexp"
	"strings"

	"github.com/dlclark/regexp2/v2"
)

// scriptLineEnds are the characters that end lines in JavaScript, as a set has them. The
// engine knows fewer.
const scriptLineEnds = `\n\r\u2028\u2029`

// scriptName is the name of a group or a reference to one; it may have a $ in it.
var scriptName = regexp.MustCompile(`^(?:\(\?|\\k)<[^=!>][^>]*>`)

// scriptLines writes . and, if they match at lines, ^ and $ of a pattern so that they
// know all ends of lines of JavaScript. A pattern that switches these flags itself
// keeps what the engine makes of them.
func scriptLines(pattern string, options regexp2.RegexOptions) string {
	meaning := map[string]string{}
	if options&regexp2.Multiline != 0 && !flagsInside(pattern, 'm') {
		meaning["^"] = `(?:^|(?<=[` + scriptLineEnds + `]))`
		meaning["$"] = `(?=$|[` + scriptLineEnds + `])`
	}
	if options&regexp2.Singleline == 0 && !flagsInside(pattern, 's') {
		meaning["."] = `[^` + scriptLineEnds + `]`
	}
	var out strings.Builder
	for rest := pattern; rest != ""; {
		part := scriptName.FindString(rest)
		if part == "" {
			part = regexToken(rest)
		}
		rest = rest[len(part):]
		if written, other := meaning[part]; other {
			part = written
		}
		out.WriteString(part)
	}
	return out.String()
}
