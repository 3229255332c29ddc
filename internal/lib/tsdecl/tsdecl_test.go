package tsdecl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/tsdecl/tsctest"
)

// TestTypes: the type of each kind of schema.
func TestTypes(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		``: "unknown", `nonsense`: "unknown", `true`: "unknown", `{}`: "unknown", `7`: "unknown", `false`: "never", `{"type":"strange"}`: "unknown",
		` {"type":"string"} `: "string", `{"type":"integer"}`: "number", `{"type":["string","null"]}`: "string | null",
		`{"type":"string","nullable":true}`: "string | null", `{"const":1}`: "1", `{"const":null}`: "null",
		`{"enum":["b","a","b",1,-0.5,true,null]}`: `"b" | "a" | 1 | -0.5 | true | null`, `{"enum":["a",{}]}`: "unknown", `{"enum":[]}`: "unknown",
		`{"enum":["\"\u2028\n*/"]}`:                         `"\"\u2028\n*/"`,
		`{"type":"array"}`:                                  "unknown[]",
		`{"items":{"type":"string"}}`:                       "string[]",
		`{"type":"array","items":{"enum":["a","b"]}}`:       `Array<"a" | "b">`,
		`{"items":[{"type":"string"},{"enum":[1,2]}]}`:      "[(string)?, (1 | 2)?, ...unknown[]]",
		`{"prefixItems":[{"type":"string"}],"items":false}`: "[(string)?]",

		`{"type":"object"}`: anyObject, `{"type":"object","additionalProperties":false}`: "{ [key: string]: never }",
		`{"additionalProperties":{"type":"number"}}`:                                        "{ [key: string]: number }",
		`{"patternProperties":{"^x":{"type":"number"}}}`:                                    "{ [key: string]: number }",
		`{"properties":{"b":{"type":"string"},"a-b":{}},"required":["b","c",3]}`:            "{\n  b: string;\n  \"a-b\"?: unknown;\n  c: unknown;\n}",
		`{"properties":{"a":{}},"additionalProperties":{"type":"number"}}`:                  "{\n  a?: unknown;\n  [key: string]: unknown;\n}",
		`{"properties":{"a":{"type":"string"},"a":{"type":"number"}}}`:                      "{\n  a?: number;\n}",
		`{"properties":{"a":{"properties":{"b":{"type":"string"}}}}}`:                       "{\n  a?: {\n    b?: string;\n  };\n}",
		`{"properties":{"a":{"description":"One\n two */ three","default":5,"minimum":1}}}`: "{\n  /** One two *\\/ three At least 1. @default 5 */\n  a?: unknown;\n}",

		`{"oneOf":[{"type":"string"},{"type":"number"}]}`:                   "string | number",
		`{"anyOf":[{"type":"string"},{}]}`:                                  "unknown",
		`{"anyOf":[{"type":"string"},false]}`:                               "string",
		`{"allOf":[{"type":"string"},{"enum":["a","b"]}]}`:                  `string & ("a" | "b")`,
		`{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}`: "{\n  a: unknown;\n} | {\n  b: unknown;\n}",

		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"string"}}}`: "string",
		`{"$ref":"#/definitions/a","definitions":{}}`:               "unknown",
		`{"$ref":"other.json"}`:                                     "unknown",
		`{"properties":{"next":{"$ref":"#"}}}`:                      "{\n  next?: {\n    next?: unknown;\n  };\n}",
	} {
		if got := printerOf([]byte(schema)).result(""); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", schema, got, want)
		}
	}
}

// TestDeclare: names with dots are in namespaces, words of the language are exported under
// their name, and the order of the functions does not matter.
func TestDeclare(t *testing.T) {
	t.Parallel()
	object := []byte(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	functions := []Function{
		{Name: "b.delete", Args: []byte(`{"type":"object"}`), Result: []byte(`{"type":"string"}`)},
		{Name: "b", Description: " Says */ what\nit\tdoes. ", Args: object}, {Name: "b.read", Args: object}, {Name: "no-name"}, {Name: ""},
	}
	const want = `declare namespace tools {
  /** Says *\/ what it does. */
  function b(args: {
    a: string;
  }): Promise<unknown>;
  namespace b {
    function read(args: {
      a: string;
    }): Promise<unknown>;
  }
  namespace b {
    function $delete(args?: { [key: string]: unknown }): Promise<string>;
    export { $delete as delete };
  }
}
`
	for range 2 {
		if got := Declare(functions...); got != want {
			t.Errorf("declared\n%s\nwant\n%s", got, want)
		}
		slices.Reverse(functions)
	}
	if got := Declare(); got != "" {
		t.Errorf("nothing is declared as %q", got)
	}
}

// explosion is a schema of references that double at each step.
func explosion(members string) string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `,"d%d":{`+members+`}`, i, i+1, i+1)
	}
	return `{"$ref":"#/$defs/d0","$defs":{"d40":{"type":"string"}` + b.String() + `}}`
}

var hostile = []string{
	explosion(`"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}`), explosion(`"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]`),
	explosion(`"oneOf":[{"type":"array","items":{"$ref":"#/$defs/d%d"}},{"$ref":"#/$defs/d%d"}]`),
	strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000),
	`{"properties":{` + strings.Repeat(`"`+strings.Repeat("x", 300)+`":{"type":"string"},`, 3) + `"__proto__":{},"constructor":{},"new":{},"get":{},"readonly":{},"1":{},"":{},"a\nb":{},"\u2028":{},"\ud800":{},"*/":{}}}`,
	`{"properties":{` + strings.TrimSuffix(strings.Repeat(`"p":{"type":"string"},`, 9), ",") + `},"required":["p","p","q","q"]}`,
	`{"enum":[` + strings.TrimSuffix(strings.Repeat(`"0123456789",`, 20000), ",") + `]}`,
	`{"type":"string","description":"*/ declare const evil: 1; /*","default":"*/"}`, `{"enum":[1e999,-0,123456789012345678901234567890]}`,
	`{"properties":7,"required":true,"enum":{},"type":{},"allOf":{},"items":9,"$ref":7}`, `{"type":[],"oneOf":[]}`, `{"allOf":[false,{"type":"string"}]}`,
	`{"properties":{"a":{"description":"` + "\u202e\u2066" + `x` + strings.Repeat("é", 5000) + `"}}}`,
	`{"oneOf":[{"items":[{"enum":["a|b","a & b"]}]},{"type":["object","array","null"],"additionalProperties":{"oneOf":[{"type":"null"},{"items":{}}]}}]}`,
}

// TestDeclarationsOfAnything: whatever is declared is of bounded size, and TypeScript.
func TestDeclarationsOfAnything(t *testing.T) {
	t.Parallel()
	var functions []Function
	for i, schema := range hostile {
		for _, name := range []string{"f%d", "f%d.delete", "f%d.delete.x", "f%d.Promise", "f%d.any", "f%d.type", "f%d.Array.string"} {
			f := Function{Name: fmt.Sprintf(name, i), Description: strings.Repeat("*/", 600) + "\r\n*", Args: []byte(schema), Result: []byte(schema)}
			if got := Declare(f); len(got) > 4*mostText {
				t.Errorf("%.80s is declared in %d bytes", schema, len(got))
			}
			functions = append(functions, f)
		}
	}
	for word := range reserved {
		functions = append(functions, Function{Name: word}, Function{Name: word + "." + word}, Function{Name: "x." + word + ".y"})
	}
	all := Declare(functions...)
	if strings.Contains(all, "\u202e") {
		t.Error("a comment has a mark that turns the text around")
	}
	tsctest.Check(t, all, `
await tools.x.delete.y(); await tools.import(); await tools.import.import({});
// @ts-expect-error nothing ends a comment
evil;
`)
}

// FuzzDeclare: no schema breaks the bounds, and none ends its comment.
func FuzzDeclare(f *testing.F) {
	for _, schema := range hostile {
		f.Add("a.b", "*/", []byte(schema))
	}
	f.Fuzz(func(t *testing.T, name, description string, schema []byte) {
		got := Declare(Function{Name: name, Description: description, Args: schema, Result: schema})
		if len(got) > 4*mostText+10*len(name) || strings.Count(got, "/** ") < strings.Count(got, "*/") && !strings.Contains(string(schema), "/") {
			t.Errorf("%d bytes: %.500s", len(got), got)
		}
	})
}
