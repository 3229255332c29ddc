package schema

import (
	"slices"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/nearest"
)

// explained is the number of unknown parameters that are compared with the known ones.
const explained = 5

// Near returns the parameter whose name is most similar to name, or "".
func (s *Schema) Near(name string) string { return s.nearest(name, nil) }

// nearest is Near without the parameters that were given.
func (s *Schema) nearest(name string, seen []bool) string {
	best, most := "", 0
	for known, p := range s.params {
		if seen != nil && seen[p.index] {
			continue
		}
		if n := resemblance(name, known); n > most || n == most && n > 0 && known < best {
			best, most = known, n
		}
	}
	return best
}

// mistaken is an unknown parameter and the parameter it probably means.
type mistaken struct{ name, means string }

// meant returns the unknown parameters that resemble a parameter that was not given.
func (s *Schema) meant(unknown []string, seen []bool) []mistaken {
	var all []mistaken
	for _, name := range unknown[:min(len(unknown), explained)] {
		if means := s.nearest(name, seen); means != "" {
			all = append(all, mistaken{name, means})
		}
	}
	return all
}

// wrong returns the error for problems and mistaken names. A problem about a missing
// parameter is left out if a mistaken name means that parameter.
func wrong(problems []string, meant []mistaken, unknown []string) *Invalid {
	var all []string
	for _, m := range meant {
		all = append(all, UnknownParameter(m.name, m.means))
		unknown = slices.DeleteFunc(slices.Clone(unknown), func(name string) bool { return name == m.name })
		problems = slices.DeleteFunc(problems, func(p string) bool { return p == missing(m.means) })
	}
	e := invalidAll(append(all, problems...))
	e.Ignored = unknown
	e.Parameters = len(meant) > 0 || slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, missingParameter) })
	return e
}

const missingParameter = "missing required parameter "

func missing(name string) string { return missingParameter + "'" + name + "'" }

// UnknownParameter returns the problem with a parameter that a tool does not have; near is
// a similar parameter, or "".
func UnknownParameter(name, near string) string {
	text := "unknown parameter '" + name + "'"
	if near != "" {
		text += ": did you mean '" + near + "'?"
	}
	return text
}

// resemblance returns how similar two names are, 0 for not at all: another notation, a
// synonym, a misspelling, or one of several words.
func resemblance(a, b string) int {
	wa, wb := words(a), words(b)
	ja, jb := strings.Join(wa, ""), strings.Join(wb, "")
	switch {
	case ja == "" || jb == "":
		return 0
	case ja == jb:
		return 4
	case synonymous(ja, jb):
		return 3
	case min(len(ja), len(jb)) > 2 && misspelt(ja, jb):
		return 2
	case among(wa, wb) || among(wb, wa):
		return 1
	}
	return 0
}

// misspelt reports whether two words differ in a few letters of many.
func misspelt(a, b string) bool {
	limit := min(max(len(a), len(b))/3, 3)
	return nearest.Distance(a, b, limit) <= limit
}

// words splits a name such as maxLength, max_length or MAX-LENGTH into words in lower case.
func words(name string) []string {
	var all []string
	lower := false
	begins := true
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			begins = true
			continue
		case begins || lower && unicode.IsUpper(c):
			all = append(all, "")
		}
		begins, lower = false, unicode.IsLower(c)
		all[len(all)-1] += string(unicode.ToLower(c))
	}
	return all
}

// among reports whether all contains every word of some, and some is long enough to be
// specific.
func among(some, all []string) bool {
	return !slices.ContainsFunc(some, func(word string) bool { return len(word) < 4 || !slices.Contains(all, word) })
}

// synonyms are groups of names that callers use for the same thing.
var synonyms = [][]string{
	{"path", "file", "filename", "filepath", "pathname"},
	{"path", "directory", "dir", "folder"},
	{"text", "content", "contents", "body", "input", "string", "str", "data"},
	{"query", "q", "search", "searchterm", "term", "keyword", "keywords"},
	{"limit", "count", "max", "maxresults", "num", "top"},
	{"url", "uri", "link", "href"},
	{"command", "cmd"},
	{"arguments", "args", "params", "parameters"},
	{"source", "src", "from", "input"},
	{"destination", "dest", "dst", "to", "target", "output"},
	{"pattern", "regex", "regexp"},
	{"expression", "expr", "formula"},
	{"timezone", "tz", "zone"},
	{"language", "lang"},
	{"delimiter", "separator", "sep"},
	{"offset", "skip", "start"},
	{"items", "list", "array", "values", "elements"},
}

func synonymous(a, b string) bool {
	return slices.ContainsFunc(synonyms, func(group []string) bool { return slices.Contains(group, a) && slices.Contains(group, b) })
}
