package toolsdoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// answer is the answer to an example in a section.
type answer struct {
	text string // "" if there is none
	// refused is set for an error because of something missing.
	refused bool
}

// The text around an answer. The answer never begins a line with a backtick, because it
// is JSON.
const (
	answerOpens  = "\nAnswer:\n\n```json\n"
	refusalOpens = "\nAnswer of a worker that is not set up for it:\n\n```json\n"
	answerCloses = "\n```\n"
)

// String returns the answer as it appears in a section.
func (a answer) String() string {
	switch {
	case a.text == "":
		return ""
	case a.refused:
		return refusalOpens + a.text + answerCloses
	default:
		return answerOpens + a.text + answerCloses
	}
}

// answerIn finds the answer of a section.
func answerIn(section string) answer {
	opens, refused := answerOpens, strings.Contains(section, refusalOpens)
	if refused {
		opens = refusalOpens
	}
	_, after, _ := strings.Cut(section, opens)
	text, _, _ := strings.Cut(after, answerCloses)
	return answer{text, refused}
}

// Limits of a shown answer: its first lines, and the beginning of a line. A short
// answer is one line.
const (
	mostLines  = 40
	mostRunes  = 240
	shortRunes = 100
)

// cutMark begins the line that replaces the omitted lines.
const cutMark = "... "

// display formats JSON: in one line if it is short, otherwise in lines of one value.
func display(value json.RawMessage) ([]string, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return nil, err
	}
	if utf8.RuneCount(compact.Bytes()) <= shortRunes {
		return []string{compact.String()}, nil
	}
	lines, err := indent(value)
	for i, line := range lines {
		lines[i] = shorten(line)
	}
	return lines, err
}

// shorten cuts the string at the end of a line. It stays a valid string, and no escape
// is cut.
func shorten(line string) string {
	if utf8.RuneCountInString(line) <= mostRunes {
		return line
	}
	closes := ""
	for _, end := range []string{`"`, `",`} {
		if strings.HasSuffix(line, end) {
			closes = end
		}
	}
	at := 0
	for range mostRunes {
		_, size := utf8.DecodeRuneInString(line[at:])
		switch {
		case strings.HasPrefix(line[at:], `\u`):
			size = len(`\u0000`)
		case line[at] == '\\':
			size = 2
		}
		if at += size; at >= len(line)-len(closes) {
			return line // only its escapes make it that long
		}
	}
	return line[:at] + "..." + closes
}

func indent(value json.RawMessage) ([]string, error) {
	var indented bytes.Buffer
	err := json.Indent(&indented, value, "", "  ")
	return strings.Split(indented.String(), "\n"), err
}

// cut joins the lines to show.
func cut(lines []string) string {
	if len(lines) <= mostLines+1 { // replacing one line by a mark saves nothing
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:mostLines], "\n") + fmt.Sprintf("\n%s%d more lines", cutMark, len(lines)-mostLines)
}

// sameShape reports whether a shown answer has the names and types of a new one. Of a
// truncated answer only the shown part is compared.
func sameShape(shown string, value json.RawMessage) bool {
	now, err := indent(value)
	if err != nil {
		return false
	}
	old, err := indent(json.RawMessage(shown))
	whole := err == nil
	if !whole {
		old = strings.Split(shown, "\n")
		if last := len(old) - 1; strings.HasPrefix(old[last], cutMark) {
			old = old[:last]
		} else {
			whole = true // only lines were cut
		}
	}
	before, after := shape(old), shape(now)
	missing := func(in []string) func(string) bool {
		return func(s string) bool { return !slices.Contains(in, s) }
	}
	return !slices.ContainsFunc(before, missing(after)) && (!whole || !slices.ContainsFunc(after, missing(before)))
}

var jsonLine = regexp.MustCompile(`^( *)("(?:[^"\\]|\\.)*": )?(.?)`)

// shape returns the distinct kinds of lines: the indentation, the name of the member
// and the type of its value.
func shape(lines []string) []string {
	kinds := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "boolean", 'f': "boolean", 'n': "null"}
	var all []string
	for _, line := range lines {
		m := jsonLine.FindStringSubmatch(line)
		if m[3] == "" || m[3] == "}" || m[3] == "]" {
			continue
		}
		kind := kinds[m[3][0]]
		if kind == "" {
			kind = "number"
		}
		all = append(all, m[1]+m[2]+kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
