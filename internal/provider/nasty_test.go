package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// nasty are schemas that other people's tools come with, and the results. An
// empty want is not compared.
var nasty = []struct {
	name, schema   string
	plain          string // for OpenAI and Anthropic
	gemini         string // {} for parameters that are left out
	anthropicsOwn  string // where it is not the same
	descriptionEnd string // of the function, in Gemini
}{
	{
		name:   "nothing",
		schema: ``,
		plain:  noParameters, gemini: `{}`,
	}, {
		name:   "null",
		schema: `null`,
		plain:  noParameters, gemini: `{}`,
	}, {
		name:   "no properties",
		schema: ` {"type":"object","properties":{},"additionalProperties":false} `,
		plain:  `{"type":"object","properties":{},"additionalProperties":false}`,
		gemini: `{}`,
	}, {
		name:   "null as a type",
		schema: `{"type":"object","properties":{"a":{"type":["string","null"],"default":null},"b":{"oneOf":[{"type":"null"},{"type":"integer"}],"description":"B"},"c":{"type":"null"}}}`,
		plain:  `{"type":"object","properties":{"a":{"type":["string","null"],"default":null},"b":{"oneOf":[{"type":"null"},{"type":"integer"}],"description":"B"},"c":{"type":"null"}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true},"b":{"type":"INTEGER","description":"B","nullable":true},"c":{"type":"STRING","nullable":true}}}`,
	}, {
		name:   "several types",
		schema: `{"type":"object","properties":{"a":{"type":["string","integer","null"],"description":"A","minLength":1,"minimum":2,"default":7}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING","description":"A","nullable":true,"minLength":1},{"type":"INTEGER","minimum":2}]}}}`,
	}, {
		name:   "any value",
		schema: `{"type":"object","properties":{"a":{"description":"A"},"b":true}}`,
		plain:  `{"type":"object","properties":{"a":{"description":"A"},"b":{}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING","description":"A"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]},"b":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]}}}`,
	}, {
		name:   "enums and constants",
		schema: `{"type":"object","properties":{"a":{"enum":["x","",null]},"b":{"type":"integer","enum":[1,20000000000000000001],"description":"B."},"c":{"const":"v1"},"d":{"type":"boolean","const":true},"e":{"type":"string","enum":[1,"one"]},"f":{"enum":[1,2.5]}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"type":"STRING","description":"It may be empty too.","nullable":true,"enum":["x"]},"b":{"type":"INTEGER","description":"B. One of: 1, 20000000000000000001."},"c":{"type":"STRING","enum":["v1"]},"d":{"type":"BOOLEAN","description":"One of: true."},"e":{"type":"STRING","enum":["one"]},"f":{"type":"NUMBER","description":"One of: 1, 2.5."}}}`,
	}, {
		name:   "formats and bounds",
		schema: `{"type":"object","properties":{"a":{"type":"string","format":"uri","minLength":1.0,"maxLength":-1,"pattern":"^h"},"b":{"type":"string","format":"date-time"},"c":{"type":"integer","format":"int64","minimum":-9223372036854775808,"exclusiveMaximum":5,"multipleOf":2},"d":{"type":"number","format":"int32","maximum":1e3},"e":{"type":"array","items":{"type":"number","format":"double"},"minItems":1,"maxItems":3,"uniqueItems":true},"f":{"type":"array","items":{"type":"number"},"minItems":1.5,"maxItems":1e99}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"type":"STRING","minLength":1,"pattern":"^h"},"b":{"type":"STRING","format":"date-time"},"c":{"type":"INTEGER","format":"int64","minimum":-9223372036854775808},"d":{"type":"NUMBER","maximum":1e3},"e":{"type":"ARRAY","items":{"type":"NUMBER","format":"double"},"minItems":1,"maxItems":3},"f":{"type":"ARRAY","items":{"type":"NUMBER"}}}}`,
	}, {
		name:   "arrays",
		schema: `{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"array","items":[{"type":"string"},{"type":"number"}]},"c":{"type":["array","null"]},"d":{"default":{"type":"array"},"type":"string"}}}`,
		plain:  `{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}},"c":{"type":["array","null"],"items":{}},"d":{"default":{"type":"array"},"type":"string"}}}`,
	}, {
		name:   "references",
		schema: `{"type":"object","properties":{"a":{"$ref":"#/$defs/point","description":"Where."},"b":{"$ref":"#/definitions/a~1b%20c"},"c":{"$ref":"file:///etc/passwd"},"d":{"type":"array","items":{"$ref":"#/$defs/point"}}},"$defs":{"point":{"type":"object","description":"A point.","properties":{"x":{"type":"number"}},"required":["x"]}},"definitions":{"a/b c":{"type":"string"}}}`,
		plain:  `{"type":"object","properties":{"a":{"$ref":"#/$defs/point","description":"Where."},"b":{"$ref":"#/definitions/a~1b%20c"},"c":{},"d":{"type":"array","items":{"$ref":"#/$defs/point"}}},"$defs":{"point":{"type":"object","description":"A point.","properties":{"x":{"type":"number"}},"required":["x"]}},"definitions":{"a/b c":{"type":"string"}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"type":"OBJECT","description":"Where.","properties":{"x":{"type":"NUMBER"}},"required":["x"]},"b":{"type":"STRING"},"c":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]},"d":{"type":"ARRAY","items":{"type":"OBJECT","description":"A point.","properties":{"x":{"type":"NUMBER"}},"required":["x"]}}}}`,
	}, {
		name:   "a tree",
		schema: `{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`,
		gemini: `{"type":"OBJECT","properties":{"tree":{"type":"OBJECT","properties":{"name":{"type":"STRING"},"kids":{"type":"ARRAY","items":{"type":"OBJECT"}}}}}}`,
	}, {
		name:   "a reference to itself",
		schema: `{"type":"object","properties":{"a":{"$ref":"#/properties/a"},"b":{"$ref":"#"}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]},"b":{"type":"OBJECT","properties":{"a":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]},"b":{"type":"OBJECT"}}}}}`,
	}, {
		name:   "alternatives at the root",
		schema: `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"},"id":{"type":"number"}},"required":["kind"]}]}`,
		plain:  `{"type":"object","properties":{"id":{"type":"string"},"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"string"}},"required":["id","kind"]}`,
		gemini: `{"type":"OBJECT","properties":{"id":{"type":"STRING"},"kind":{"anyOf":[{"type":"STRING","enum":["a"]},{"type":"STRING","enum":["b"]}]},"x":{"type":"STRING"}},"required":["id","kind"]}`,
	}, {
		name:   "at least one of",
		schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]},"$schema":"http://json-schema.org/draft-07/schema#"}`,
		plain:  `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
		gemini: `{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}}}`,
	}, {
		name:   "everything of",
		schema: `{"type":"object","allOf":[{"$ref":"#/$defs/page"},{"properties":{"q":{"allOf":[{"type":"string"},{"minLength":1,"description":"Q"}]}},"required":["q"]}],"$defs":{"page":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n","gone"]}}}`,
		plain:  `{"type":"object","properties":{"n":{"type":"integer"},"q":{"allOf":[{"type":"string"},{"minLength":1,"description":"Q"}]}},"required":["n","q"],"$defs":{"page":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n","gone"]}}}`,
		gemini: `{"type":"OBJECT","properties":{"n":{"type":"INTEGER"},"q":{"type":"STRING","description":"Q","minLength":1}},"required":["n","q"]}`,
	}, {
		name:          "names a provider refuses",
		schema:        `{"type":"object","properties":{"größe":{"type":"number"},"$filter":{"type":"string"},"ok":{"type":"string"}},"required":["größe","ok"]}`,
		plain:         `{"type":"object","properties":{"größe":{"type":"number"},"$filter":{"type":"string"},"ok":{"type":"string"}},"required":["größe","ok"]}`,
		anthropicsOwn: `{"type":"object","description":"Also takes \"größe\", which is required: {\"type\":\"number\"}. Also takes \"$filter\": {\"type\":\"string\"}.","properties":{"ok":{"type":"string"}},"required":["ok"]}`,
		gemini:        `{"type":"OBJECT","description":"Also takes \"größe\", which is required: {\"type\":\"number\"}. Also takes \"$filter\": {\"type\":\"string\"}.","properties":{"ok":{"type":"STRING"}},"required":["ok"]}`,
	}, {
		name:           "nothing but such names",
		schema:         `{"type":"object","properties":{"a b":{"type":"number"}}}`,
		anthropicsOwn:  `{"type":"object","description":"Also takes \"a b\": {\"type\":\"number\"}.","properties":{}}`,
		gemini:         `{}`,
		descriptionEnd: ` Also takes "a b": {"type":"number"}.`,
	}, {
		name:   "a map",
		schema: `{"type":"object","properties":{"env":{"type":"object","description":"Environment.","additionalProperties":{"type":"string"}},"free":{"type":"object"}}}`,
		gemini: `{"type":"OBJECT","properties":{"env":{"type":"OBJECT","description":"Environment. Takes any keys, each with a value like {\"type\":\"string\"}."},"free":{"type":"OBJECT"}}}`,
	}, {
		name:   "types that are not named",
		schema: `{"properties":{"a":{"properties":{"x":{}}},"b":{"items":{"type":"string"}},"c":{"pattern":"x"},"d":{"minimum":1},"e":{"type":"what"}}}`,
		plain:  `{"type":"object","properties":{"a":{"properties":{"x":{}}},"b":{"items":{"type":"string"}},"c":{"pattern":"x"},"d":{"minimum":1},"e":{"type":"what"}}}`,
	}, {
		name:   "not a schema at all",
		schema: `{"type":7,"title":{},"description":[1,2],"properties":{"a":{"type":{},"enum":7,"description":{"x":7},"title":7,"minLength":"x","minimum":"x","pattern":7,"items":7,"required":7,"$ref":7},"b":7},"required":[7,{},"a"]}`,
	},
}

