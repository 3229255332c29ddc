package schema

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// fuzzSchemas are the schemas that FuzzPrepare uses, beside those of draft7.
var fuzzSchemas = []string{
	nineProperties,
	object(`"properties":{"a":{"type":"integer","default":3},"b":{"type":["string","null"],"default":null}},"required":["c"]`),
	object(`"additionalProperties":{"type":"string"},"properties":{"a":{"type":"array","items":{"enum":[1,"x",null]}}}`),
	object(`"oneOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"]}],"properties":{"b":{"default":1}}`),
	object(`"patternProperties":{"^x":{"type":"number","minimum":0.5}},"dependencies":{"a":["b"]}`),
	object(`"properties":{"a":{"$ref":"#"},"b":{"type":"number","exclusiveMaximum":1e3}},"additionalProperties":false`),
}

var fuzzArguments = []string{
	``, `null`, `""`, `{}`, `[]`, `7`, `{"a":1}`, `{"a":null}`, `"{\"a\":\"x\"}"`, nineValid, nineInvalid,
	`{"a":{"a":{"b":1e300}}}`, `{"a":[1,"x",null,2.0]}`, `{"a":1,"a":2}`, `{"\u0061":-0.0}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`,
	`{"a":1e400}`, `{"a":0.1e-399}`, "{\"a\":\"\xff\"}", ` { "x" : [ ] , "a" : 5.0 } `, `{"a":{"v":1,"kids":[{"v":1}]}}`,
	`{"b":9007199254740993,"a":[[1.5]]}`,
	`{"x1":0.5,"b":2}`, `{"title":"x","priority":null,"tags":["\u00e9"]}`, `{"a":"2026-01-31"}`, `{"a":123456789012345678901}`, `{} {}`,
}

// FuzzPrepare checks that Prepare never panics, that it refuses with a short Invalid, and
// that accepted arguments are valid, complete and do not change when they are prepared
// again.
func FuzzPrepare(f *testing.F) {
	var schemas []*Schema
	for _, document := range fuzzSchemas {
		schemas = append(schemas, compile(f, document))
	}
	for _, c := range draft7 {
		schemas = append(schemas, compile(f, draft7Schema(c.schema)))
	}
	for i, args := range fuzzArguments {
		for j := range fuzzSchemas {
			f.Add(uint8(j), []byte(args))
		}
		f.Add(uint8(len(fuzzSchemas)+i), []byte(args))
	}
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		s := schemas[int(which)%len(schemas)]
		given := bytes.Clone(args)
		p, err := s.Prepare(args)
		if !bytes.Equal(given, args) {
			t.Fatalf("Prepare changed %q to %q", given, args)
		}
		if err != nil {
			var inv *Invalid
			if !errors.As(err, &inv) || len(inv.Problems) == 0 || len(inv.Problems) > maxProblems || len(err.Error()) > 20_000 {
				t.Fatalf("Prepare(%q) = %T %.300v, want a short *Invalid", args, err, err)
			}
			return
		}
		if err := Strict(p.Args); err != nil {
			t.Fatalf("Prepare(%q) = %q, which is not strict: %v", args, p.Args, err)
		}
		v, err := decode(p.Args)
		if err != nil {
			t.Fatal(err)
		}
		if problems := s.library.problems(v, &meter{left: maxSteps}); problems != nil {
			t.Fatalf("Prepare(%q) = %q, to which the library says %q", args, p.Args, problems)
		}
		again, err := s.Prepare(p.Args)
		if err != nil || !bytes.Equal(again.Args, p.Args) || again.Ignored != nil {
			t.Fatalf("Prepare(%q) = %q, %q, %v, want no change", p.Args, again.Args, again.Ignored, err)
		}
	})
}

