package preview

import (
	"slices"
	"strings"
	"testing"
)

// schemaOf wraps members of a root schema.
func schemaOf(members string) string { return `{"type":"object",` + members + `}` }

func TestOfHidesMarks(t *testing.T) {
	t.Parallel()
	const s, p = `{"type":"string","writeOnly":true}`, `{"type":"string","format":"password"}`
	for _, tt := range []struct {
		name, schema, args string
		hidden             []string
	}{
		{"writeOnly", `"properties":{"a":` + s + `,"b":{"type":"string"}}`, `{"a":"S1","b":"x"}`, []string{"a"}},
		{"password", `"properties":{"a":` + p + `}`, `{"a":"S1"}`, []string{"a"}},
		{
			"written in codes", `"properties":{"a":{"write\u004fnly":true},"b":{"format":"\u0070assword"}}`, `{"a":"S1","b":"S2"}`,
			[]string{"a", "b"},
		},
		{"other types", `"properties":{"a":{"writeOnly":true},"b":{"writeOnly":true},"c":{"writeOnly":true},"d":{"writeOnly":true}}`,
			`{"a":{"k":"S1"},"b":["S1"],"c":1234567,"d":true}`, []string{"a", "b", "c", "d"}},
		{
			"deep", `"properties":{"a":{"properties":{"b":{"items":{"properties":{"c":` + s + `}}}}}}`, `{"a":{"b":[{"c":"S1"},{"d":1,"c":"S2"}]}}`,
			[]string{"a.b[0].c", "a.b[1].c"},
		},
		{"items", `"properties":{"a":{"items":` + s + `}}`, `{"a":["S1","S2"]}`, []string{"a[0]", "a[1]"}},
		{
			"a place of a tuple", `"properties":{"a":{"items":[{},` + s + `],"additionalItems":` + p + `}}`, `{"a":["x","S1","S2"]}`,
			[]string{"a[1]", "a[2]"},
		},
		{"contains", `"properties":{"a":{"contains":` + s + `}}`, `{"a":["S1"]}`, []string{"a[0]"}},
		{
			"a reference", `"$defs":{"k/x~":` + s + `},"properties":{"a":{"$ref":"#/$defs/k~1x~0"},"b":{"$ref":"#/$defs/k%7E1x~0"}}`,
			`{"a":"S1","b":"S2"}`, []string{"a", "b"},
		},
		{"beside a reference", `"$defs":{"x":{}},"properties":{"a":{"$ref":"#/$defs/x","writeOnly":true}}`, `{"a":"S1"}`, []string{"a"}},
		{"a reference to itself", `"properties":{"kid":{"$ref":"#"},"a":` + s + `}`, `{"kid":{"kid":{"a":"S1"}}}`, []string{"kid.kid.a"}},
		{
			"a reference into a list", `"allOf":[{"properties":{"b":` + s + `}}],"properties":{"a":{"$ref":"#/allOf/0/properties/b"}}`, `{"a":"S1"}`,
			[]string{"a"},
		},
		{"any branch",
			`"properties":{"a":{"anyOf":[{"type":"integer"},` + s + `]},"b":{"oneOf":[` + p + `]},"c":{"allOf":[{"not":` + s +
				`}]},"d":{"if":{},"then":` + s + `},"e":{"if":{},"else":` + s + `}}`,
			`{"a":"S1","b":"S2","c":"S3","d":"S4","e":"S5"}`, []string{"a", "b", "c", "d", "e"}},
		{
			"of the whole object", `"allOf":[{"properties":{"a":` + s + `}}],"dependencies":{"x":{"properties":{"b":` + s + `}},"y":["z"]}`,
			`{"a":"S1","b":"S2"}`, []string{"a", "b"},
		},
		{"other members", `"properties":{"a":{}},"additionalProperties":` + s, `{"a":"x","b":"S1"}`, []string{"b"}},
		{"members by pattern", `"patternProperties":{"^s_":` + s + `}`, `{"s_1":"S1","t_1":"x"}`, []string{"s_1"}},
		{"a pattern nobody reads", `"patternProperties":{"(":` + s + `}`, `{"a":"S1"}`, []string{"a"}},
		{"all", `"writeOnly":true`, `{"a":"S1","b":{"c":"S2"}}`, []string{"a", "b"}},
		{
			"a lost reference", `"properties":{"a":{"$ref":"#/password"},"b":{"$ref":"x"},"c":{"$ref":"#/%zz"},"d":{"$ref":"#/type/0"}}`,
			`{"a":"S1","b":"S2","c":"S3","d":"S4"}`, []string{"a", "b", "c", "d"},
		},
		{
			"not marked", `"properties":{"a":{"writeOnly":false,"description":"password"},"b":{"enum":["password"]},"writeOnly":true}`,
			`{"a":"x","b":"y","writeOnly":"z"}`, nil,
		},
	} {
		got := of(t, tt.args, schemaOf(tt.schema))
		if !slices.Equal(got.Hidden, tt.hidden) {
			t.Errorf("%s: Hidden = %q, want %q", tt.name, got.Hidden, tt.hidden)
		}
		for _, place := range []string{got.Text, string(got.Arguments), strings.Join(got.Warnings, "")} {
			if strings.Contains(place, "S1") || strings.Contains(place, "S2") || strings.Contains(place, "1234567") {
				t.Errorf("%s: a marked value is in %s", tt.name, place)
			}
		}
	}
}

func TestOfTellsNoLengthOfMarks(t *testing.T) {
	t.Parallel()
	schema := schemaOf(`"properties":{"password":{"type":"string","writeOnly":true}}`)
	short, long := of(t, `{"password":"x"}`, schema), of(t, `{"password":"`+strings.Repeat("x", 9000)+`"}`, schema)
	if want := "password: ••• (string)\n"; short.Text != want || long.Text != want || string(short.Arguments) != string(long.Arguments) {
		t.Errorf("Text = %q and %q, want %q", short.Text, long.Text, want)
	}
}

// TestOfTangledSchema checks that everything is hidden if the marks cannot be determined.
func TestOfTangledSchema(t *testing.T) {
	t.Parallel()
	round := schemaOf(`"properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"},"c":{"writeOnly":false}}`)
	p := of(t, `{"a":"S1","c":"x"}`, round)
	if strings.Contains(p.Text, "S1") || !strings.Contains(p.Text, `c: "x"`) {
		t.Errorf("Text = %q, want a hidden and c shown", p.Text)
	}
	var wide strings.Builder
	for range 400 {
		wide.WriteString(`{"items":{"anyOf":[{},{},{},{}]}},`)
	}
	p = of(t, `{"a":[`+strings.Repeat(`1,`, 5000)+`1]}`, schemaOf(`"writeOnly":false,"properties":{"a":{"allOf":[`+wide.String()+`{}]}}`))
	if len(p.Warnings) == 0 || !strings.Contains(p.Warnings[0], "too tangled") {
		t.Errorf("Warnings = %q, want one of the schema", p.Warnings)
	}
}
