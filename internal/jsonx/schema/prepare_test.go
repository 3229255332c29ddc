package schema

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrepare(t *testing.T) {
	const person = `"properties":{"name":{"type":"string"},"age":{"type":["integer","null"]},"note":{"type":"string"},` +
		`"lang":{"type":"string","enum":["en","fr"],"default":"en"},"tags":{"type":"array","items":{"type":"string"},"default":["a<b"]}},"required":["name"]`
	tests := []struct {
		name, schema, args, want string
		ignored                  []string
	}{
		{"as it is", person, `{"name":"x","lang":"fr","tags":[]}`, `{"name":"x","lang":"fr","tags":[]}`, nil},
		{"defaults", person, `{"name":"x"}`, `{"name":"x","lang":"en","tags":["a<b"]}`, nil},
		{"default instead of null", person, `{"lang":null,"name":"x","tags":[]}`, `{"name":"x","tags":[],"lang":"en"}`, nil},
		{"null of an optional parameter", person, `{"name":"x","note":null,"lang":"en","tags":[]}`, `{"name":"x","lang":"en","tags":[]}`, nil},
		{"null that is allowed", person, `{"name":"x","age":null,"lang":"en","tags":[]}`, `{"name":"x","age":null,"lang":"en","tags":[]}`, nil},
		{
			"unknown parameters", person, `{"z":{"a":[1]},"name":"x","lang":"en","y":null,"tags":[]}`, `{"name":"x","lang":"en","tags":[]}`,
			[]string{"y", "z"},
		},
		{
			"unknown parameters of a closed schema", person + `,"additionalProperties":false`, `{"name":"x","b":1,"lang":"en","tags":[]}`,
			`{"name":"x","lang":"en","tags":[]}`, []string{"b"},
		},
		{"only unknown parameters", ``, `{"a":1}`, `{}`, []string{"a"}},
		{"name written with escapes", person, `{"n\u0061me":"x","lang":"en","tags":[]}`, `{"n\u0061me":"x","lang":"en","tags":[]}`, nil},
		{"string holding an object", person, `"{\"name\":\"x\",\"lang\":\"en\",\"tags\":[]}"`, `{"name":"x","lang":"en","tags":[]}`, nil},
		{"absent", `"properties":{"a":{"default":1}}`, ``, `{"a":1}`, nil},
		{"open to anything", `"additionalProperties":true`, `{"a":1,"b":null}`, `{"a":1,"b":null}`, nil},
		{"open to numbers", `"additionalProperties":{"type":"number"}`, `{"a":1}`, `{"a":1}`, nil},
		{"open to patterns", `"patternProperties":{"^x-":{"type":"string"}}`, `{"x-a":"1","y":2}`, `{"x-a":"1","y":2}`, nil},
		{
			"parameters of alternatives",
			`"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]`,
			`{"b":"x","c":1}`, `{"b":"x"}`, []string{"c"},
		},
		{"parameters of dependencies", `"dependencies":{"a":["b"]}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2}`, []string{"c"}},
		{"digits", `"properties":{"n":{"type":"number"},"m":{"default":0.10000000000000000000000000001}}`,
			`{"n":1.10000000000000000000000000000000000001,"u":1}`,
			`{"n":1.10000000000000000000000000000000000001,"m":0.10000000000000000000000000001}`, []string{"u"}},
		{"default that would break a rule", `"properties":{"a":{"default":1},"b":{}},"not":{"required":["a","b"]}`, `{"b":1}`, `{"b":1}`, nil},
		{"default beside a rule", `"properties":{"a":{"default":1},"b":{}},"not":{"required":["a","b"]}`, `{}`, `{"a":1}`, nil},
		{"null default", `"properties":{"a":{"type":["string","null"],"default":null}}`, `{}`, `{"a":null}`, nil},
		{"null allowed by anyOf", `"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}`, `{"a":null}`, `{"a":null}`, nil},
		{"null not allowed by a reference", `"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"}}`, `{"a":null}`, `{}`, nil},
		{"null of a forbidden parameter", `"properties":{"a":false}`, `{"a":null}`, `{}`, nil},
		{
			"alternatives in a closed schema", `"properties":{"a":{}},"additionalProperties":false,"anyOf":[{"properties":{"b":{}}}]`,
			`{"a":1,"b":2}`, `{"a":1}`, []string{"b"},
		},
		{"nested unknown properties stay", `"properties":{"o":{"type":"object"}}`, `{"o":{"x":null}}`, `{"o":{"x":null}}`, nil},
		{"white space", `"properties":{"a":{}}`, " { \"a\" : [ 1 ] , \"b\" : 2 } \n", `{"a" : [ 1 ]}`, []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, object(tt.schema))
			raw := []byte(tt.args)
			p, err := s.Prepare(raw)
			if err != nil {
				t.Fatalf("Prepare(%s) = %v", tt.args, err)
			}
			if diff := cmp.Diff(Prepared{[]byte(tt.want), tt.ignored}, p); diff != "" {
				t.Errorf("Prepare(%s) (-want +got):\n%s", tt.args, diff)
			}
			if string(raw) != tt.args {
				t.Errorf("Prepare changed its input to %s", raw)
			}
		})
	}
}

