package schema

import (
	"fmt"
	"strings"
	"testing"
)

// object wraps members of a root schema.
func object(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"type":"object"` + members + `}`
}

func TestCompileAccepts(t *testing.T) {
	tests := []struct{ name, document string }{
		{"empty object", object(``)},
		{"annotations", object(`"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/x","$comment":"c",` +
			`"title":"t","description":"d","examples":[{}],"properties":{"a":{"readOnly":true,"default":1,"contentEncoding":"base64"}}`)},
		{
			"marked parameters",
			object(`"properties":{"a":{"writeOnly":true},"b":{"type":"string","format":"password"},"c":{"writeOnly":false,"readOnly":true}}`),
		},
		{"https dialect without #", object(`"$schema":"https://json-schema.org/draft-07/schema"`)},
		{
			"properties named like keywords",
			object(`"properties":{"$ref":{"type":"string"},"id":{"type":"string"},"$id":{"type":"integer"},"const":{},"enum":{},"required":true}`),
		},
		{"definitions named like keywords", object(`"definitions":{"$ref":{},"$id":{},"id":{}}`)},
		{"reference into $defs", object(`"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"}}`)},
		{"reference beside notes", object(`"$defs":{"a":{}},"properties":{"x":{"$ref":"#/$defs/a","description":"d","default":1}}`)},
		{"reference, escaped", object(`"definitions":{"a/b ~":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a~1b%20~0"}}`)},
		{"reference to a property", object(`"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}`)},
		{"recursion through properties", object(`"properties":{"child":{"$ref":"#"}}`)},
		{
			"recursion through items", object(`"$defs":{"n":{"type":"array","items":{"$ref":"#/$defs/n"}}},"properties":{"a":{"$ref":"#/$defs/n"}}`),
		},
		{"recursion through allOf and properties", object(`"allOf":[{"properties":{"a":{"$ref":"#"}}}]`)},
		{"unknown format", object(`"properties":{"a":{"type":"string","format":"color"}}`)},
		{"sizes written 2.0 and 1e1", object(`"properties":{"a":{"minLength":2.0,"maxLength":1e1},"b":{"minItems":0.0}},"maxProperties":20e-1`)},
		{"boolean schemas", object(`"properties":{"a":true,"b":false},"additionalProperties":false`)},
		{"everything else", object(`"properties":{"a":{"multipleOf":0.1,"exclusiveMinimum":0,"exclusiveMaximum":1},"b":{"items":[{}],"additionalItems":false,"contains":{},"uniqueItems":true},` +
			`"c":{"if":{},"then":{},"else":{},"not":false},"d":{"pattern":"^a+$"}},"patternProperties":{"^x-":{}},"propertyNames":{"maxLength":9},` +
			`"dependencies":{"a":["b"],"b":{}},"minProperties":0,"oneOf":[{}],"anyOf":[{}],"allOf":[{}]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { compile(t, tt.document) })
	}
}

func TestCompileRefuses(t *testing.T) {
	property := func(schema string) string { return object(`"properties":{"a":` + schema + `}`) }
	tests := []struct{ name, document, want string }{
		{"empty", ``, "schema: not valid JSON"},
		{"not JSON", `{`, "ends too early"},
		{"trailing data", `{"type":"object"} {}`, "something follows"},
		{"duplicate key", `{"type":"object","type":"object"}`, "duplicate key 'type'"},
		{"invalid UTF-8", "{\"type\":\"\xff\"}", "invalid UTF-8"},
		{"not an object", `true`, "schema: expected an object, got true"},
		{"array", `[]`, "schema: expected an object, got a list"},
		{"no type", `{}`, `must have "type": "object"`},
		{"wrong type", `{"type":"array"}`, `must have "type": "object"`},
		{"two types", `{"type":["object","null"]}`, `must have "type": "object"`},
		{"too large", object(`"description":"` + strings.Repeat("a", 256<<10) + `"`), "larger than 256 KiB"},
		{"too deep", property(strings.Repeat(`{"not":`, 130) + `{}` + strings.Repeat(`}`, 130)), "nested more than 128"},
		{"misspelt keyword", object(`"requird":["a"]`), `unknown keyword "requird" at #`},
		{"misspelt keyword below", property(`{"items":{"minimun":1}}`), `unknown keyword "minimun" at #/properties/a/items`},
		{"misspelt in unused definition", object(`"$defs":{"x":{"typ":"string"}}`), `unknown keyword "typ" at #/$defs/x`},
		{"keyword of another draft", property(`{"nullable":true}`), `unknown keyword "nullable"`},
		{"keyword of a later draft", object(`"unevaluatedProperties":false`), `unknown keyword "unevaluatedProperties"`},
		{"draft-04 id", object(`"id":"x"`), `unknown keyword "id"`},
		{"foreign dialect", object(`"$schema":"https://json-schema.org/draft/2020-12/schema"`), "only draft-07"},
		{"nested $id", property(`{"$id":"x"}`), "only the root may have $id"},
		{"reference to a name", property(`{"$ref":"#x"}`), "does not lead to a schema"},
		{
			"dangling reference", property(`{"$ref":"#/$defs/x"}`),
			"\"#/$defs/x\" does not lead to a schema in this document at #/properties/a/$ref",
		},
		{"reference to a non-schema", property(`{"$ref":"#/properties"}`), "does not lead to a schema"},
		{
			"reference into an enum", object(`"properties":{"a":{"enum":[{"type":"string"}]},"b":{"$ref":"#/properties/a/enum/0"}}`),
			"does not lead to a schema",
		},
		{"badly escaped reference", property(`{"$ref":"#/%zz"}`), "does not lead to a schema"},
		{
			"reference with a constraint beside", object(`"$defs":{"x":{}},"properties":{"a":{"$ref":"#/$defs/x","minLength":1}}`),
			`"minLength" beside $ref has no effect`,
		},
		{"reference is no string", property(`{"$ref":1}`), "only references inside the document"},
		{"unknown type", property(`{"type":"text"}`), "expected one of array, boolean, integer, null, number, object, string, got \"text\""},
		{"type twice", property(`{"type":["string","string"]}`), "named twice"},
		{"no types", property(`{"type":[]}`), "at least one type"},
		{"required is no list", object(`"required":true`), "expected a list of names"},
		{"required twice", object(`"required":["a","a"]`), "expected different names"},
		{"empty enum", property(`{"enum":[]}`), "at least one value"},
		{"equal values in enum", property(`{"enum":[1,1.0]}`), "schema: "},
		{"negative size", property(`{"minLength":-1}`), "expected a whole number"},
		{"broken size", property(`{"maxItems":1.5}`), "expected a whole number"},
		{"size is no number", property(`{"maxItems":"3"}`), "expected a whole number from 0 to 2147483647, got \"3\" at #/properties/a/maxItems"},
		{"sizes crossed", property(`{"minLength":3,"maxLength":2}`), "schema: "},
		{"multipleOf zero", property(`{"multipleOf":0.0}`), "expected a number above 0"},
		{"minimum is no number", property(`{"minimum":"1"}`), "expected a number"},
		{"draft-04 exclusiveMinimum", property(`{"minimum":1,"exclusiveMinimum":true}`), "expected a number, got true"},
		{"look-ahead", property(`{"pattern":"^(?=a)"}`), "the pattern does not compile"},
		{"pattern as a name", object(`"patternProperties":{"(":{}}`), "the pattern does not compile"},
		{"properties is a list", object(`"properties":[]`), "expected an object, got a list at #/properties"},
		{"property is no schema", property(`"string"`), `expected a schema (an object, true or false), got "string" at #/properties/a`},
		{"empty oneOf", object(`"oneOf":[]`), "at least one schema"},
		{"empty items", property(`{"items":[]}`), "at least one schema"},
		{"uniqueItems is no flag", property(`{"uniqueItems":1}`), "expected true or false"},
		{"a mark in words", property(`{"writeOnly":"true"}`), `expected true or false, got "true" at #/properties/a/writeOnly`},
		{"a mark in an unused definition", object(`"$defs":{"x":{"writeOnly":1}}`), `expected true or false, got 1 at #/$defs/x/writeOnly`},
		{"title is no string", object(`"title":1`), "expected string, got number"},
		{"wrong default", property(`{"type":"integer","default":"5"}`), "schema: the default does not fit: a: expected integer, got string"},
		{"default out of bounds", property(`{"type":"integer","maximum":3,"default":5}`), "must be at most 3"},
		{"default breaks a pattern", property(`{"type":"string","pattern":"^b","default":"a"}`), "must match the pattern ^b"},
		{
			"default breaks a reference", object(`"$defs":{"n":{"type":"number"}},"properties":{"a":{"$ref":"#/$defs/n","default":"x"}}`),
			"expected number",
		},
		{"null default", property(`{"type":"string","default":null}`), "got null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile([]byte(tt.document))
			checkInvalid(t, "Compile", err, tt.want)
		})
	}
}

func TestCompileNamesAllProblems(t *testing.T) {
	document := object(`"requird":[],"properties":{"a":{"type":"text"},"b":{"minimun":1}}`)
	want := `schema: expected one of array, boolean, integer, null, number, object, string, got "text" at #/properties/a/type; ` +
		`schema: unknown keyword "minimun" at #/properties/b; schema: unknown keyword "requird" at #`
	for range 20 {
		if _, err := Compile([]byte(document)); err == nil || err.Error() != want {
			t.Fatalf("Compile = %v, want %s", err, want)
		}
	}
	var many strings.Builder
	for i := range 900 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	_, err := Compile([]byte(object(many.String()[1:])))
	checkInvalid(t, "Compile of 900 unknown keywords", err, "; and ")
	if len(err.Error()) > 1000 {
		t.Errorf("Compile of 900 unknown keywords = %d bytes of error, want few", len(err.Error()))
	}
}

func TestFree(t *testing.T) {
	document := object(
		`"properties":{"q":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":50,"default":20}},"required":["q"]`,
	)
	s := compile(t, document, Free("limit"))
	tests := []struct{ args, want string }{
		{`{"q":"x","limit":1000}`, `{"q":"x","limit":1000}`},
		{`{"q":"x","limit":"many"}`, `{"q":"x","limit":"many"}`},
		{`{"q":"x","limit":[{}]}`, `{"q":"x","limit":[{}]}`},
		{`{"q":"x","limit":null}`, `{"q":"x","limit":20}`},
		{`{"q":"x"}`, `{"q":"x","limit":20}`},
	}
	for _, tt := range tests {
		if p, err := s.Prepare([]byte(tt.args)); err != nil || string(p.Args) != tt.want {
			t.Errorf("Prepare(%s) = %s, %v, want %s", tt.args, p.Args, err, tt.want)
		}
	}
	_, err := s.Prepare([]byte(`{"q":5,"limit":"x"}`))
	checkInvalid(t, "Prepare", err, "q: expected string, got number")

	_, err = compile(t, document).Prepare([]byte(`{"q":"x","limit":1000}`))
	checkInvalid(t, "Prepare without Free", err, "limit: must be at most 50")
	_, err = compile(t, object(`"properties":{"n":{"type":"integer"}},"required":["n"]`), Free("n")).Prepare([]byte(`{"n":null}`))
	checkInvalid(t, "Prepare of a free required null", err, "missing required parameter 'n'")
	_, err = Compile([]byte(document), Free("limt"))
	checkInvalid(t, "Compile", err, "there is no parameter 'limt'")
	_, err = Compile([]byte(replace(t, document, "20", "70")), Free("limit"))
	checkInvalid(t, "Compile with a wrong default", err, "must be at most 50")
}

func TestFreeLeavesReferencesAlone(t *testing.T) {
	s := compile(t, object(`"properties":{"limit":{"type":"integer"},"other":{"$ref":"#/properties/limit"}}`), Free("limit"))
	_, err := s.Prepare([]byte(`{"limit":"x","other":"x"}`))
	checkInvalid(t, "Prepare", err, "other: expected integer, got string")
}
