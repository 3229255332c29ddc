package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestNewForm: schemas are held to the rules of package schema, and the refusal names the
// parameter.
func TestNewForm(t *testing.T) {
	for raw, want := range map[string]string{
		`{"properties":{"a":{"type":"string"}}}`: "",
		`{"type":"object"}`:                      "",
		`{"type":"object","properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"string"}}}`: "",
		`{"type":"array"}`: `fields: the root of the schema must have "type": "object"`,
		`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`: "fields: ",
		`{"type":"object","allOf":[{"$ref":"#"}]}`:                           "fields: ",
		`{"type":"object","propertys":{}}`:                                   `fields: unknown keyword "propertys"`,
		`[]`:                                                                 "fields: ",
	} {
		_, err := NewForm(json.RawMessage(raw))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", raw, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s is accepted", raw)
			continue
		}
		if e := Refusal("fields", err); e.Kind != tool.ValidationError || !strings.HasPrefix(e.Msg, want) || strings.Contains(e.Msg, "schema: ") {
			t.Errorf("%s: %v, want %q", raw, e, want)
		}
	}
}

// TestCheck: an object is brought into the form of its schema, and every digit stays.
func TestCheck(t *testing.T) {
	form, err := NewForm(json.RawMessage(`{"properties":{"total":{"type":"number"},"kind":{"type":"string","enum":["Food"]},"lines":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}},"required":["total"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for object, want := range map[string]string{
		`{"total":0.10000000000000000000000001,"kind":"food"}`: `{"total":0.10000000000000000000000001,"kind":"Food"}`,
		`{"total":1,"kind":null,"other":1}`:                    `{"total":1}`,
		`{"total":"1"}`:                                        "total: expected number, got string",
		`{"total":1,"lines":[{"n":1},{}]}`:                     "missing required member 'lines[1].n'",
		`{"totl":1}`:                                           "unknown member 'totl': did you mean 'total'?",
	} {
		got, problems := form.Check(json.RawMessage(object))
		if text := string(got) + strings.Join(problems, "; "); text != want {
			t.Errorf("%s: %s, want %s", object, text, want)
		}
	}
}
