package provider

import (
	"errors"
	"fmt"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// defineGemini appends {"name","description","parameters"}, without parameters if there
// are none: Gemini refuses an object without properties there ("should be non-empty for
// OBJECT type").
func defineGemini(w []byte, d *definition) []byte {
	g := newGeminiSchema(d.parameters, len(w))
	o := g.object(d.parameters)
	note := o.hide(geminiName)
	description := d.Description
	if len(o.properties) == 0 {
		description += string(note)
	}
	w = quote(append(w, `{"name":`...), Name(d.Name))
	w = quote(append(w, `,"description":`...), description)
	if len(o.properties) > 0 {
		w = g.properties(append(w, `,"parameters":`...), &o, note, &o.words, extra{})
	}
	return append(w, '}')
}

// geminiName reports whether Gemini accepts a parameter of that name: a letter or an
// underscore, then letters, digits and underscores, 64 in all
// (genai.FunctionDeclaration).
func geminiName(name []byte) bool {
	for _, c := range name {
		if !plain(c) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64 && (name[0] < '0' || name[0] > '9')
}

// readGemini returns the functionCall parts of content.parts[], in the spelling of the
// API or in snake case, as dumped by the Python SDK. Gemini returns a content without
// parts if it stopped before any output.
func readGemini(message []byte) ([]written, error) {
	var list []byte
	whole := false
	for name, value := range jsonwalk.EachMember(message) {
		switch string(key(name)) {
		case "parts":
			list = given(value)
		case "candidates":
			whole = true
		}
	}
	if list == nil {
		if whole {
			return nil, errors.New("the message is a whole response; send its candidates[0].content")
		}
		return nil, nil
	}
	if kind(list) != '[' {
		return nil, errors.New("parts must be a list; send candidates[0].content as it was answered")
	}
	var calls []written
	for i, part := range jsonwalk.EachItem(list) {
		if kind(part) != '{' {
			return nil, fmt.Errorf("parts[%d] must be an object; send candidates[0].content as it was answered", i)
		}
		var call []byte
		for name, value := range jsonwalk.EachMember(part) {
			switch string(key(name)) {
			case "functionCall", "function_call":
				call = given(value)
			}
		}
		if call != nil {
			calls = append(calls, geminiCall(call))
		}
	}
	return calls, nil
}

// geminiCall parses {"id"?,"name","args"}.
func geminiCall(value []byte) written {
	var call written
	if kind(value) != '{' {
		call.problem = "the functionCall must be an object with a name and args"
	}
	for name, value := range jsonwalk.EachMember(value) {
		switch string(key(name)) {
		case "id":
			call.id = value
		case "name":
			call.name = value
		case "args":
			call.arguments = value
		}
	}
	return call
}

// answerGemini appends one functionResponse part, whose response is an object and not
// the text of an object.
func answerGemini(w []byte, c *Call, o *Outcome) []byte {
	w = append(w, `{"functionResponse":{`...)
	if c.ID != "" {
		w = append(quote(append(w, `"id":`...), c.ID), ',')
	}
	w = quote(append(w, `"name":`...), c.Name)
	w = append(o.content(append(w, `,"response":`...), true), "}}"...)
	for _, p := range o.images() {
		w = append(append(w, `,{"inlineData":{"mimeType":"`...), p.mime...)
		w = append(append(append(w, `","data":"`...), p.data...), `"}}`...)
	}
	return w
}
