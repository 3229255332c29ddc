package sentence

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/helve-dev/helve/protocol"
)

// Language is one of the languages that sentences are written in.
type Language string

// The languages.
const (
	English Language = "en"
	German  Language = "de"
)

const (
	// longest and tail are the most characters of a value, and of its end where it is cut.
	longest, tail = 140, 36
	// listed is the number of values of a list that are named.
	listed = 3
)

// Of returns what will happen if the person says yes.
func Of(lang Language, c *protocol.Consent) string {
	switch c.Kind {
	case protocol.ConsentQuestion:
		return c.Question
	case protocol.ConsentAccount:
		return connects.in(lang).fill(func(string) string { return cut(c.Service) })
	}
	args := map[string]json.RawMessage{}
	_ = json.Unmarshal(c.Arguments, &args) // without arguments the tool's name remains
	for _, a := range acts[c.Tool] {
		if a.fits(args) {
			return a.in(lang).fill(func(name string) string { return textOf(args[name], lang) })
		}
	}
	return runs.in(lang).fill(func(string) string { return cut(c.Tool) })
}

// Named returns the tools that have sentences, and the arguments that those name.
func Named() map[string][]string {
	named := map[string][]string{}
	for name, all := range acts {
		for _, a := range all {
			named[name] = append(named[name], a.en.names()...)
			if a.when != "" {
				named[name] = append(named[name], a.when)
			}
		}
	}
	return named
}

// act is a sentence in each language. A name in braces stands for the value of that argument.
type act struct {
	en, de words
	// when names an argument that is true in calls of which this is the sentence; empty for all.
	when string
}

// words is a sentence in one language.
type words string

func (a act) in(lang Language) words {
	if lang == German {
		return a.de
	}
	return a.en
}

// fits reports whether a call has all that the sentence names.
func (a act) fits(args map[string]json.RawMessage) bool {
	if a.when != "" && string(args[a.when]) != "true" {
		return false
	}
	for _, name := range a.en.names() {
		if textOf(args[name], English) == "" {
			return false
		}
	}
	return true
}

// names returns the names in braces.
func (w words) names() (names []string) {
	for rest := string(w); ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return names
		}
		name, more, _ := strings.Cut(after, "}")
		names, rest = append(names, name), more
	}
}

// fill replaces the names in braces. A value is not read again.
func (w words) fill(value func(name string) string) string {
	var b strings.Builder
	for rest := string(w); ; {
		before, after, ok := strings.Cut(rest, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, more, _ := strings.Cut(after, "}")
		b.WriteString(value(name))
		rest = more
	}
}

// textOf returns a value of the preview as text; empty for none.
func textOf(raw json.RawMessage, lang Language) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text) // the preview has made it
		return cut(text)
	case '[':
		return listOf(raw, lang)
	case '{', 'n':
		return ""
	}
	return cut(string(raw))
}

// listOf returns the first values of a list, and how many there are beside them.
func listOf(raw json.RawMessage, lang Language) string {
	var all []json.RawMessage
	_ = json.Unmarshal(raw, &all) // the preview has made it
	var texts []string
	for _, one := range all[:min(len(all), listed)] {
		if text := textOf(one, lang); text != "" && one[0] != '[' {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, ", ")
	if more := len(all) - listed; more > 0 {
		count, _ := json.Marshal(more) // a number
		text = further.in(lang).fill(func(name string) string {
			if name == "count" {
				return string(count)
			}
			return text
		})
	}
	return text
}

// cut returns a text whose middle is left out if it is long.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	runes := []rune(text)
	head := string(runes[:longest-tail-3])
	if i := strings.LastIndexByte(head, '\\'); i >= len(head)-6 && i >= 0 { // no half of a code
		head = strings.TrimRight(head[:i], `\`)
	}
	return head + " … " + string(runes[len(runes)-tail:])
}
