package jsonvalue

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

// Whatever is flattened is found again at the paths it got.
func FuzzJSONPath(f *testing.F) {
	f.Add(`{"a":{"b.c":{"d[":1}}}`)
	f.Add(`{"$":{"":{"]":"x"}},"[\"":2}`)
	f.Add(`[[1],{"a":null}]`)
	f.Fuzz(func(t *testing.T, text string) {
		value, err := Argument("json", []byte(text))
		if err != nil || value.Kind() != '{' {
			return
		}
		flat, err := Flatten(value)
		if err != nil {
			return
		}
		for _, m := range jsonwalk.Members(flat) {
			if strings.Contains(m.Name, `"]`) || strings.Contains(m.Name, `']`) || len(m.Name) > maxPathLength {
				continue // a name with both ends cannot be written as a path
			}
			if got, err := At(value, m.Name); err != nil || string(got) != string(m.Value) {
				t.Errorf("jsonAt(%s, %s) = %s, %v, want %s", value, m.Name, got, err, m.Value)
			}
		}
	})
}
