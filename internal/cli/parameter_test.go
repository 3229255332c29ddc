package cli

import "testing"

func TestOrderedParameters(t *testing.T) {
	for schema, want := range map[string][]string{
		``:                   nil,
		`null`:               nil,
		`{"type":"object"}`:  nil,
		`{"properties":[1]}`: nil,
		`{"properties":{"z":{"type":"string"},"a":{"type":7},"m":true}}`: {"z string", "a any", "m any"},
		`{"properties":{"n":{"minimum":0}}}`:                             {"n any from 0"},
		`{"properties":{"e":{"enum":[1,"b",null,""]}}}`:                  {`e 1|b|null|""`},
	} {
		var got []string
		for _, p := range orderedParameters([]byte(schema)) {
			got = append(got, p.name+" "+p.kind())
		}
		if len(got) != len(want) {
			t.Errorf("orderedParameters(%s) = %q, want %q", schema, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("parameter %d of %s is %q, want %q", i, schema, got[i], want[i])
			}
		}
	}
}
