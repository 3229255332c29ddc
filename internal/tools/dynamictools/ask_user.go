package dynamictools

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/helve-dev/helve/tool"
)

const (
	// mostFields is the maximum number of fields of an answer.
	mostFields = 20
	// anyAnswer is the schema of a free-text answer.
	anyAnswer = `{"type":"object","properties":{"answer":{"type":"string","title":"Answer"}},"required":["answer"]}`
)

type askArgs struct {
	Question string      `json:"question" doc:"The question, complete in itself: the person may not see the conversation." min:"1" max:"2000"`
	Schema   tool.Object `json:"schema,omitzero" doc:"JSON Schema of the answer: a flat object of strings, numbers, integers, booleans and enums. Without it the answer is a text in the field answer."`
}

var _ = tool.Add(Set, tool.Spec[askArgs, tool.Object]{
	Name:        "ask_user",
	Description: "Ask the person a question and wait for the answer, when only they can know or decide; returns the answer as an object.",
	Tags:        []string{"ask", "question", "clarify", "person", "human", "input", "choose", "form"},
	Errors:      []tool.Kind{},
	Example:     `{"question":"Which account shall I use?","schema":{"type":"object","properties":{"account":{"type":"string","enum":["private","work"]}},"required":["account"]}}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     10 * time.Second,
	Question:    askUser,
})

func askUser(args askArgs) (tool.Question, error) {
	q := tool.Question{Text: strings.TrimSpace(args.Question), Schema: json.RawMessage(args.Schema)}
	if q.Text == "" {
		return q, tool.Fail(tool.ValidationError, "question is blank; ask something.")
	}
	if len(args.Schema) == 0 || strings.Trim(string(args.Schema), " \t\r\n{}") == "" {
		q.Schema = json.RawMessage(anyAnswer)
	}
	if strings.ContainsFunc(q.Text, deceives) {
		return q, tool.Fail(tool.ValidationError,
			"question holds control characters, or characters that change the direction of text; leave them out.")
	}
	return q, flat(q.Schema)
}

// flat refuses a schema that cannot be shown to a person as a form.
func flat(raw json.RawMessage) error {
	var form struct {
		Type       string                                `json:"type"`
		Properties map[string]map[string]json.RawMessage `json:"properties"`
		Required   []string                              `json:"required"`
	}
	if err := json.Unmarshal(raw, &form); err != nil || form.Type != "object" || len(form.Properties) == 0 ||
		len(form.Properties) > mostFields {
		return tool.Fail(tool.ValidationError, "schema must be {\"type\": \"object\", \"properties\": {…}} with 1 to %d fields, each an object.",
			mostFields)
	}
	var text any
	if json.Unmarshal(raw, &text) == nil && deceiving(text) {
		return tool.Fail(tool.ValidationError,
			"schema holds control characters, or characters that change the direction of text; leave them out.")
	}
	for name, field := range form.Properties {
		var kind string
		_ = json.Unmarshal(field["type"], &kind)
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, kind) {
			return tool.Fail(tool.ValidationError, "schema: the type of '%.64s' must be string, number, integer or boolean.", name)
		}
		for word := range field {
			if !slices.Contains(fieldWords, word) {
				return tool.Fail(tool.ValidationError, "schema: '%.64s' of '%.64s' is not supported; use %s.",
					word, name, strings.Join(fieldWords, ", "))
			}
		}
	}
	for _, name := range form.Required {
		if form.Properties[name] == nil {
			return tool.Fail(tool.ValidationError, "schema requires '%.64s', which is none of its fields.", name)
		}
	}
	return nil
}

// fieldWords lists the schema keywords allowed for one field.
var fieldWords = []string{"type", "title", "description", "enum", "default", "minimum", "maximum", "minLength", "maxLength", "format"}

// deceiving reports whether a text anywhere in a JSON value is deceptive.
func deceiving(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsFunc(v, deceives)
	case []any:
		return slices.ContainsFunc(v, deceiving)
	case map[string]any:
		for name, value := range v {
			if strings.ContainsFunc(name, deceives) || deceiving(value) {
				return true
			}
		}
	}
	return false
}

// deceives reports whether a character can make a text look like another one.
func deceives(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
}