func definitionOf(parameters string) []*tool.Definition {
	return []*tool.Definition{
		{Name: "files.read_text", Description: "Read.", Parameters: json.RawMessage(parameters), Tags: []string{"secret tag"}},
	}
}

func TestNastySchemas(t *testing.T) {
	for _, tt := range nasty {
		for _, f := range Formats() {
			text, err := f.Tools(definitionOf(tt.schema))
			if err != nil || !json.Valid(text) {
				t.Errorf("%s: %s: Tools = %s, %v", tt.name, f, text, err)
				continue
			}
			for _, problem := range broken(f, text) {
				t.Errorf("%s: %s, in %s", tt.name, problem, text)
			}
			before, after := `[{"type":"function","function":{"name":"files_read_text","description":"Read.","parameters":`, `}}]`
			want := tt.plain
			switch f {
			case OpenAI:
			case Responses:
				before, after = `[{"type":"function","name":"files_read_text","description":"Read.","parameters":`, `,"strict":false}]`
			case Anthropic:
				before, after = `[{"name":"files_read_text","description":"Read.","input_schema":`, `}]`
				if tt.anthropicsOwn != "" {
					want = tt.anthropicsOwn
				}
			case Gemini:
				before, after = `[{"functionDeclarations":[{"name":"files_read_text","description":`+string(quote(nil, "Read."+tt.descriptionEnd))+
					`,"parameters":`, `}]}]`
				want = tt.gemini
				if want == "{}" {
					want, before = " ", strings.TrimSuffix(before, `,"parameters":`)
				}
			case MCP:
				continue
			}
			if want != "" {
				if diff := cmp.Diff(before+strings.TrimSpace(want)+after, string(text)); diff != "" {
					t.Errorf("%s: %s (-want +got):\n%s", tt.name, f, diff)
				}
			}
		}
	}
}

