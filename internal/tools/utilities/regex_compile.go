package utilities

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/helve-dev/helve/tool"
)

// Bounds of a pattern. The engine backtracks: its stack, in integers, is memory a
// match may take.
const (
	maxPattern   = 10_000 // characters
	maxBacktrack = 4 << 20
)

// compileRegex reads a pattern in the way of JavaScript, with its flags. Where
// JavaScript has no such syntax, as (?P<name>x) and [[:alpha:]], it is read in the
// way of Python and PCRE. Characters are Unicode code points, as with the flag u.
func compileRegex(pattern, flags string) (re *regexp2.Regexp, err error) {
	defer func() {
		if recover() != nil {
			re, err = nil, tool.Fail(tool.ValidationError, "Invalid regular expression: the pattern cannot be read; write it in a simpler way.")
		}
	}()
	if utf8.RuneCountInString(pattern) > maxPattern {
		return nil, tool.Fail(tool.ValidationError, "The pattern is longer than %d characters: split the work into several patterns.", maxPattern)
	}
	options, err := regexOptions(flags)
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
		compiled, failure := regexp2.Compile(written, options|way, regexp2.OptionMaintainCaptureOrder(), regexp2.OptionMaxBacktrackingStackSize(maxBacktrack))
		if failure == nil {
			return compiled, nil
		}
		if err == nil {
			err = invalidRegex(failure)
		}
	}
	return nil, err
}

// posixSet is a set by name within a set.
var posixSet = regexp.MustCompile(`\[:\^?[a-z]+:\]`)

// invalidRegex says what is wrong with a pattern; the engine repeats the pattern,
// which may be long.
func invalidRegex(failure error) error {
	reason := strings.TrimPrefix(failure.Error(), "error parsing regexp: ")
	if at := strings.Index(reason, " in `"); at >= 0 {
		reason = reason[:at]
	}
	return tool.Fail(tool.ValidationError, "Invalid regular expression: %s.", cutText(strings.ToValidUTF8(reason, "?"), 200)).Because(failure)
}

// regexOptions reads flags. Those that say how often to match, and that offsets are
// wanted, are left to the operation.
func regexOptions(flags string) (regexp2.RegexOptions, error) {
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

// flagsInside reports a flag within a pattern, such as (?i) and (?im:x).
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
