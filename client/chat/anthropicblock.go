package chat

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// block is a block of an Anthropic message: its start, and the deltas since.
type block struct {
	start jsontext.Value
	kind  string
	first map[string]string // the texts in start
	// grown has the text members under construction; input is that of a call, citations
	// a list.
	grown     map[string]*strings.Builder
	input     strings.Builder
	citations []jsontext.Value
}

func newBlock(start jsontext.Value) (*block, error) {
	if start.Kind() != '{' {
		return nil, errors.New("it is no object")
	}
	b := &block{start: start.Clone(), first: map[string]string{}, grown: map[string]*strings.Builder{}}
	for name, value := range members(start) {
		if value.Kind() == '"' {
			b.first[name] = textOf(value)
		}
	}
	b.kind = b.first["type"]
	return b, nil
}

// grow applies a delta. Unknown kinds are ignored, as Anthropic requires for future
// events.
func (b *block) grow(raw jsontext.Value, s *speech) error {
	var d struct {
		Type      string         `json:"type"`
		Text      string         `json:"text"`
		Thinking  string         `json:"thinking"`
		Signature string         `json:"signature"`
		Input     string         `json:"partial_json"`
		Citation  jsontext.Value `json:"citation"`
	}
	if err := json.Unmarshal(raw, &d, lenient); err != nil {
		return err
	}
	switch d.Type {
	case "text_delta":
		b.add("text", d.Text)
		if b.kind == "text" {
			s.say(d.Text)
		}
	case "thinking_delta":
		b.add("thinking", d.Thinking)
	case "signature_delta":
		b.add("signature", d.Signature)
	case "input_json_delta":
		b.input.WriteString(d.Input)
	case "citations_delta":
		if given(d.Citation) {
			b.citations = append(b.citations, d.Citation.Clone())
		}
	}
	return nil
}

// add appends to a text member.
func (b *block) add(name, piece string) {
	g := b.grown[name]
	if g == nil {
		g = &strings.Builder{}
		g.WriteString(b.first[name])
		b.grown[name] = g
	}
	g.WriteString(piece)
}

// blank reports whether it is text without visible characters, which Anthropic refuses
// ("text content blocks must contain non-whitespace text").
func (b *block) blank() bool {
	text := b.first["text"]
	if g := b.grown["text"]; g != nil {
		text = g.String()
	}
	return b.kind == "text" && strings.TrimSpace(text) == ""
}

// written returns the complete block, its members in their original order. With back it
// is for Anthropic: the input of a call is then an object, empty if the input was cut
// off.
func (b *block) written(back bool) jsontext.Value {
	changed := map[string]jsontext.Value{}
	for name, text := range b.grown {
		changed[name] = quoted(text.String())
	}
	if strings.HasSuffix(b.kind, "tool_use") || b.input.Len() > 0 {
		changed["input"] = b.arguments(back)
	}
	if len(b.citations) > 0 {
		changed["citations"] = b.cited()
	}
	out := []byte{'{'}
	put := func(name string, value jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name)...), ':'), value...)
	}
	for name, value := range members(b.start) {
		if now, ok := changed[name]; ok {
			value = now
			delete(changed, name)
		}
		put(name, value)
	}
	for _, name := range []string{"text", "thinking", "signature", "input", "citations"} {
		if value, ok := changed[name]; ok {
			put(name, value)
		}
	}
	return append(out, '}')
}

// arguments returns the input of a call. If it is not JSON it is quoted, so that the
// server can report what is wrong with it.
func (b *block) arguments(back bool) jsontext.Value {
	var input jsontext.Value
	for name, value := range members(b.start) {
		if name == "input" {
			input = value
		}
	}
	if b.input.Len() > 0 {
		input = jsontext.Value(b.input.String())
	}
	switch {
	case !given(input):
		return jsontext.Value("{}")
	case object(input):
		return input
	case back:
		return jsontext.Value("{}")
	case input.IsValid(lenient):
		return input
	}
	return quoted(b.input.String())
}

// cited returns the list that the block began with and the citations since.
func (b *block) cited() jsontext.Value {
	var all []jsontext.Value
	for name, value := range members(b.start) {
		if name == "citations" {
			_ = json.Unmarshal(value, &all, lenient) // null is an empty list
		}
	}
	v, _ := json.Marshal(append(all, b.citations...), written) // they were read as JSON
	return v
}
