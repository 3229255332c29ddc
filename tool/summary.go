package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxSummary is the maximum length of a parameter summary, in bytes.
const maxSummary = 600

// ParameterSummary lists the parameters of a schema in one line of at most 600 bytes,
// for the end of a message: "parameters: items (array of string, required), order (asc|desc)".
func ParameterSummary(parameters json.RawMessage) string {
	var schema property
	if err := json.Unmarshal(parameters, &schema); err != nil || len(schema.Properties) == 0 {
		return "it takes no parameters"
	}
	const more = ", …"
	list := "parameters: "
	for i, p := range schema.Properties {
		item := p.name + " (" + p.choices()
		if slices.Contains(schema.Required, p.name) {
			item += ", required"
		}
		item += ")"
		if i > 0 {
			item = ", " + item
		}
		if len(list)+len(item) > maxSummary-len(more) {
			return list + more
		}
		list += item
	}
	return list
}

// choices returns the values of an enum, or the type.
func (p *property) choices() string {
	const longest = 100
	var values []string
	for _, value := range p.Enum {
		text := string(value)
		_ = json.Unmarshal(value, &text) // a value that is not a string stays JSON
		values = append(values, text)
	}
	text := strings.Join(values, "|")
	if text == "" {
		return strings.Trim(p.typeName(), "[]")
	}
	if len(text) > longest {
		cut := longest
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}
