package foreign

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// TestSchema: texts are made legible, what could mislead is refused, and a rule that cannot
// be checked is left out and named.
func TestSchema(t *testing.T) {
	t.Parallel()
	deep := `{"type": "object"}`
	for range 2 * maxDeep {
		deep = `{"type": "object", "properties": {"a": ` + deep + `}}`
	}
	for text, want := range map[string]struct{ schema, unchecked, err string }{
		`{"properties": {"a": {"type": "string", "description": " b\u200bc "}}}`: {
			schema: `{"properties":{"a":{"description":"bc","type":"string"}},"type":"object"}`,
		},
		`{"type": "object", "properties": {"a\u200b": {}}}`:              {err: "cannot be seen"},
		`{"type": "object", "properties": {"a": {"enum": ["b\u202e"]}}}`: {err: "cannot be seen"},
		`{"properties": {"a": {"pattern": "[\u200b]", "default": "\u200b"}}}`: {
			`{"properties":{"a":{}},"type":"object"}`, "pattern of #/properties/a", "",
		},
		`{"properties": {"a": {"$ref": "http://127.0.0.1/x"}}}`: {
			`{"properties":{"a":{}},"type":"object"}`, "$ref of #/properties/a: only references inside the document", "",
		},
		`{"properties": {"a": {"$ref": "#/$defs/no"}}}`: {
			`{"properties":{"a":{}},"type":"object"}`, "leads to nothing", "",
		},
		`{"allOf": [{"$ref": "#"}]}`: {
			`{"allOf":[{}],"type":"object"}`, "lead back to the same schema", "",
		},
		`{"$defs": {"properties": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs"}}}`: {unchecked: "leads to nothing"},
		`{"properties": {"a": {"typo": 1, "x-order": 2, "deprecated": true}}}`: {
			schema: `{"properties":{"a":{"description":"Deprecated."}},"type":"object"}`,
		},
		`{"properties": {"a": true, "b": false}, "additionalProperties": true}`: {
			schema: `{"additionalProperties":true,"properties":{"a":{},"b":{"not":{}}},"type":"object"}`,
		},
		`{"properties": {"a": {"type": "integer", "default": "5"}, "b": {"default": 1}}}`: {
			schema: `{"properties":{"a":{"type":"integer"},"b":{"default":1}},"type":"object"}`,
		},
		`{"patternProperties": {"^(?!a)": {}}, "additionalProperties": false}`: {
			`{"additionalProperties":true,"patternProperties":{},"type":"object"}`, "dialect", "",
		},
		`{"properties": {"a": {"$ref": "#list"}}, "$defs": {"L": {"$anchor": "list", "type": "array"}}}`: {
			schema: `{"$defs":{"L":{"type":"array"}},"properties":{"a":{"$ref":"#/$defs/L"}},"type":"object"}`},
		`{"$id": "https://e.example/s", "properties": {"a": {"$ref": "https://e.example/s#/$defs/L"}}, "$defs": {"L": {}}}`: {
			schema: `{"$defs":{"L":{}},"properties":{"a":{"$ref":"#/$defs/L"}},"type":"object"}`},
		`{"type": "string"}`: {`{"type":"object"}`, "always an object", ""},
		deep:                 {unchecked: "nested too deep"},
	} {
		raw, unchecked, err := Schema(object(t, text))
		switch said := strings.Join(unchecked, "; "); {
		case want.err != "":
			if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), want.err) {
				t.Errorf("Schema(%.80s) = %s, %v, want %q", text, raw, err, want.err)
			}
		case err != nil, want.schema != "" && string(raw) != want.schema, !strings.Contains(said, want.unchecked),
			want.unchecked == "" && said != "":
			t.Errorf("Schema(%.80s) = %s, unchecked %q, %v, want %s, %q", text, raw, said, err, want.schema, want.unchecked)
		}
	}
}

// values are tried as the parameter a.
var values = []string{
	`"a"`, `"b"`, `""`, `"ab"`, `"aa"`, `"1234"`, `"\u4e2d\u6587"`, `"a@b.example"`, `"a..b@x.example"`, `"P1D"`, `"https://x"`, `"{x}"`,
	`"\u0001"`, `"1f0e8400-e29b-41d4-a716-446655440000"`, `0`, `1`, `5`, `-1`, `1.5`, `1e300`, `true`, `null`, `[]`, `["a"]`, `["a","b"]`,
	`[1]`, `["a",["b",["c"]]]`, `{}`, `{"k":"x"}`, `{"k":"y"}`, `{"z":"x"}`,
}

