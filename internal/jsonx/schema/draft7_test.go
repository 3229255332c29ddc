package schema

import (
	"fmt"
	"slices"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// draft7Case is the schema of one property "a" with values it accepts and
// values it refuses.
type draft7Case struct {
	schema     string
	good, evil []string
}

// draft7 holds the keywords of draft-07 that schemas of tools use. "$defs" is at the root,
// see draft7Schema.
var draft7 = []draft7Case{
	{`{}`, []string{`1`, `"x"`, `null`, `[{}]`}, nil},
	{`true`, []string{`1`, `null`}, nil},
	{`false`, nil, []string{`1`, `[]`}},
	// type
	{`{"type":"string"}`, []string{`""`, `"\u0041é😀"`}, []string{`1`, `true`, `[]`, `{}`}},
	{`{"type":"number"}`, []string{`0`, `-0`, `1.5`, `1e3`, `1E-3`}, []string{`"1"`, `false`}},
	{
		`{"type":"integer"}`, []string{`5`, `-5`, `0`, `5.0`, `5e2`, `1e300`, `50e-1`, `123456789012345678901234567890`},
		[]string{`5.5`, `5e-1`, `"5"`, `true`},
	},
	{`{"type":"boolean"}`, []string{`true`, `false`}, []string{`0`, `"true"`}},
	{`{"type":"null"}`, []string{`null`}, []string{`0`, `""`, `false`}},
	{`{"type":"array"}`, []string{`[]`, `[null]`}, []string{`{}`, `"[]"`}},
	{`{"type":"object"}`, []string{`{}`, `{"x":null}`}, []string{`[]`, `"{}"`}},
	{`{"type":["string","integer"]}`, []string{`"x"`, `5`, `5.0`}, []string{`5.5`, `true`, `[]`}},
	{`{"type":["integer","null"]}`, []string{`null`, `1`}, []string{`""`, `1.5`}},
	{`{"type":["number","integer"]}`, []string{`1`, `1.5`}, []string{`"1"`}},
	// enum and const
	{`{"enum":["a","b",""]}`, []string{`"a"`, `""`, `"\u0062"`}, []string{`"A"`, `"a "`, `1`}},
	{`{"enum":[1,2.5,true,null]}`, []string{`1`, `1.0`, `2.5`, `25e-1`, `true`, `null`}, []string{`2`, `"1"`, `false`}},
	{`{"enum":[{"x":[1]},[]]}`, []string{`{"x":[1]}`, `{"x":[1.0]}`, `[]`}, []string{`{}`, `[1]`, `{"x":1}`}},
	{`{"type":"string","enum":["1",1]}`, []string{`"1"`}, []string{`1`, `"2"`}},
	{`{"const":"x"}`, []string{`"x"`}, []string{`"y"`, `null`}},
	{`{"const":0}`, []string{`0`, `0.0`}, []string{`false`, `""`, `1`}},
	{`{"const":null}`, []string{`null`}, []string{`0`}},
	{`{"const":{"a":1,"b":2}}`, []string{`{"b":2,"a":1}`}, []string{`{"a":1}`}},
	{`{"const":"a","enum":["a","b"]}`, []string{`"a"`}, []string{`"b"`}},
	// numbers
	{`{"minimum":1}`, []string{`1`, `1.0`, `1e0`, `2`, `"x"`}, []string{`0`, `0.999999999999999999999`, `-1`}},
	{`{"maximum":10.5}`, []string{`10.5`, `10`, `105e-1`}, []string{`10.50000000000000000001`, `11`}},
	{`{"exclusiveMinimum":0}`, []string{`1`, `1e-300`}, []string{`0`, `0.0`, `-1`}},
	{`{"exclusiveMaximum":100}`, []string{`99`, `99.9999999999999999999`}, []string{`100`, `1e2`, `101`}},
	{`{"type":"integer","minimum":1,"maximum":50}`, []string{`1`, `50`, `50.0`}, []string{`0`, `51`, `1.5`}},
	{`{"minimum":9007199254740993}`, []string{`9007199254740993`, `9007199254740993.5`}, []string{`9007199254740992`, `9007199254740992.9`}},
	{`{"maximum":-1e-5}`, []string{`-1e-5`, `-0.00001`, `-1`}, []string{`0`, `-0.0000099`}},
	{`{"multipleOf":0.01}`, []string{`0.01`, `19.99`, `0`}, []string{`0.005`, `0.015`}},
	{`{"multipleOf":3}`, []string{`9`, `-3`, `"x"`}, []string{`10`, `1.5`}},
	// strings
	{`{"minLength":2}`, []string{`"ab"`, `"éé"`, `"😀😀"`, `1`}, []string{`""`, `"é"`, `"\ud83d\ude00"`}},
	{`{"maxLength":2}`, []string{`"ab"`, `"\u00e9\u00e9"`, `"😀😀"`}, []string{`"abc"`, `"\u00e9\u00e9\u00e9"`}},
	{`{"minLength":2.0,"maxLength":3e0}`, []string{`"ab"`, `"abc"`}, []string{`"a"`, `"abcd"`}},
	{`{"pattern":"^[a-z]+$"}`, []string{`"abc"`, `1`}, []string{`""`, `"aB"`, `"abc\n"`}},
	{`{"pattern":"b"}`, []string{`"abc"`}, []string{`"aac"`}},
	// arrays
	{`{"items":{"type":"string"}}`, []string{`[]`, `["a"]`, `"x"`}, []string{`[1]`, `["a",null]`}},
	{`{"type":"array","minItems":1,"maxItems":2}`, []string{`[1]`, `[1,2]`}, []string{`[]`, `[1,2,3]`}},
	{`{"uniqueItems":true}`, []string{`[1,2]`, `[]`, `[[1],[2]]`, `["1",1]`}, []string{`[1,1]`, `[1,1.0]`, `[{"a":1,"b":2},{"b":2,"a":1}]`}},
	{`{"items":[{"type":"string"},{"type":"number"}]}`, []string{`["a",1]`, `["a"]`, `["a",1,null]`}, []string{`[1]`, `["a","b"]`}},
	{`{"items":[{"type":"string"}],"additionalItems":false}`, []string{`["a"]`, `[]`}, []string{`["a",1]`}},
	{`{"items":[{}],"additionalItems":{"type":"number"}}`, []string{`["a",1,2]`}, []string{`["a","b"]`}},
	{`{"items":{},"additionalItems":false}`, []string{`[1,2]`}, nil},
	{`{"items":false}`, []string{`[]`}, []string{`[1]`}},
	{`{"contains":{"const":1}}`, []string{`[2,1]`, `"x"`}, []string{`[]`, `[2]`}},
	{`{"items":{"items":{"type":"integer"}}}`, []string{`[[1],[]]`}, []string{`[[1.5]]`, `[["a"]]`}},
	// objects
	{
		`{"properties":{"x":{"type":"integer"}},"required":["x"]}`, []string{`{"x":1}`, `{"x":1,"y":2}`, `[]`},
		[]string{`{}`, `{"x":null}`, `{"y":1}`},
	},
	{`{"required":["x"]}`, []string{`{"x":null}`}, []string{`{}`}},
	{`{"properties":{"x":{}},"additionalProperties":false}`, []string{`{"x":1}`, `{}`}, []string{`{"y":1}`, `{"x":1,"y":1}`}},
	{`{"properties":{"x":{}},"additionalProperties":{"type":"string"}}`, []string{`{"x":1,"y":"a"}`}, []string{`{"y":1}`}},
	{
		`{"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":false}`, []string{`{"n_a":1}`}, []string{`{"n_a":"x"}`, `{"a":1}`},
	},
	{`{"propertyNames":{"maxLength":2}}`, []string{`{"ab":1}`, `{}`}, []string{`{"abc":1}`}},
	{`{"minProperties":1,"maxProperties":2}`, []string{`{"a":1}`, `[]`}, []string{`{}`, `{"a":1,"b":1,"c":1}`}},
	{`{"dependencies":{"x":["y"]}}`, []string{`{"x":1,"y":2}`, `{"y":1}`, `{}`}, []string{`{"x":1}`}},
	{`{"dependencies":{"x":{"required":["y"]},"z":[]}}`, []string{`{"y":1}`, `{"z":1}`}, []string{`{"x":1}`}},
	{`{"type":"object","properties":{"o":{"type":"object","properties":{"p":{"type":"array","items":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}}}}}`,
		[]string{`{"o":{"p":[{"q":"x"}]}}`}, []string{`{"o":{"p":[{"q":1}]}}`, `{"o":{"p":[{}]}}`, `{"o":1}`}},
	// combinations
	{`{"allOf":[{"type":"integer"},{"minimum":2}]}`, []string{`2`}, []string{`1`, `"x"`, `2.5`}},
	{`{"anyOf":[{"type":"string"},{"minimum":2}]}`, []string{`"x"`, `2`, `null`}, []string{`1`}},
	{`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, []string{`1`, `2.5`, `"x"`}, []string{`3`, `1.5`}},
	{`{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`, []string{`null`, `"x"`}, []string{`1`}},
	{`{"not":{"type":"string"}}`, []string{`1`}, []string{`"x"`}},
	{`{"not":{}}`, nil, []string{`1`}},
	{`{"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"required":["x"]},"else":{"required":["y"]}}`,
		[]string{`{"k":"a","x":1}`, `{"k":"b","y":1}`, `{"y":1}`, `1`}, []string{`{"k":"a","y":1}`, `{"k":"b","x":1}`, `{}`}},
	{`{"if":{"type":"string"},"then":{"minLength":2}}`, []string{`"ab"`, `1`}, []string{`"a"`}},
	{`{"then":false}`, []string{`1`}, nil},
	// references
	{`{"$ref":"#/$defs/name"}`, []string{`"x"`}, []string{`""`, `1`}},
	{`{"$ref":"#/definitions/a~1b"}`, []string{`5`}, []string{`"x"`}},
	{`{"$ref":"#/$defs/chain"}`, []string{`"x"`}, []string{`""`}},
	{
		`{"$ref":"#/$defs/tree"}`, []string{`{"v":1}`, `{"v":1,"kids":[{"v":2,"kids":[]}]}`},
		[]string{`{}`, `{"v":1,"kids":[{}]}`, `{"v":1,"kids":[{"v":1,"kids":[{"v":"x"}]}]}`},
	},
	{
		`{"properties":{"next":{"$ref":"#/properties/a"},"n":{"type":"integer"}},"additionalProperties":false}`,
		[]string{`{"next":{"next":{"n":1}}}`}, []string{`{"next":{"next":{"n":"x"}}}`, `{"next":{"m":1}}`},
	},
	{`{"items":{"$ref":"#/$defs/name"},"maxItems":3}`, []string{`["a"]`}, []string{`["a",""]`}},
	// a format on a value that is not a string has no effect
	{`{"type":["string","integer"],"format":"date"}`, []string{`5`}, []string{`true`}},
	{`{"type":"integer","format":"int32"}`, []string{`5`}, []string{`"x"`}},
	{`{"format":"ipv4"}`, []string{`5`, `[]`}, nil},
	{`{"type":"string","format":"date"}`, []string{`"2026-01-31"`}, []string{`"yesterday"`, `5`}},
}

// draft7Schema is the whole document of a case.
func draft7Schema(property string) string {
	return `{"type":"object","$defs":{"name":{"type":"string","minLength":1},"chain":{"$ref":"#/$defs/name"},` +
		`"tree":{"type":"object","properties":{"v":{"type":"number"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["v"]}},` +
		`"definitions":{"a/b":{"type":"integer"}},"properties":{"a":` + property + `}}`
}

func TestDraft7(t *testing.T) {
	for _, tt := range draft7 {
		t.Run(tt.schema, func(t *testing.T) {
			document := draft7Schema(tt.schema)
			s, other := compile(t, document), compileSanthosh(t, document)
			for i, value := range slices.Concat(tt.good, tt.evil) {
				want := i < len(tt.good)
				args := `{"a":` + value + `}`
				v, err := decode([]byte(args))
				if err != nil {
					t.Fatal(err)
				}
				problems := s.library.problems(v, &meter{left: maxSteps})
				if got := problems == nil; got != want {
					t.Errorf("library(%s) = %v, want valid: %v", args, problems, want)
				}
				if got := other.Validate(v) == nil; got != want {
					t.Errorf("santhosh(%s) = %v, want %v", args, got, want)
				}
				if value == "null" {
					continue // may be dropped
				}
				if _, err := s.prepare([]byte(args), false); (err == nil) != want { // draft-07 distinguishes upper and lower case
					t.Errorf("Prepare(%s) = %v, want valid: %v", args, err, want)
				}
			}
		})
	}
}

// TestFastCheckIsUsed makes sure that ordinary values do not reach the library.
func TestFastCheckIsUsed(t *testing.T) {
	s := compile(t, nineProperties)
	for _, args := range []string{
		nineValid, `{"title":"x"}`, `{"title":"x","weight":1.5,"priority":null,"more":{}}`, `{"title":"\u00e9","estimate":1000}`,
	} {
		if !certain(t, s, args) {
			t.Errorf("the fast check is not sure of %s", args)
		}
	}
	if certain(t, s, nineInvalid) {
		t.Errorf("the fast check takes %s for valid", nineInvalid)
	}
}

// certain returns the result of the fast check alone.
func certain(t testing.TB, s *Schema, args string) bool {
	scan := borrow([]byte(args))
	defer scan.release()
	if _, _, err := s.read(scan); err != nil {
		t.Fatalf("read(%s) = %v", args, err)
	}
	return !scan.unsure
}

// compileSanthosh compiles the same document with the other library.
func compileSanthosh(t testing.TB, document string) *santhosh.Schema {
	t.Helper()
	v, err := decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	c := santhosh.NewCompiler()
	c.DefaultDraft(santhosh.Draft7)
	c.UseLoader(refusing{})
	if err := c.AddResource("mem:///schema.json", v); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("santhosh does not compile %s: %v", document, err)
	}
	return s
}

type refusing struct{}

func (refusing) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not loaded", url) }
