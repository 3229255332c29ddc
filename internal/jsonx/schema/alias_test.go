package schema

import (
	"strings"
	"testing"
)

const aliased = `{"type":"object","properties":{"items":{"type":"array"},"max":{"type":"integer","default":5},"deep":{"type":"object","properties":{"a":{"type":"string"}}}},"required":["items"]}`

// TestPrepareAlias: a parameter under another of its names is the parameter.
func TestPrepareAlias(t *testing.T) {
	s, err := Compile([]byte(aliased), Alias("list", "items"), Alias("length", "max"))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		`{"list":[1]}`:                     `{"items":[1],"max":5}`,
		`{ "list" : [ 1 ], "length" : 2 }`: `{"items" : [ 1 ],"max" : 2}`,
		`{"list":null,"items":[2]}`:        `{"items":[2],"max":5}`,
		`{"items":[2],"max":3}`:            `{"items":[2],"max":3}`,
		`{"items":[],"deep":{"list":1}}`:   `{"items":[],"deep":{"list":1},"max":5}`,
		`{"l\u0069st":[1],"max":1}`:        `{"items":[1],"max":1}`,
	} {
		p, err := s.Prepare([]byte(given))
		if err != nil || string(p.Args) != want || len(p.Ignored) > 0 {
			t.Errorf("Prepare(%s) = %s, %q, %v, want %s", given, p.Args, p.Ignored, err, want)
		}
	}
	for given, want := range map[string]string{
		`{"list":[1],"items":[2]}`: "parameter 'items' is given twice",
		`{"items":[1],"list":[2]}`: "parameter 'items' is given twice",
		`{"list":7}`:               "items: expected array",
		`{"length":7}`:             "missing required parameter 'items'",
	} {
		if _, err := s.Prepare([]byte(given)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Prepare(%s) = %v, want %q", given, err, want)
		}
	}
}

// TestCompileAlias refuses aliases that cannot work.
func TestCompileAlias(t *testing.T) {
	for _, o := range []Option{Alias("max", "items"), Alias("list", "none")} {
		if _, err := Compile([]byte(aliased), o); err == nil || !strings.Contains(err.Error(), "alias") {
			t.Errorf("Compile = %v, want an error about the alias", err)
		}
	}
}
