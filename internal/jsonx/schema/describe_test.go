package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	property := func(schema string) string { return `"properties":{"a":` + schema + `}` }
	tests := []struct{ name, schema, args, want string }{
		{"missing", `"required":["path","mode"]`, `{}`, "missing required parameter 'mode'; missing required parameter 'path'"},
		{
			"missing below", property(`{"items":{"type":"object","required":["name"]}}`), `{"a":[{"name":1},{}]}`,
			"missing required parameter 'a[1].name'",
		},
		{"type", property(`{"type":"string"}`), `{"a":5}`, "a: expected string, got number"},
		{"type of a fraction", property(`{"type":"integer"}`), `{"a":1.5}`, "a: expected integer, got number"},
		{"types", property(`{"type":["string","integer"]}`), `{"a":[]}`, "a: expected string or integer, got array"},
		{
			"null below", property(`{"items":{"properties":{"name":{"type":"string"}}}}`), `{"a":[{},{},{"name":null}]}`,
			"a[2].name: expected string, got null",
		},
		{"enum", property(`{"enum":["iso8601","human_readable"]}`), `{"a":"iso"}`, "a: must be one of: iso8601, human_readable"},
		{
			"enum of anything", property(`{"enum":[1,null,"","a, b",{"x":[true]}]}`), `{"a":"iso"}`,
			`a: must be one of: 1, null, "", a, b, {"x":[true]}`,
		},
		{"const", property(`{"const":"x"}`), `{"a":"y"}`, "a: must be x"},
		{"minimum", property(`{"minimum":1}`), `{"a":0}`, "a: must be at least 1"},
		{"maximum", property(`{"maximum":1000000}`), `{"a":1000001}`, "a: must be at most 1000000"},
		{"exclusiveMinimum", property(`{"exclusiveMinimum":0.1}`), `{"a":0.1}`, "a: must be greater than 0.1"},
		{"exclusiveMaximum", property(`{"exclusiveMaximum":-1e30}`), `{"a":0}`, "a: must be less than -1e+30"},
		{"multipleOf", property(`{"multipleOf":0.25}`), `{"a":0.3}`, "a: must be a multiple of 0.25"},
		{"minLength", property(`{"minLength":1}`), `{"a":""}`, "a: must have at least 1 character"},
		{"maxLength", property(`{"maxLength":2}`), `{"a":"abc"}`, "a: must have at most 2 characters"},
		{"pattern", property(`{"pattern":"^b"}`), `{"a":"abc"}`, "a: must match the pattern ^b"},
		{"format", property(`{"type":"string","format":"date"}`), `{"a":"abc"}`, "a: must be a valid date"},
		{"minItems", property(`{"minItems":2}`), `{"a":[1]}`, "a: must have at least 2 items"},
		{"maxItems", property(`{"maxItems":1}`), `{"a":[1,2]}`, "a: must have at most 1 item"},
		{"too many items", property(`{"items":[{}],"additionalItems":false}`), `{"a":[1,2]}`, "a: has too many items"},
		{"uniqueItems", property(`{"uniqueItems":true}`), `{"a":[1,2,1]}`, "a: items must differ, but 0 and 2 are equal"},
		{"contains", property(`{"contains":{"const":1}}`), `{"a":[2]}`, "a: none of the items is of the required kind; a[0]: must be 1"},
		{"minProperties", property(`{"minProperties":1}`), `{"a":{}}`, "a: must have at least 1 property"},
		{"maxProperties", property(`{"maxProperties":0}`), `{"a":{"x":1}}`, "a: must have at most 0 properties"},
		{"additionalProperties", property(`{"additionalProperties":false}`), `{"a":{"x":1}}`, "a: unknown property 'x'"},
		{
			"propertyNames", property(`{"propertyNames":{"maxLength":1}}`), `{"a":{"xy":1}}`,
			"a: must have at most 1 character; a: the property name 'xy' is not allowed",
		},
		{"dependencies", `"dependencies":{"a":["b"]}`, `{"a":1}`, "missing required parameter 'b'"},
		{
			"anyOf", property(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"a":1}`,
			"a: expected string, got number; a: must match at least one of the allowed forms",
		},
		{"oneOf", property(`{"oneOf":[{"type":"number"},{"minimum":0}]}`), `{"a":1}`, "a: must match exactly one of the allowed forms"},
		{"allOf", property(`{"allOf":[{"type":"string"},{"minLength":2}]}`), `{"a":"x"}`, "a: must have at least 2 characters"},
		{"not", property(`{"not":{"type":"string"}}`), `{"a":"x"}`, "a: has a form that is excluded"},
		{"then", property(`{"if":true,"then":{"type":"string"}}`), `{"a":1}`, "a: expected string, got number"},
		{"false", property(`false`), `{"a":1}`, "a: is not allowed here"},
		{"whole object", `"maxProperties":1,"additionalProperties":true`, `{"a":1,"b":1}`, "arguments: must have at most 1 property"},
		{"odd names", property(`{"additionalProperties":{"type":"string"}}`), `{"a":{"x y":1,"":2,"b.c":3,"0":4}}`,
			`a[""]: expected string, got number; a.0: expected string, got number; a["b.c"]: expected string, got number; a["x y"]: expected string, got number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(t, object(tt.schema)).Prepare([]byte(tt.args))
			if err == nil || err.Error() != tt.want {
				t.Errorf("Prepare(%s) = %v, want %s", tt.args, err, tt.want)
			}
		})
	}
}