// TestSchemasThatMultiply: a schema that would be endless, or larger than anything,
// comes out small; without bounds it would not come out at all.
func TestSchemasThatMultiply(t *testing.T) {
	wide := func(of string, n int) string { return "[" + strings.TrimSuffix(strings.Repeat(of+",", n), ",") + "]" }
	var refs, alls []string
	for i := range 30 {
		next := string(rune('a' + (i+1)%30))
		if i == 29 {
			next = "a"
		}
		name := string(quote(nil, string(rune('a'+i))))
		refs = append(refs,
			name+`:{"type":"object","properties":{"x":{"$ref":"#/$defs/`+next+`"},"y":{"$ref":"#/$defs/`+next+`"},"z":{"$ref":"#/$defs/`+next+`"}}}`)
		alls = append(alls, name+`:{"allOf":`+wide(`{"$ref":"#/$defs/`+next+`"}`, 20)+`,"anyOf":`+wide(`{"$ref":"#/$defs/`+next+`"}`, 20)+`}`)
	}
	for name, schema := range map[string]string{
		"references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{` + strings.Join(refs, ",") + `}}`,
		"allOf and anyOf": `{"type":"object","allOf":[{"$ref":"#/$defs/a"}],"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{` +
			strings.Join(alls, ",") + `}}`,
		"nested": `{"type":"object","properties":{"a":` + strings.Repeat(`{"properties":{"a":`, 100) + `{}` +
			strings.Repeat(`}}`, 100) + `}}`,
		"thousands of names":   `{"type":"object","properties":{"p0":{}` + manyNames(5000) + `}}`,
		"all in an empty loop": `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/properties/a"},{"$ref":"#/properties/a"}]}},"allOf":[{"$ref":"#"}]}`,
	} {
		for _, f := range Formats() {
			text, err := f.write(definitionOf(schema))
			if err != nil || len(text) > 5*len(schema)+2*maxWritten {
				t.Errorf("%s: %s became %d bytes of %d, %v", name, f, len(text), len(schema), err)
			}
			for _, problem := range broken(f, text) {
				t.Errorf("%s: %s", name, problem)
			}
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,"p%d":{"type":"string"}`, i)
	}
	return b.String()
}
