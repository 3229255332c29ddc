package adapters

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestKeptArguments holds what is kept to one line without tabs, in which no secret stands
// that the schema marks.
func TestKeptArguments(t *testing.T) {
	const plain, marked = `{"type":"object"}`, `{"type":"object","properties":{"key":{"type":"string","writeOnly":true}}}`
	for name, test := range map[string]struct{ args, schema, want string }{
		"as they were sent":   {`{"a": [1, "two\\n"]}`, plain, `r{"a": [1, "two\\n"]}`},
		"over several lines":  {"{\r\n\t\"a\":\t[1,\n 2]\n}", plain, `r{"a":[1,2]}`},
		"no JSON":             {"{\n", plain, ""},
		"none":                {"", plain, ""},
		"the largest":         {`{"a":"` + strings.Repeat("a", maxKept-8) + `"}`, plain, `r{"a":"` + strings.Repeat("a", maxKept-8) + `"}`},
		"too large":           {`{"a":"` + strings.Repeat("a", maxKept-7) + `"}`, plain, ""},
		"secrets of a schema": {`{"key":"hush"}`, marked, `s{"key":"••• (string)"}`},
	} {
		if got := string(keptOf(json.RawMessage(test.args), json.RawMessage(test.schema))); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
