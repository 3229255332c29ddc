package filesystem

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// glob is a pattern of names: * matches any text and ? any character within a name,
// [a-z] and [!a-z] match a character class, {a,b} matches either, ** matches any number
// of directories, and \ quotes the next character. It is matched with a regular
// expression, so that no pattern takes long.
type glob struct {
	text string
	expr *regexp.Regexp
	// path is set if the pattern is about a path and not only its last element.
	path bool
	// dots is set if the pattern names hidden files.
	dots bool
}

// maxPattern limits a pattern in bytes, and so the time of a match.
const maxPattern = 256

// globs matches if one of them matches.
type globs []glob

// globsOf parses patterns separated by commas, as in *.md,*.txt.
func globsOf(list string, fold bool) (globs, error) {
	if unclosed(list) {
		return nil, malformed(list)
	}
	var all globs
	for _, pattern := range splitList(list) {
		g, err := globOf(pattern, fold)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

func globOf(pattern string, fold bool) (glob, error) {
	clean := strings.TrimPrefix(pattern, "./")
	flags := "(?s)"
	if fold {
		flags = "(?is)"
	}
	if len(pattern) > maxPattern {
		return glob{}, tool.Fail(tool.ValidationError, "Invalid pattern: it is longer than %d bytes.", maxPattern)
	}
	expr, err := regexp.Compile(flags + `\A(?:` + expression(clean) + `)\z`)
	if err != nil || clean == "" || unclosed(clean) {
		return glob{}, malformed(pattern).Because(err)
	}
	return glob{
		text: pattern, expr: expr, path: strings.Contains(clean, "/"),
		dots: strings.HasPrefix(clean, ".") || strings.Contains(clean, "/."),
	}, nil
}

func malformed(pattern string) *tool.Error {
	return tool.Fail(tool.ValidationError,
		"Invalid pattern: %q; write one such as *.txt, **/*.go or report-[0-9].{csv,json}, and a backslash before a bracket or brace that "+
			"means itself.",
		pattern)
}

// unclosed reports whether a bracket or brace of a pattern is never closed, or the
// pattern ends with an unfinished escape: it would match nothing that was intended.
func unclosed(p string) bool {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			if i++; i == len(p) {
				return true
			}
		case '[':
			end := classEnd(p[i:])
			if end == 0 && !strings.Contains(p[i:], "]") {
				return true
			}
			i += end
		case '{':
			if braceEnd(p[i:]) == 0 {
				return true
			}
		}
	}
	return false
}

// match reports whether one of the patterns matches rel, a path below the search
// directory. A pattern without a slash matches names at any depth.
func (all globs) match(rel string) bool {
	base := path.Base(rel)
	return slices.ContainsFunc(all, func(g glob) bool {
		if g.path {
			return g.expr.MatchString(rel)
		}
		return g.expr.MatchString(base)
	})
}

// isGlob distinguishes a pattern from plain text.
func isGlob(text string) bool { return strings.ContainsAny(text, "*?[") }

// splitList splits at commas outside braces and brackets.
func splitList(list string) []string {
	var all []string
	begin := 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '\\':
			i++
		case '[':
			i += classEnd(list[i:])
		case '{':
			i += braceEnd(list[i:])
		case ',':
			all = append(all, list[begin:i])
			begin = i + 1
		}
	}
	all = append(all, list[begin:])
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return slices.DeleteFunc(all, func(p string) bool { return p == "" })
}

// expression converts a pattern to a regular expression.
func expression(p string) string {
	var w strings.Builder
	var closes []int // the ends of the open braces
	for i := 0; i < len(p); {
		switch c := p[i]; {
		case strings.HasPrefix(p[i:], "**/") && (i == 0 || p[i-1] == '/'):
			w.WriteString(`(?:[^/]*/)*`)
			i += 3
		case p[i:] == "**" && (i == 0 || p[i-1] == '/'):
			w.WriteString(`.*`)
			i += 2
		case c == '*':
			w.WriteString(`[^/]*`)
			i++
		case c == '?':
			w.WriteString(`[^/]`)
			i++
		case c == '[' && classEnd(p[i:]) > 0:
			end := classEnd(p[i:])
			w.WriteString(class(p[i+1 : i+end]))
			i += end + 1
		case c == '{' && braceEnd(p[i:]) > 0:
			closes = append(closes, i+braceEnd(p[i:]))
			w.WriteString(`(?:`)
			i++
		case c == ',' && len(closes) > 0:
			w.WriteString(`|`)
			i++
		case len(closes) > 0 && i == closes[len(closes)-1]:
			closes = closes[:len(closes)-1]
			w.WriteString(`)`)
			i++
		default:
			if c == '\\' && i+1 < len(p) {
				i++
			}
			_, size := utf8.DecodeRuneInString(p[i:])
			w.WriteString(regexp.QuoteMeta(p[i : i+size]))
			i += size
		}
	}
	return w.String()
}

// braceEnd returns the index at which the brace at the beginning of p is closed, or 0.
// It parses the text between as [expression] does.
func braceEnd(p string) int {
	depth := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i += classEnd(p[i:])
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// classEnd returns the index at which the bracket at the beginning of p is closed, or
// 0. A leading closing bracket is a member.
func classEnd(p string) int {
	begin := 1
	if len(p) > 1 && (p[1] == '!' || p[1] == '^') {
		begin++
	}
	for i := begin; i < len(p); i++ {
		switch {
		case p[i] == '/':
			return 0
		case p[i] == '\\':
			i++
		case p[i] == ']' && i > begin:
			return i
		}
	}
	return 0
}

// class converts the text between brackets to a class that contains no slash.
func class(members string) string {
	var w strings.Builder
	if members[0] == '!' || members[0] == '^' {
		members = members[1:]
		w.WriteString(`[^/`)
	} else {
		w.WriteString(`[`)
	}
	for i := 0; i < len(members); {
		if members[i] == '\\' && i+1 < len(members) {
			i++
		} else if members[i] == '-' {
			w.WriteByte('-')
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(members[i:])
		if strings.ContainsRune(`\[]^-&~`, r) {
			w.WriteByte('\\')
		}
		w.WriteRune(r)
		i += size
	}
	return w.String() + "]"
}