func TestPrepareDoesNotCopy(t *testing.T) {
	raw := []byte(nineValid)
	p, err := compile(t, nineProperties).Prepare(raw)
	if err != nil || &p.Args[0] != &raw[0] {
		t.Errorf("Prepare copied %s (%v), want the same memory", p.Args, err)
	}
}

func TestPrepareConcurrently(t *testing.T) {
	s := compile(t, nineProperties)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				args, valid := nineValid, true
				if i%2 == 1 {
					args, valid = nineInvalid, false
				}
				if p, err := s.Prepare([]byte(args)); (err == nil) != valid || valid && string(p.Args) != args {
					t.Errorf("Prepare(%s) = %s, %v", args, p.Args, err)
				}
			}
		})
	}
	all.Wait()
}

func TestPrepareIgnoredIsBounded(t *testing.T) {
	long := strings.Repeat("k", 1000)
	var b strings.Builder
	for i := range 500 {
		b.WriteString(`,"` + strings.Repeat("u", i+1) + `":1`)
	}
	p, err := compile(t, object(``)).Prepare([]byte(`{"` + long + `":1` + b.String() + `}`))
	if err != nil || len(p.Ignored) != maxIgnored {
		t.Fatalf("Prepare = %d ignored, %v, want %d", len(p.Ignored), err, maxIgnored)
	}
	for _, name := range p.Ignored {
		if len(name) > maxEcho {
			t.Errorf("ignored name of %d bytes, want at most %d", len(name), maxEcho)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	s := compile(t, object(`"properties":{"path":{"type":"string"}},"required":["path"]`))
	tests := []struct{ name, args, want string }{
		{"array", `[]`, "arguments: expected object, got array"},
		{"not JSON", `path=x`, "arguments: not valid JSON"},
		{"cut off", `{"path":"x"`, "arguments: not valid JSON: it ends too early"},
		{"trailing data", `{"path":"x"} {}`, "something follows the value"},
		{"duplicate keys", `{"path":"x","path":"y"}`, "arguments: duplicate key 'path'"},
		{"duplicate keys in an unknown parameter", `{"path":"x","u":{"a":1,"a":2}}`, "duplicate key 'a'"},
		{"invalid UTF-8", "{\"path\":\"\xff\"}", "invalid UTF-8"},
		{"lone surrogate", `{"path":"\udfff"}`, "not valid JSON"},
		{"2 MiB", `{"path":"` + strings.Repeat("x", 2<<20) + `"}`, "larger than 1 MiB"},
		{"10,000 deep", `{"path":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, "nested more than 128"},
		{"unusable number in an unknown parameter", `{"path":"x","u":1e999}`, "exponent beyond 400 (at u)"},
		{"missing", `{}`, "missing required parameter 'path'"},
		{"absent", ``, "missing required parameter 'path'"},
		{"null", `{"path":null}`, "missing required parameter 'path'"},
		{"wrong type", `{"path":5}`, "path: expected string, got number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := s.Prepare([]byte(tt.args))
			checkInvalid(t, "Prepare", err, tt.want)
			if p.Args != nil || p.Ignored != nil {
				t.Errorf("Prepare returned %.40v beside its error", p)
			}
		})
	}
}