func TestMessagesAreStable(t *testing.T) {
	want := "estimate: must be at least 1; notes: expected string, got number; priority: must be one of: low, normal, high, urgent; " +
		"remind: expected boolean, got string; tags[1]: expected string, got number; title: must have at least 1 character"
	for range 50 {
		_, err := compile(t, nineProperties).Prepare([]byte(nineInvalid))
		if err == nil || err.Error() != want {
			t.Fatalf("Prepare = %v, want %s", err, want)
		}
	}
}

func TestMessagesAreOrderedByIndex(t *testing.T) {
	s := compile(t, object(`"properties":{"a":{"items":{"type":"string"}}}`))
	_, err := s.Prepare([]byte(`{"a":[` + strings.Repeat("0,", 10_000) + `0]}`))
	var want strings.Builder
	for i := range 10 {
		fmt.Fprintf(&want, "a[%d]: expected string, got number; ", i)
	}
	want.WriteString("and 9991 more")
	if err == nil || err.Error() != want.String() {
		t.Errorf("Prepare = %v, want %s", err, want.String())
	}
	if inv, ok := err.(*Invalid); !ok || len(inv.Problems) != 10 {
		t.Errorf("Prepare = %d problems, want 10", len(inv.Problems))
	}
}

func TestMessagesNeverEchoLongValues(t *testing.T) {
	long := strings.Repeat("long ", 2000)
	quoted, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	q := string(quoted)
	tests := []struct{ name, schema, args string }{
		{"value", `"properties":{"a":{"type":"integer"}}`, `{"a":` + q + `}`},
		{"enum", `"properties":{"a":{"enum":["x"]}}`, `{"a":` + q + `}`},
		{"long choice", `"properties":{"a":{"enum":[` + q + `]}}`, `{"a":1}`},
		{"long const", `"properties":{"a":{"const":` + q + `}}`, `{"a":1}`},
		{"pattern", `"properties":{"a":{"pattern":"^` + strings.Repeat("b", 900) + `$"}}`, `{"a":` + q + `}`},
		{"name", `"properties":{"a":{"additionalProperties":false}}`, `{"a":{` + q + `:1}}`},
		{"name on the way", `"properties":{"a":{"additionalProperties":{"type":"string"}}}`, `{"a":{` + q + `:1}}`},
		{"name of the wrong kind", `"properties":{"a":{"propertyNames":{"pattern":"^x"}}}`, `{"a":{` + q + `:1}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(t, object(tt.schema)).Prepare([]byte(tt.args))
			if err == nil || len(err.Error()) > 300 {
				t.Errorf("Prepare = %.400v, want a short error", err)
			}
		})
	}
}

func TestLongEnumIsCut(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `,"v%d"`, i)
	}
	_, err := compile(t, object(`"properties":{"a":{"enum":[`+b.String()[1:]+`]}}`)).Prepare([]byte(`{"a":"x"}`))
	checkInvalid(t, "Prepare", err, "v48, v49 and 150 more")
}

func TestDeepPathIsCut(t *testing.T) {
	s := compile(t, object(`"properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}`))
	_, err := s.Prepare([]byte(strings.Repeat(`{"next":`, 100) + `{"n":"x"}` + strings.Repeat(`}`, 100)))
	want := "…" + strings.Repeat("next.", 7) + "n: expected integer, got string"
	if err == nil || err.Error() != want {
		t.Errorf("Prepare = %v, want %s", err, want)
	}
}
