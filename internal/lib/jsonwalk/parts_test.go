package jsonwalk

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Taken apart and decoded part by part, a value holds what it is decoded whole.
func FuzzJSONParts(f *testing.F) {
	for _, text := range []string{
		`[]`, `{}`, `[1,-2.5e3 ,"a" , null,true]`, ` { "a" : [ { } , [ ] ] , "\\\"" : "]}\\" } `, `["\\","\"",{"x":{"y":[[]]}}]`, `1`, `"[1]"`,
		"[1\n]", `[`, `{"a"`, `{"a":`, `["\`, `{"a" "b"}`, `]`, `{"a":}`, `[,]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		items, members := Items([]byte(text)), Members([]byte(text))
		for i, item := range EachItem([]byte(text)) {
			if string(items[i]) != string(item) {
				t.Errorf("%s: item %d is %s, or %s one by one", text, i, items[i], item)
			}
		}
		at := 0
		for name, value := range EachMember([]byte(text)) {
			if Text(name) != members[at].Name || string(value) != string(members[at].Value) {
				t.Errorf("%s: member %d is %v, or %s: %s one by one", text, at, members[at], name, value)
			}
			at++
		}
		if !jsontext.Value(text).IsValid() {
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
				object[m.Name] = decoded(t, m.Value)
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
