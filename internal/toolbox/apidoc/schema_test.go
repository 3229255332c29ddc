package apidoc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/jsonx/schema"
)

const (
	number10 = json.Number("10")
	number16 = json.Number("16")
)

// converted returns the schema of a body as JSON. Components are those of the document.
func converted(t *testing.T, version, text, components string) string {
	t.Helper()
	doc := read(t, fmt.Sprintf(`{"openapi": %q, "paths": {"/a": {"post": {"operationId": "a", "requestBody": {"content": {"application/json": {"schema": %s}}}}}},
		"components": {"schemas": {%s}}}`, version, text, components))
	out, err := json.Marshal(operation(t, doc, "a").Body.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSchemas: each keyword is written as draft-07 has it, or left to the API.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ version, from, want string }{
		{"3.0.0", `{"type": "string", "nullable": true, "enum": ["a", "b"]}`, `{"enum":["a","b",null],"type":["string","null"]}`},
		{
			"3.0.0", `{"nullable": true, "allOf": [{"type": "string"}, {"minLength": 2}]}`,
			`{"anyOf":[{"allOf":[{"type":"string"},{"minLength":2}]},{"type":"null"}]}`,
		},
		{
			"3.0.0", `{"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}`,
			`{"exclusiveMinimum":1,"maximum":9,"type":"integer"}`,
		},
		{
			"3.1.0", `{"type": ["integer", "null", "odd"], "exclusiveMinimum": 1, "const": 3}`,
			`{"const":3,"exclusiveMinimum":1,"type":["integer","null"]}`,
		},
		{"3.1.0", `true`, `{}`},
		{"3.1.0", `{"type": "array", "prefixItems": [{"type": "string"}], "items": false}`, `{"type":"array"}`},
		{"3.0.0", `{"oneOf": [{"type": "string"}, {"type": "integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`},
		{"3.0.0", `{"allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}, "additionalProperties": false}]}`,
			`{"properties":{"a":{"type":"string"},"b":{}},"required":["a"],"type":"object"}`},
		{
			"3.0.0", `{"type": "boolean", "default": false, "description": "Whether."}`,
			`{"description":"Whether. Default: false.","type":"boolean"}`,
		},
		{
			"3.0.0",
			`{"type": "string", "pattern": "^(?!x)", "format": "uuid", "x-a": 1, "example": "e", "title": "T", "externalDocs": {"url": "u"}}`,
			`{"format":"uuid","type":"string"}`,
		},
		{
			"3.0.0", `{"type": "string", "pattern": "^[a-f0-9]{40}$", "minLength": -1, "maxLength": 1e99}`,
			`{"pattern":"^[a-f0-9]{40}$","type":"string"}`,
		},
		{"3.0.0", `{"type": "string", "format": "password"}`, `{"format":"password","type":"string","writeOnly":true}`},
		{"3.0.0", `{"type": "file", "enum": [], "required": true}`, `{}`},
		{"3.0.0", `{"enum": ["a", "a", 1, 1.0]}`, `{"enum":["a",1]}`},
		{"3.0.0", `{"type": "string", "description": "seen\u200b\u202e"}`, `{"description":"seen","type":"string"}`},
		{"3.0.0", `{"enum": ["a\u200b"]}`, `{}`},
		{
			"3.1.0", `{"$ref": "#/components/schemas/S", "description": "Mine.", "minLength": 2}`,
			`{"allOf":[{"description":"Mine.","type":"string"},{"minLength":2}]}`,
		},
		{"3.0.0", `{"$ref": "#/components/schemas/S", "minLength": 2}`, `{"type":"string"}`},
		{"3.0.0", `{"not": {"type": "string"}, "type": "integer", "multipleOf": 0}`, `{"type":"integer"}`},
	} {
		if got := converted(t, tt.version, tt.from, `"S": {"type": "string"}`); cmp.Diff(tt.want, got) != "" {
			t.Errorf("%s in %s is\n%s, want\n%s", tt.from, tt.version, got, tt.want)
		}
	}
}

