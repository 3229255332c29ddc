package tool

import (
	"fmt"
	"strings"
	"testing"
)

// TestServiceEntryIsMasked: a secret is not printed by accident.
func TestServiceEntryIsMasked(t *testing.T) {
	e := ServiceEntry{Label: "main", Data: map[string]string{"api_key": "hunter2"}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, value := range []any{e, &e, []ServiceEntry{e}} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "hunter2") || !strings.Contains(text, "main") {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}
