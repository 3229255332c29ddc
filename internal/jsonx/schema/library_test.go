package schema

import (
	"fmt"
	"strings"
	"testing"
)

// TestUpstreamCrashesArguments holds the arguments that crash or hang
// gojsonschema v1.2.0 when they are given to it directly.
func TestUpstreamCrashesArguments(t *testing.T) {
	number := func(keywords string) string { return `"properties":{"n":{` + keywords + `}}` }
	list := `"properties":{"n":{"type":"array","items":{"type":"integer"}}}`
	tests := []struct{ name, schema, args, want string }{
		// big.Rat refuses the number, the library uses the nil it got: panic.
		{"huge under minimum", number(`"minimum":1`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"huge under maximum", number(`"maximum":1`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"huge under exclusiveMinimum", number(`"exclusiveMinimum":1`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"huge under exclusiveMaximum", number(`"exclusiveMaximum":1`), `{"n":-1e10000000}`, "exponent beyond 400"},
		{"huge under multipleOf", number(`"multipleOf":2`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"tiny under minimum", number(`"minimum":1`), `{"n":1e-10000000}`, "exponent beyond 400"},
		// encoding/json refuses the number, the library uses the nil it got: panic.
		{"huge under enum", number(`"enum":[1]`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"huge under const", number(`"const":1`), `{"n":1e10000000}`, "exponent beyond 400"},
		{"beyond float64 under enum", number(`"enum":[1]`), `{"n":1e400}`, "too large for a 64-bit float"},
		{"beyond float64 under const", number(`"const":1`), `{"n":1e309}`, "too large for a 64-bit float"},
		{"beyond float64 under uniqueItems", number(`"uniqueItems":true`), `{"n":[1e309]}`, "too large for a 64-bit float"},
		// Expanded exactly: 3.6 s for this kilobyte, without a way to stop it.
		{"huge integers", list, `{"n":[` + strings.Repeat("1e1000000,", 99) + `1e1000000]}`, "exponent beyond 400"},
		{"large integers", list, `{"n":[` + strings.Repeat("1e100000,", 99) + `1e100000]}`, "exponent beyond 400"},
		// A number of a million digits is expanded as well.
		{"long integer", list, `{"n":[` + strings.Repeat("9", 1_000_000) + `]}`, "longer than 64 characters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(t, object(tt.schema)).Prepare([]byte(tt.args))
			checkInvalid(t, "Prepare", err, tt.want)
		})
	}
}

// TestUpstreamCrashesSchemas holds the schemas that compile in gojsonschema
// v1.2.0 and do harm there.
func TestUpstreamCrashesSchemas(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		// Validating anything overflows the stack, which no recover stops: the
		// process dies.
		{"root refers to itself", `"$ref":"#"`, "beside $ref"},
		{"allOf refers to its root", `"allOf":[{"$ref":"#"}]`, "references lead back"},
		{"reference to itself", `"properties":{"a":{"$ref":"#/properties/a"}}`, "references lead back"},
		{
			"mutual references", `"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}`,
			"references lead back",
		},
		{
			"mutual references through anyOf",
			`"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{},{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}`,
			"references lead back",
		},
		{"cycle through not", `"not":{"$ref":"#"}`, "references lead back"},
		{"cycle through if", `"if":{"$ref":"#"}`, "references lead back"},
		{"cycle through else", `"if":{},"else":{"oneOf":[{"$ref":"#"}]}`, "references lead back"},
		{"cycle through dependencies", `"dependencies":{"a":{"$ref":"#"}}`, "references lead back"},
		{"cycle nobody uses", `"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}`, "references lead back"},
		// The file is read and the address fetched while compiling.
		{"file", `"properties":{"a":{"$ref":"file:///etc/passwd"}}`, "only references inside the document"},
		{"http", `"properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}`, "only references inside the document"},
		{"https", `"properties":{"a":{"$ref":"https://127.0.0.1:1/x"}}`, "only references inside the document"},
		{"relative", `"properties":{"a":{"$ref":"other.json#/x"}}`, "only references inside the document"},
		{"relative to $id", `"$id":"file:///etc/","properties":{"a":{"$ref":"passwd"}}`, "only references inside the document"},
		{"meta-schema", `"properties":{"a":{"$ref":"http://json-schema.org/draft-07/schema#"}}`, "only references inside the document"},
		// Silently accepted, although no keyword is checked.
		{"2020-12", `"$schema":"https://json-schema.org/draft/2020-12/schema"`, "only draft-07"},
		{"prefixItems", `"properties":{"a":{"prefixItems":[{}]}}`, "unknown keyword"},
		{"dependentRequired", `"dependentRequired":{}`, "unknown keyword"},
		{"minContains", `"properties":{"a":{"minContains":1}}`, "unknown keyword"},
		{"$dynamicRef", `"properties":{"a":{"$dynamicRef":"#a"}}`, "unknown keyword"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile([]byte(object(tt.schema)))
			checkInvalid(t, "Compile", err, tt.want)
		})
	}
}

// TestRootIDDoesNotMoveReferences covers references that the library resolves
// against the wrong base when there is an $id.
func TestRootIDDoesNotMoveReferences(t *testing.T) {
	s := compile(t, object(`"$id":"file:///etc/passwd","$defs":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/n"}}`))
	_, err := s.Prepare([]byte(`{"a":"x"}`))
	checkInvalid(t, "Prepare", err, "a: expected integer, got string")
}

// TestCompileIsBounded holds documents that would make compiling slow.
func TestCompileIsBounded(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	tests := []struct{ name, schema, want string }{
		// The library compares them with one another in quadratic time.
		{"long enum", `"properties":{"a":{"enum":[` + many(40_000, `%d,`) + `]}}`, "more than 1000 entries"},
		{"long required", `"required":[` + many(20_000, `"%d",`) + `]`, "more than 1000 entries"},
		{"many properties", `"properties":{` + many(20_000, `"%d":{},`) + `}`, "more than 1000 entries"},
		{
			"many schemas", `"allOf":[` + many(9, `{"anyOf":[`+strings.TrimSuffix(strings.Repeat(`true,`, 900), ",")+`],"title":"%d"},`) + `]`,
			"more than 5000 schemas",
		},
		{"large patterns", `"allOf":[` + many(200, `{"pattern":"a{1000}","title":"%d"},`) + `]`, "patterns of this schema are too large"},
		{"long pattern", `"properties":{"a":{"pattern":"` + strings.Repeat("a", 2000) + `"}}`, "at most 1024 characters"},
		{"long name", `"properties":{"` + strings.Repeat("a", 300) + `":{}}`, "longer than 256 bytes"},
		{
			"long path", `"properties":{` + strings.Repeat(`"`+strings.Repeat("a", 250)+`":{"properties":{`, 10) + strings.Repeat(`}}`, 10) + `}`,
			"nested too deep",
		},
		// A chain of this length overflows the stack on deep arguments.
		{
			"long chain",
			`"$defs":{` + many(900, `"a%d":{"$ref":"#/$defs/b"},`) + `,"b":{` + strings.Repeat(`"not":{`, 110) + strings.Repeat(`}`, 110) + `}}`,
			"more than 100 schemas",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile([]byte(object(tt.schema)))
			checkInvalid(t, "Compile", err, tt.want)
		})
	}
}

// TestCompileChecksDefaultsTogether holds a document that took 12 seconds when a separate
// document was compiled for each default: 900 times ten patterns.
func TestCompileChecksDefaultsTogether(t *testing.T) {
	var properties strings.Builder
	for i := range 900 {
		fmt.Fprintf(&properties, `,"p%d":{"anyOf":[{"$ref":"#/$defs/d"},{"type":"string"}],"default":"x"}`, i)
	}
	large := strings.Repeat(`{"pattern":"ab{0,900}c"},`, 9)
	s := compile(t, object(`"properties":{`+properties.String()[1:]+`},"$defs":{"d":{"anyOf":[`+large+`{"type":"null"}]}}`))
	p, err := s.Prepare([]byte(`{"p0":null}`))
	if err != nil || strings.Count(string(p.Args), `"x"`) != 899 || !strings.Contains(string(p.Args), `"p0":null`) {
		t.Errorf("Prepare = %.100s, %v, want p0 and 899 defaults", p.Args, err)
	}
}

// TestCompileStepsAreBounded holds defaults that are each cheap enough to check
// but not 900 times.
func TestCompileStepsAreBounded(t *testing.T) {
	var properties, doubling strings.Builder
	for i := range 900 {
		fmt.Fprintf(&properties, `,"p%d":{"$ref":"#/$defs/d0","default":1}`, i)
	}
	for i := range 12 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	_, err := Compile([]byte(object(`"properties":{` + properties.String()[1:] + `},"$defs":{` + doubling.String() + `"d12":{}}`)))
	checkInvalid(t, "Compile", err, "too large to be checked")
}

// TestNothingIsLoaded makes the library itself request an outside document.
func TestNothingIsLoaded(t *testing.T) {
	r := newRule("")
	r.words["$ref"] = "file:///etc/hostname"
	_, err := compileLibrary(r)
	if err == nil || !strings.Contains(err.Error(), "not loaded") {
		t.Errorf("compileLibrary = %v, want a refusal to load", err)
	}
}

// TestPanicBecomesInvalid bypasses the strict checks to make the library panic.
func TestPanicBecomesInvalid(t *testing.T) {
	s := compile(t, object(`"properties":{"n":{"minimum":1}}`))
	v, err := decode([]byte(`{"n":1e10000000}`))
	if err != nil {
		t.Fatal(err)
	}
	got := s.library.problems(v, &meter{left: maxSteps})
	if len(got) != 1 || !strings.Contains(got[0], "could not be checked") {
		t.Errorf("problems = %q, want one that says it could not be checked", got)
	}
}
