package store

import "testing"

// TestCanonical: values are equal as the databases compare them, and only then.
func TestCanonical(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ], "a" : 1.0 } `, true},
		{`1e5`, `100000`, true},
		{`-0`, `0`, true},
		{`0.10`, `1E-1`, true},
		{`12000`, `12e3`, true},
		{`1e-400`, `0`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`-1`, `1`, false},
		{`"1"`, `1`, false},
		{`"é"`, `"\u00e9"`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[12]`, `[1,2]`, false},
		{`{"a":{}}`, `{"a":[]}`, false},
		{`{"a":null}`, `{}`, false},
	} {
		if a, b := canonical([]byte(tt.a)), canonical([]byte(tt.b)); (string(a) == string(b)) != tt.same {
			t.Errorf("%s and %s are %s and %s, want the same: %v", tt.a, tt.b, a, b, tt.same)
		}
	}
}