// FuzzCompile checks that Compile neither panics nor hangs, and that a schema it accepts
// can be used and is also a schema to another library.
func FuzzCompile(f *testing.F) {
	for _, document := range fuzzSchemas {
		f.Add([]byte(document))
	}
	for _, c := range draft7 {
		f.Add([]byte(draft7Schema(c.schema)))
	}
	for _, document := range []string{
		``, `{`, `true`, `{"type":"object","$ref":"#"}`, object(`"allOf":[{"$ref":"#"}]`), object(`"properties":{"a":{"$ref":"file:///x"}}`),
		object(`"requird":[]`), object(`"patternProperties":{"(a{1000}){2}":{}}`),
		object(`"properties":{"a":{"minLength":1e9,"pattern":"\\d+"}}`),
		object(`"if":{"not":{"contains":{}}},"then":{"items":[true]},"propertyNames":{"enum":["a"]}`),
		object(`"properties":{"a":{"default":[1]}},"minProperties":2.0`),
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		s, err := Compile(document)
		if err != nil {
			var inv *Invalid
			if !errors.As(err, &inv) || len(err.Error()) > 20_000 {
				t.Fatalf("Compile(%q) = %T %.300v, want a short *Invalid", document, err, err)
			}
			return
		}
		for _, args := range fuzzArguments {
			_, _ = s.Prepare([]byte(args))
		}
		v, err := decode(document)
		if err != nil {
			t.Fatal(err)
		}
		if _, hasID := v.(map[string]any)["$id"]; !hasID {
			compileSanthosh(t, string(document))
		}
	})
}

// FuzzDifferential checks that Prepare, gojsonschema and santhosh agree on validity, and
// that the fast check accepts nothing the others refuse.
func FuzzDifferential(f *testing.F) {
	type pair struct {
		ours     *Schema
		theirs   *santhosh.Schema
		compares bool
	}
	var pairs []pair
	for _, c := range draft7 {
		if strings.Contains(c.schema, `"format"`) {
			continue // formats are checked more loosely here
		}
		document := draft7Schema(c.schema)
		compares := strings.Contains(c.schema, `"enum"`) || strings.Contains(c.schema, `"const"`) || strings.Contains(c.schema, `"uniqueItems"`)
		pairs = append(pairs, pair{compile(f, document), compileSanthosh(f, document), compares})
	}
	for i, c := range draft7 {
		for _, value := range append(c.good, c.evil...) {
			f.Add(uint8(i), []byte(`{"a":`+value+`}`))
		}
	}
	for i, args := range fuzzArguments {
		f.Add(uint8(i), []byte(args))
	}
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		p := pairs[int(which)%len(pairs)]
		object, err := Arguments(args)
		if err != nil {
			if _, err := p.ours.Prepare(args); err == nil {
				t.Fatalf("Prepare accepts %q, Arguments does not", args)
			}
			return
		}
		scan := borrow(object)
		_, _, err = p.ours.read(scan)
		sure, kept := !scan.unsure, rebuild(object, scan.kept, nil, nil)
		scan.release()
		if err != nil {
			t.Fatalf("Arguments accepts %q, read says %v", object, err)
		}
		v, err := decode(kept)
		if err != nil {
			t.Fatal(err)
		}
		if p.compares && beyondFloat(v) {
			return // compared as floats here, exactly there
		}
		problems := p.ours.library.problems(v, &meter{left: maxSteps})
		if len(problems) == 1 && strings.Contains(problems[0], "too large to be checked") {
			return
		}
		theirs := p.theirs.Validate(v)
		if (problems == nil) != (theirs == nil) {
			t.Fatalf("%s: gojsonschema says %q, santhosh %v", kept, problems, theirs)
		}
		if sure && problems != nil {
			t.Fatalf("%s: the fast check is sure, gojsonschema says %q", kept, problems)
		}
		// The libraries' rules: the case of an enum's value counts, an unknown name does
		// not.
		_, err = p.ours.prepare(object, false)
		if bad, ok := errors.AsType[*Invalid](err); ok && strings.HasPrefix(bad.Problems[0], "unknown parameter") {
			return
		}
		if (err == nil) != (problems == nil) {
			t.Fatalf("%s: Prepare says %v, gojsonschema %q", args, err, problems)
		}
	})
}
