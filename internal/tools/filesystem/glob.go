package filesystem

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

// glob is a pattern of names: * is any text and ? any character within a name,
// [a-z] and [!a-z] are one of some, {a,b} is either, ** is any number of
// directories, and \ takes the next character as it is. It is matched by a
// regular expression, so that no pattern takes long.
type glob struct {
	text string
	expr *regexp.Regexp
	// path says that the pattern is about a path and not only its last name.
	path bool
	// dots says that it names something hidden.
	dots bool
}

// maxPattern bounds one pattern in bytes, and so the time a match can take.
const maxPattern = 256

// globs match where one of them does.
type globs []glob

// globsOf reads patterns that commas part, as in *.md,*.txt.
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
	return tool.Fail(tool.ValidationError, "Invalid pattern: %q; write one such as *.txt, **/*.go or report-[0-9].{csv,json}, and a backslash before a bracket or brace that means itself.", pattern)
}

// unclosed reports whether a bracket or brace of a pattern is never closed, or its end
// takes a character as it is that is not there: it would match nothing that is meant.
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

// match reports whether one of the patterns means rel, a path below the
// directory they are about. A pattern without a slash means names anywhere.
func (all globs) match(rel string) bool {
	base := path.Base(rel)
	return slices.ContainsFunc(all, func(g glob) bool {
		if g.path {
			return g.expr.MatchString(rel)
		}
		return g.expr.MatchString(base)
	})
}

// isGlob tells a pattern from plain text.
func isGlob(text string) bool { return strings.ContainsAny(text, "*?[") }

// splitList splits at commas outside of braces and brackets.
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

// expression turns a pattern into a regular expression.
func expression(p string) string {
	var w strings.Builder
	var closes []int // where the braces end that are open
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

// braceEnd is where the brace that p begins with is closed, or 0. What stands
// between is read as [expression] reads it.
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

// classEnd is where the bracket that p begins with is closed, or 0. A closing
// bracket that comes first is a member.
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

// class turns what stands between brackets into a class that holds no slash.
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
