package tsdecl

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// mostDescription bounds the comment of a function in bytes, and mostRemark that of a
// property.
const mostDescription, mostRemark = 1000, 300

// union returns the type of a value that has one of the types, which is unknown if one of
// them is.
func union(types []string) string {
	var either []string
	seen := map[string]bool{"never": true}
	for _, t := range types {
		if t == unknown {
			return unknown
		}
		if !seen[t] {
			either = append(either, t)
		}
		seen[t] = true
	}
	switch {
	case len(types) == 0:
		return unknown
	case len(either) == 0:
		return "never"
	}
	return strings.Join(either, " | ")
}

// intersection returns the type of a value that has all types; of no types it is unknown.
func intersection(types []string) string {
	switch len(types) {
	case 0:
		return unknown
	case 1:
		return types[0]
	}
	for i, t := range types {
		if strings.Contains(t, " | ") {
			types[i] = "(" + t + ")"
		}
	}
	return strings.Join(types, " & ")
}

// listOf returns the type of a list.
func listOf(t string) string {
	if identifier.MatchString(t) {
		return t + "[]"
	}
	return "Array<" + t + ">"
}

// remark returns the comment of a property: its description, and the bounds that a type
// cannot express.
func remark(k keywords) string {
	parts := []string{k.text("description")}
	for _, bound := range []struct{ keyword, before, after string }{
		{"format", "Format ", "."}, {"minimum", "At least ", "."}, {"maximum", "At most ", "."},
		{"maxLength", "At most ", " characters."}, {"maxItems", "At most ", " items."}, {"default", "@default ", ""},
	} {
		v := k[bound.keyword]
		if kind := v.Kind(); kind == '"' || kind == '0' || kind == 't' || kind == 'f' {
			parts = append(parts, bound.before+textcut.Clip(jsonwalk.Text(v), 60)+bound.after)
		}
	}
	return comment(strings.Join(parts, " "), mostRemark)
}

// comment returns a text as a comment of one line, which nothing in the text can end; it is
// empty for an empty text.
func comment(text string, most int) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			return ' '
		case unicode.Is(unicode.Bidi_Control, c): // shows text in another order than it has
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\ufffd"))
	text = textcut.Clip(strings.Join(strings.Fields(text), " "), most)
	if text == "" {
		return ""
	}
	return "/** " + strings.ReplaceAll(text, "*/", `*\/`) + " */"
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// key returns the name of a property.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return quoted(name)
}

// quoted returns a string literal.
func quoted(text string) string {
	return separators.Replace(string(jsonwalk.AppendString(nil, text)))
}

// separators escapes the line ends that a string of JSON may hold.
var separators = strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)
