package regex

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/internal/lib/grapheme"
	"github.com/helve-dev/helve/tool"
)

// Limits of a pattern. The engine backtracks; the size of its stack, in integers,
// limits the memory of a match.
const (
	MaxPattern   = 10_000 // characters
	maxBacktrack = 4 << 20
)

// Compile compiles a pattern with the syntax and flags of JavaScript. Syntax that
// JavaScript does not have, such as (?P<name>x) and [[:alpha:]], has its meaning in
// Python and PCRE. Characters are Unicode code points, as with the flag u.
func Compile(pattern, flags string) (re *regexp2.Regexp, err error) {
	defer func() {
		if recover() != nil {
			re, err = nil, tool.Fail(tool.ValidationError, "Invalid regular expression: the pattern cannot be read; write it in a simpler way.")
		}
	}()
	if utf8.RuneCountInString(pattern) > MaxPattern {
		return nil, tool.Fail(tool.ValidationError, "The pattern is longer than %d characters: split the work into several patterns.", MaxPattern)
	}
	options, err := options(flags)
	if err != nil {
		return nil, err
	}
	pattern, properties := nameProperties(pattern)
	if options&regexp2.IgnoreCase != 0 || flagsInside(pattern, 'i') {
		comments := options&regexp2.IgnorePatternWhitespace != 0 || flagsInside(pattern, 'x')
		if pattern, err = keepCaseOfWide(pattern, comments); err != nil {
			return nil, err
		}
	}
	if strings.Contains(flags, "y") {
		end := ")"
		if options&regexp2.IgnorePatternWhitespace != 0 {
			end = "\n)" // after a comment
		}
		pattern = `\G(?:` + pattern + end
	}
	const script = regexp2.ECMAScript
	asScript := scriptLines(pattern, options)
	ways := []regexp2.RegexOptions{script | regexp2.Unicode, script, regexp2.RE2}
	if properties {
		ways = []regexp2.RegexOptions{script | regexp2.Unicode, regexp2.RE2} // the one between reads \p as a p
	}
	if posixSet.MatchString(pattern) || strings.Contains(pattern, "(?P") {
		ways = []regexp2.RegexOptions{regexp2.RE2}
	}
	for _, way := range ways {
		written := pattern
		if way&script != 0 {
			written = asScript
		}
		compiled, failure := regexp2.Compile(written, options|way, regexp2.OptionMaintainCaptureOrder(),
			regexp2.OptionMaxBacktrackingStackSize(maxBacktrack))
		if failure == nil {
			return compiled, nil
		}
		if err == nil {
			err = invalid(failure)
		}
	}
	return nil, err
}

// posixSet is a set by name within a set.
var posixSet = regexp.MustCompile(`\[:\^?[a-z]+:\]`)

// invalid returns the error for an invalid pattern; the engine's own message repeats
// the pattern, which may be long.
func invalid(failure error) error {
	reason := strings.TrimPrefix(failure.Error(), "error parsing regexp: ")
	if at := strings.Index(reason, " in `"); at >= 0 {
		reason = reason[:at]
	}
	return tool.Fail(tool.ValidationError, "Invalid regular expression: %s.",
		grapheme.Cut(strings.ToValidUTF8(reason, "?"), 200)).Because(failure)
}

// options parses flags. The flags about the number of matches and about offsets are
// handled by the operation.
func options(flags string) (regexp2.RegexOptions, error) {
	var options regexp2.RegexOptions
	for _, flag := range flags {
		if strings.Count(flags, string(flag)) > 1 {
			return 0, tool.Fail(tool.ValidationError, "Invalid flags: %q is given twice; write each letter once.", flag)
		}
		switch flag {
		case 'i':
			options |= regexp2.IgnoreCase
		case 'm':
			options |= regexp2.Multiline
		case 's':
			options |= regexp2.Singleline
		case 'x':
			options |= regexp2.IgnorePatternWhitespace
		case 'g', 'u', 'y', 'd':
		default:
			return 0, tool.Fail(tool.ValidationError, "Invalid flag %q: flags are letters of g, i, m, s, u, x, y and d.", flag)
		}
	}
	return options, nil
}

// flagsInside reports whether a pattern contains flags such as (?i) and (?im:x).
func flagsInside(pattern string, flag rune) bool {
	for rest := pattern; ; {
		_, after, found := strings.Cut(rest, "(?")
		if !found {
			return false
		}
		letters := after[:len(after)-len(strings.TrimLeft(after, "imnsxeru-"))]
		if strings.ContainsRune(letters, flag) {
			return true
		}
		rest = after
	}
}
