package chat

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// partList is the parts of a Gemini content as they come.
type partList struct {
	list  []part
	calls int
}

// part is text that may still grow, or else what came, as it came.
type part struct {
	text *strings.Builder
	raw  jsontext.Value
}

// add appends a part, and returns what it says to the person. A part that has nothing
// but text goes on with the one before if that is such a part too; one that has a
// signature, or is a thought, is kept by itself, because Gemini checks signatures
// against the parts they came with.
func (l *partList) add(raw jsontext.Value) (string, error) {
	if raw.Kind() != '{' {
		return "", errors.New("it is no object")
	}
	var text string
	var said, thought, call bool
	plain := true
	for name, value := range members(raw) {
		switch name {
		case "text":
			text, said = textOf(value), value.Kind() == '"'
		case "thought":
			thought = value.Kind() == 't'
		case "functionCall", "function_call":
			call, plain = given(value), false
		default:
			plain = false
		}
	}
	if call {
		l.calls++
	}
	switch {
	case !plain || thought || !said:
		l.list = append(l.list, part{raw: raw.Clone()})
	case text == "": // the last chunk often has one, which would not be taken back
	case len(l.list) > 0 && l.list[len(l.list)-1].text != nil:
		l.list[len(l.list)-1].text.WriteString(text)
	default:
		grown := &strings.Builder{}
		grown.WriteString(text)
		l.list = append(l.list, part{text: grown})
	}
	if thought {
		return "", nil
	}
	return text, nil
}

// written is the parts as they ended.
func (l *partList) written() []jsontext.Value {
	parts := []jsontext.Value{}
	for _, p := range l.list {
		if p.text != nil {
			p.raw = textParts(p.text.String())[0]
		}
		parts = append(parts, p.raw)
	}
	return parts
}
