package tool

import (
	"encoding/json"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, text := range []string{"9007199254740993", "-0.00001", "1e-400"} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Errorf("Unmarshal of %s: %v", text, err)
		}
		if out, err := json.Marshal(n); err != nil || string(out) != text {
			t.Errorf("%s became %s, %v", text, out, err)
		}
	}
	for _, n := range []Number{"", "one", "1,2", "{}"} {
		if out, err := json.Marshal(n); err == nil {
			t.Errorf("Marshal of %q = %s, want an error", n, out)
		}
	}
	schema, err := SchemaOf[struct {
		N Number `json:"n"`
	}]()
	if err != nil || string(schema) != `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}` {
		t.Errorf("schema %s, %v, want a number", schema, err)
	}
}
