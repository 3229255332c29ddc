package schema

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManySteps holds calls that keep gojsonschema busy for seconds or minutes, although
// schema and arguments are within the limits of size.
func TestTooManySteps(t *testing.T) {
	var doubling, options strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for range 900 {
		options.WriteString(`{"type":"null"},`)
	}
	list := func(item string) string { return `{"a":[` + strings.Repeat(item+",", 120_000) + item + `]}` }
	var names, required strings.Builder
	for i := range 900 {
		fmt.Fprintf(&required, `"r%d",`, i)
	}
	for i := range 2000 {
		fmt.Fprintf(&names, `"k%d":1,`, i)
	}
	tests := []struct{ name, schema, args string }{
		// 2^40 visits of one value.
		{"references that double", `"$defs":{` + doubling.String() + `"d40":{}},"properties":{"a":{"$ref":"#/$defs/d0"}}`, `{"a":1}`},
		// 2^100 visits: each level of the value doubles the work.
		{
			"recursion in two branches", `"oneOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}},"required":["b"]}]`,
			strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
		},
		{"many alternatives for many items", `"properties":{"a":{"items":{"anyOf":[` + options.String() + `false]}}}`, list(`1`)},
		// Every error is built from a template and kept: seconds, and gigabytes
		// when a long name is part of each path.
		{"flood of errors", `"properties":{"a":{"items":{"type":"string"}}}`, list(`1`)},
		{
			"flood of long paths", `"properties":{"a":{"additionalProperties":{"items":{"type":"string"}}}}`,
			`{"a":{"` + strings.Repeat("n", 500_000) + `":[` + strings.Repeat("1,", 50) + `1]}}`,
		},
		{
			"flood of missing names", `"properties":{"a":{"items":{"required":[` + strings.TrimSuffix(required.String(), ",") + `]}}}`,
			`{"a":[` + strings.Repeat("{},", 120) + `{}]}`,
		},
		// Each error holds all choices.
		{
			"long choices", `"properties":{"a":{"items":{"enum":["` + strings.Repeat("x", 200_000) + `"]}}}`,
			`{"a":[` + strings.Repeat(`"c",`, 150) + `1]}`,
		},
		// Each error writes all digits of the bound: five seconds.
		{
			"extreme bounds", `"properties":{"a":{"items":{"maximum":1e-300,"multipleOf":1e-300}}}`,
			`{"a":[` + strings.Repeat("1e300,", 15_000) + `1]}`,
		},
		// Eight seconds for one megabyte.
		{"large pattern", `"properties":{"a":{"pattern":"([a-z]{0,500}b){1,2}$"}}`, `{"a":"` + strings.Repeat("ab", 500_000) + `"}`},
		// The pattern is compiled again for each name.
		{"large pattern for names", `"patternProperties":{"^k[0-9]{1,1000}$":{}}`, `{` + names.String() + `"z":1}`},
		{
			"regular expressions as values", `"properties":{"a":{"items":{"type":"string","format":"regex"}}}`,
			`{"a":["` + strings.Repeat("a{999}", 1000) + `"]}`,
		},
		{"large values compared", `"properties":{"a":{"anyOf":[{"const":1},{"const":2},{"enum":[3]},{"uniqueItems":true}]}}`, list(`"abcd"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(t, object(tt.schema)).Prepare([]byte(tt.args))
			checkInvalid(t, "Prepare", err, "too large to be checked")
		})
	}
}

// TestEnoughSteps makes sure that ordinary large arguments are not refused.
func TestEnoughSteps(t *testing.T) {
	list := func(n int, item string) string { return `{"a":[` + strings.Repeat(item+",", n) + item + `]}` }
	text := strings.Repeat("some text ", 100_000)
	tests := []struct{ name, schema, args string }{
		{"long list, fast check", `"properties":{"a":{"items":{"type":"integer"}}}`, list(300_000, `12`)},
		{"list with patterns", `"properties":{"a":{"items":{"pattern":"^[a-z]+@[a-z]+$"}}}`, list(20_000, `"anna@example"`)},
		{
			"list of alternatives",
			`"properties":{"a":{"items":{"oneOf":[{"type":"string"},{"type":"number"},{"type":"object","required":["x"]}]}}}`, list(5_000, `1`),
		},
		{"megabyte beside a pattern", `"properties":{"a":{"type":"string"},"b":{"pattern":"^x"}}`, `{"a":"` + text + `","b":"x"}`},
		{"megabyte with a pattern", `"properties":{"a":{"pattern":"^[a-z ]+$"}}`, `{"a":"` + text + `"}`},
		{
			"tree", `"properties":{"a":{"items":{"$ref":"#"}},"n":{"multipleOf":1}}`,
			strings.Repeat(`{"n":1,"a":[{},`, 50) + `{}` + strings.Repeat(`]}`, 50),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := compile(t, object(tt.schema)).Prepare([]byte(tt.args)); err != nil {
				t.Errorf("Prepare = %v, want nil", err)
			}
		})
	}
}
