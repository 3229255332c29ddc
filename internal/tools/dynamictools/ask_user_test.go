package dynamictools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestAskUser: a question is shown as a form, so its schema is flat, and as text, so it
// must not contain characters that hide its meaning.
func TestAskUser(t *testing.T) {
	var ask *tool.Tool
	for _, tl := range Set.Tools() {
		if tl.Name == "ask_user" {
			ask = tl
		}
	}
	form := func(fields string) string {
		return `{"question":"Which?","schema":{"type":"object","properties":{` + fields + `}}}`
	}
	for args, schema := range map[string]string{
		`{"question":" Which? "}`:                  anyAnswer,
		`{"question":"Which?","schema":{}}`:        anyAnswer,
		form(`"a":{"type":"integer"}`):             `{"type":"object","properties":{"a":{"type":"integer"}}}`,
		form(`"a":{"type":"string","enum":["x"]}`): `{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`,
	} {
		inv, err := ask.Bind(json.RawMessage(args))
		if err != nil || inv.Question == nil || inv.Question.Text != "Which?" || string(inv.Question.Schema) != schema {
			t.Errorf("%s asks %+v, %v, want %s", args, inv.Question, err, schema)
		}
	}
	for args, want := range map[string]string{
		`{"question":"  "}`:                          "blank",
		`{"question":"a\u001b[2Jb"}`:                 "control characters",
		`{"question":"a\u202eb"}`:                    "direction",
		`{"question":"a","schema":{"type":"array"}}`: `{"type": "object"`,
		form(``):                                       "1 to 20 fields",
		form(`"a":{"type":"object"}`):                  "the type of 'a'",
		form(`"a":{"enum":["x"]}`):                     "the type of 'a'",
		form(`"a":{"type":"string","pattern":"x"}`):    "'pattern' of 'a'",
		form(`"a":{"type":"string","title":"\u202e"}`): "direction",
		form(`"a":7`):                                  "each an object",
		`{"question":"a","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}}`: "requires 'b'",
	} {
		_, err := ask.Bind(json.RawMessage(args))
		if failure := tool.AsError(err); failure == nil || failure.Kind != tool.ValidationError || !strings.Contains(failure.Msg, want) {
			t.Errorf("%s = %v, want a validation_error with %q", args, err, want)
		}
	}
}