// TestCutSchemas: cycles and schemas that grow without end are cut, and what is left
// compiles.
func TestCutSchemas(t *testing.T) {
	t.Parallel()
	grows := &strings.Builder{}
	for i := range 40 { // doubles 40 times
		fmt.Fprintf(grows,
			`"G%d": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/G%d"}, "b": {"$ref": "#/components/schemas/G%[2]d"}}},`,
			i, i+1)
	}
	fields := make([]string, 2000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"f%d": {"type": "string"}`, i)
	}
	for name, tt := range map[string]struct{ from, components, want string }{
		"a tree": {
			`{"$ref": "#/components/schemas/T"}`,
			`"T": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/components/schemas/T"}}}}`, "not shown here",
		},
		"a cycle of two": {
			`{"$ref": "#/components/schemas/A"}`,
			`"A": {"anyOf": [{"$ref": "#/components/schemas/B"}]}, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]}`, "not shown here",
		},
		"growth":          {`{"$ref": "#/components/schemas/G0"}`, grows.String() + `"G40": {}`, "not shown here"},
		"many properties": {`{"type": "object", "properties": {` + strings.Join(fields, ",") + `}}`, `"S": {}`, "f1"},
		"a long name":     {`{"type": "object", "properties": {"` + strings.Repeat("n", 300) + `": {}, "ok": {}}}`, `"S": {}`, "ok"},
		"a large enum":    {`{"type": "object", "properties": {"a": {"enum": ["` + strings.Repeat(`x","`, 5000) + `y"]}}}`, `"S": {}`, `"a":{}`},
		"many expressions": {
			`{"type": "object", "properties": {"a": {"pattern": "^(a{900}){2}$"}, "b": {"pattern": "^[a-z]{500}$"}}}`, `"S": {}`, `"b"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := converted(t, "3.0.0", tt.from, tt.components)
			if !strings.Contains(got, tt.want) || len(got) > 256<<10 {
				t.Errorf("%d bytes, want some with %s: %.300s", len(got), tt.want, got)
			}
			if strings.HasPrefix(name, "a ") && strings.Contains(tt.want, "shown") && len(got) > 400 {
				t.Errorf("the cycle is not cut where it closes: %s", got)
			}
			if _, err := schema.Compile([]byte(`{"type":"object","properties":{"body":` + got + `}}`)); err != nil {
				t.Errorf("it does not compile: %v\n%.500s", err, got)
			}
		})
	}
}

// TestTooMuch: schemas that are each below the limit, but not together, are cut, and an
// operation that is not wanted costs nothing.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	grows := &strings.Builder{}
	for i := range 12 {
		fmt.Fprintf(grows,
			"    G%d: {type: object, properties: {a: {$ref: '#/components/schemas/G%d'}, b: {$ref: '#/components/schemas/G%[2]d'}}}\n", i, i+1)
	}
	paths := &strings.Builder{}
	for i := range 500 {
		fmt.Fprintf(paths,
			"  /p%03d: {post: {operationId: p%03[1]d, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/G0'}}}}}}\n",
			i)
	}
	text := withPaths(paths.String()) + "components:\n  schemas:\n" + grows.String() + "    G12: {}\n"
	doc := read(t, text)
	if first, last := operation(t, doc, "p000"), operation(t, doc, "p499"); first.Body.Schema["properties"] == nil ||
		last.Body.Schema["properties"] != nil || last.Body.Schema["description"] == nil {
		t.Errorf("the first body has %d members, the last one is %v", len(first.Body.Schema), last.Body.Schema)
	}
	doc, err := Read([]byte(text), func(id string) bool { return id == "p499" })
	if err != nil || len(doc.Operations) != 1 || doc.Operations[0].Body.Schema["properties"] == nil {
		t.Errorf("alone, the last one is %v, %v", doc, err)
	}
}