// TestKeywords: a schema of every keyword that generators write is offered, and it accepts
// each value that a validator of the dialect 2020-12 accepts.
func TestKeywords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/keywords.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for name, doc := range all {
		raw, _, err := Schema(object(t, string(doc)))
		if err != nil {
			t.Errorf("%s is not offered: %v", name, err)
			continue
		}
		ours, err := schema.Compile(raw)
		if err != nil {
			t.Errorf("%s became %s: %v", name, raw, err)
			continue
		}
		theirs := reference(t, string(doc))
		for _, v := range values {
			args := `{"a":` + v + `}`
			decoded, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
			if err != nil {
				t.Fatal(err)
			}
			if theirs == nil || theirs.Validate(decoded) != nil {
				continue
			}
			compared++
			if _, err := ours.Prepare([]byte(args)); err != nil {
				t.Errorf("%s: %s is refused: %v\n%s became\n%s", name, args, err, doc, raw)
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d values were compared", compared)
	}
}

// reference compiles a document by an independent validator; nil if it refuses it.
func reference(t *testing.T, doc string) *jsonschema.Schema {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if c.AddResource("mem:doc", v) != nil {
		return nil
	}
	s, err := c.Compile("mem:doc")
	if err != nil {
		return nil
	}
	return s
}

// TestRules: what can be checked is checked, and what is left out makes nothing narrower.
func TestRules(t *testing.T) {
	t.Parallel()
	const look = `{"pattern": "(?=b)a"}`
	for _, tt := range []struct {
		schema, fits, not string
	}{
		{`{"prefixItems": [{"type": "string"}], "items": false}`, `["a"]`, `["a", 1]`},
		{`{"prefixItems": [{"type": "string"}]}`, `["a", 1]`, `[1]`},
		{`{"dependentRequired": {"x": ["y"]}}`, `{"x": 1, "y": 1}`, `{"x": 1}`},
		{`{"dependentSchemas": {"x": {"required": ["y"]}}, "dependentRequired": {"x": ["z"]}}`, `{"x": 1, "y": 1, "z": 1}`, `{"x": 1, "y": 1}`},
		{`{"type": "string", "nullable": true, "enum": ["p"]}`, `null`, `"q"`},
		{`{"minimum": 0, "exclusiveMinimum": true}`, `1`, `0`},
		{`{"type": "object", "properties": {"x": {}}, "unevaluatedProperties": false}`, `{"x": 1}`, `{"y": 1}`},
		{`{"prefixItems": [{}], "unevaluatedItems": false}`, `[1]`, `[1, 2]`},
		{`{"pattern": "^[\\u4e00-\\u9fa5]+$"}`, `"\u4e2d"`, `"a"`},
		{`{"pattern": "^\\cA[^]\\u002f$"}`, `"\u0001x/"`, `"x"`},
		{`{"contains": {"type": "string"}, "minContains": 2}`, `["a", "b"]`, `[1]`},
		{`{"contains": {"type": "string"}, "minContains": 0}`, `[1]`, ``},
		{`{"$ref": "#/$defs/S", "maxLength": 1}`, `"a"`, `"ab"`},
		{`{"$ref": "#/$defs/S", "nullable": true}`, `null`, `1`},
		{`{"not": ` + look + `}`, `"a"`, ``},
		{`{"not": {"allOf": [{"$ref": "#/$defs/L"}]}}`, `"a"`, ``},
		{`{"if": ` + look + `, "then": false}`, `"a"`, ``},
		{`{"oneOf": [` + look + `, {"const": "a"}]}`, `"a"`, ``},
		{`{"oneOf": [{"$ref": "#/$defs/L"}, {"const": "a"}], "anyOf": [{"type": "string"}, {"type": "null"}]}`, `"a"`, `1`},
		{`{"oneOf": [{"const": "a"}, {"const": "b"}]}`, `"a"`, `"c"`},
		{`{"not": {"const": "a"}}`, `"b"`, `"a"`},
		{`{"enum": []}`, `"a"`, ``},
		{`{"required": true}`, `"a"`, ``},
		{`{"format": "regex", "type": "string"}`, `"(?=a)"`, ``},
	} {
		raw, unchecked, err := Schema(object(t, `{"properties": {"a": `+tt.schema+`}, "$defs": {"S": {"type": "string"}, "L": `+look+`}}`))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		s, err := schema.Compile(raw)
		if err != nil {
			t.Fatalf("%s became %s: %v", tt.schema, raw, err)
		}
		if _, err := s.Prepare([]byte(`{"a": ` + tt.fits + `}`)); err != nil {
			t.Errorf("%s became %s, which refuses %s: %v", tt.schema, raw, tt.fits, err)
		}
		if tt.not == "" {
			if len(unchecked) == 0 {
				t.Errorf("of %s nothing is named as unchecked", tt.schema)
			}
			continue
		}
		if p, err := s.Prepare([]byte(`{"a": ` + tt.not + `}`)); err == nil {
			t.Errorf("%s became %s, which accepts %s as %s", tt.schema, raw, tt.not, p.Args)
		}
	}
}

// TestHostile: a document that grows, or leads in circles, costs little and is offered.
func TestHostile(t *testing.T) {
	t.Parallel()
	wide, chain := map[string]any{}, map[string]any{}
	for i := range 5000 {
		wide[strings.Repeat("x", i%300)+string(rune('a'+i%26))] = map[string]any{"enum": []any{i}, "pattern": "^(?=a)"}
	}
	for i := range 300 {
		chain[strconv.Itoa(i)] = map[string]any{
			"anyOf": []any{map[string]any{"$ref": "#/$defs/" + strconv.Itoa((i+1)%300)}, map[string]any{"$ref": "#/$defs/0"}},
		}
	}
	for name, doc := range map[string]map[string]any{
		"wide": {"properties": wide}, "chain": {"$defs": chain, "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/0"}}},
		"list": {"enum": make([]any, 100_000), "allOf": make([]any, 100_000)},
		"odd":  {"properties": []any{}, "required": map[string]any{}, "items": 7, "$ref": 7, "$defs": nil, "if": "x", "then": 1},
	} {
		raw, _, err := Schema(doc)
		if err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
		if _, err := schema.Compile(raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
