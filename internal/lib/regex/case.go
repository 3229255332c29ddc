package regex

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// maxWide is the number of very large sets that may be folded in one pattern.
const maxWide = 20

// keepCaseOfWide excludes large sets from case folding if folding does not change them,
// such as . and \S and [^\W_]: the engine folds a set character by character, which
// takes a large part of a second for a few dozen sets of nearly all of Unicode and
// cannot be interrupted. The number of sets that cannot be excluded is limited. If
// there can be comments, so is the number of possible sets in them.
func keepCaseOfWide(pattern string, comments bool) (string, error) {
	var out strings.Builder
	wide := 0
	for rest := pattern; rest != ""; {
		part := token(rest)
		rest = rest[len(part):]
		switch {
		case part == ".", part == `\W`, part == `\D`, part == `\S`:
			out.WriteString("(?-i:" + part + ")")
		case part[0] == '[' && caseless(part):
			out.WriteString("(?-i:" + part + ")")
		default:
			if part[0] == '[' && manyCharacters(part) {
				wide++
			}
			if comments && len(part) > 2 {
				wide += len(wideOutside.FindAllString(part, maxWide+1))
			}
			out.WriteString(part)
		}
	}
	if wide > maxWide {
		return "", tool.Fail(tool.ValidationError,
			"The pattern ignores case and has more than %d sets of very many characters, such as [a\\W]: "+
				"leave out the flag i or write narrower sets.",
			maxWide)
	}
	return out.String(), nil
}

// wideOutside lists large sets outside brackets.
var wideOutside = regexp.MustCompile(`\.|\\[WDS]`)

// token returns the first unit of a pattern: an escape, a set, a comment, or a single
// character.
func token(pattern string) string {
	switch {
	case pattern[0] == '\\':
		_, size := utf8.DecodeRuneInString(pattern[1:])
		return pattern[:1+size]
	case strings.HasPrefix(pattern, "(?#"):
		if end := strings.IndexByte(pattern, ')'); end >= 0 {
			return pattern[:end+1]
		}
		return pattern
	case pattern[0] == '[':
		return set(pattern)
	}
	_, size := utf8.DecodeRuneInString(pattern)
	return pattern[:size]
}

// set returns the set at the start of a pattern, or the rest of the pattern if the set
// does not end.
func set(pattern string) string {
	for i := 1; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if named := posixSet.FindStringIndex(pattern[i:min(i+16, len(pattern))]); named != nil && named[0] == 0 {
				i += named[1] - 1
			}
		case ']':
			return pattern[:i+1]
		}
	}
	return pattern
}

// caseless reports whether folding leaves a set unchanged: it names letters only by \w,
// \s, \d and their opposites.
func caseless(set string) bool {
	for i := 1; i < len(set); i++ {
		switch c := set[i]; {
		case c == '\\' && i+1 < len(set) && strings.IndexByte("wWdDsSnrt.-^$[]()*+?/|\\{}_", set[i+1]) >= 0:
			i++
		case c == '\\', c >= utf8.RuneSelf, unicode.IsLetter(rune(c)):
			return false
		case c == '-' && i > 1 && i+2 < len(set): // a range can contain letters
			return false
		}
	}
	return set[len(set)-1] == ']'
}

// manyCharacters reports whether a set contains the opposite of another set, or a range
// up to a non-ASCII character.
func manyCharacters(set string) bool {
	for i := 0; i+1 < len(set); i++ {
		switch c, next := set[i], set[i+1]; {
		case c == '\\' && strings.IndexByte("WDSP", next) >= 0:
			return true
		case c == '-' && (next >= utf8.RuneSelf || next == '\\'):
			return true
		}
	}
	return false
}
