package utilities

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Taken apart and decoded part by part, a value is what it is decoded whole.
func FuzzJSONParts(f *testing.F) {
	for _, text := range []string{
		`[]`, `{}`, `[1,-2.5e3 ,"a" , null,true]`, ` { "a" : [ { } , [ ] ] , "\\\"" : "]}\\" } `, `["\\","\"",{"x":{"y":[[]]}}]`, `1`, `"[1]"`, "[1\n]",
		`[`, `{"a"`, `{"a":`, `["\`, `{"a" "b"}`, `]`, `{"a":}`, `[,]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		items, members := jsonItems([]byte(text)), jsonMembers([]byte(text))
		if jsonProblem([]byte(text)) != "" {
			return // it is enough that they ended
		}
		var whole any
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			return // a number that is too large
		}
		var parts any
		switch whole := whole.(type) {
		case []any:
			list := make([]any, len(items))
			for i, item := range items {
				list[i] = decoded(t, item)
			}
			parts = list
		case map[string]any:
			object := map[string]any{}
			for _, m := range members {
				object[m.name] = decoded(t, m.value)
			}
			parts = object
		default:
			parts = whole
			if len(items) != 0 || len(members) != 0 {
				t.Errorf("%s has items %s and members %v, want none", text, items, members)
			}
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("%s is taken apart wrongly (-whole +parts):\n%s", text, diff)
		}
	})
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("part %s: %v", text, err)
	}
	return v
}
