package regex

import (
	"regexp"
	"strings"

	"github.com/dlclark/regexp2/v2"
)

// scriptLineEnds lists the characters that end lines in JavaScript, in the form of a
// set. The engine knows fewer.
const scriptLineEnds = `\n\r\u2028\u2029`

// scriptName matches the name of a group or a reference to it; it may contain a $.
var scriptName = regexp.MustCompile(`^(?:\(\?|\\k)<[^=!>][^>]*>`)

// scriptLines rewrites . and, in multiline mode, ^ and $ of a pattern so that they
// respect all line ends of JavaScript. A pattern that changes these flags itself keeps
// the behaviour of the engine.
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
			part = token(rest)
		}
		rest = rest[len(part):]
		if written, other := meaning[part]; other {
			part = written
		}
		out.WriteString(part)
	}
	return out.String()
}
