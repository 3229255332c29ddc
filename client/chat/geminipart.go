package chat

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// partList collects the parts of a Gemini content as they arrive.
type partList struct {
	list  []part
	calls int
}

// part is text that may still grow, or else the part as it arrived.
type part struct {
	text *strings.Builder
	raw  jsontext.Value
}

// add appends a part, and returns its text for the person. A part with text only
// extends the previous part if that has text only; a part with a signature, or a
// thought, stays separate, because Gemini checks signatures against the parts they
// arrived with.
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
	case text == "": // the last chunk often has one, which Gemini would refuse in a request
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

// written returns the complete parts.
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
