package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/provider"
)

// TestToldOfPendingCalls: with consent tell a model reads why a call has no result yet, in every
// format, if the call waits for a person or a time; while it runs there are no messages.
func TestToldOfPendingCalls(t *testing.T) {
	for name, tt := range map[string]struct{ state, want string }{
		"parked":    {`"state":"awaiting_consent","consent_id":"k"`, "a person must approve it first"},
		"answer":    {`"state":"waiting","waiting_for":[{"kind":"call","call_id":"c~1"},{"kind":"answer","consent_id":"k"}]`, "the answer of a person"},
		"consent":   {`"state":"waiting","waiting_for":[{"kind":"consent","consent_id":"k"}]`, "approve one of its calls"},
		"sleep":     {`"state":"waiting","waiting_for":[{"kind":"sleep","until":"2030-01-02T00:00:00Z"},{"kind":"sleep","until":"2030-01-01T00:00:00Z"}]`, "until 2030-01-01T00:00:00Z"},
		"its calls": {`"state":"waiting","waiting_for":[{"kind":"call","call_id":"c~1"}]`, ""},
		"runs":      {`"state":"running"`, ""},
	} {
		results := []json.RawMessage{json.RawMessage(`{"call_id":"c","tool":"x","status":"pending",` + tt.state + `}`)}
		for _, format := range provider.Formats() {
			if format == provider.MCP {
				continue
			}
			written := []provider.Call{{ID: "a", Name: "x"}}
			got, err := messagesFor(&Execution{Format: format, Tell: true}, written, results)
			if err != nil || (got != nil) != (tt.want != "") || !strings.Contains(string(got), tt.want) || strings.Contains(string(got), "is_error") {
				t.Errorf("%s, %s: %s, %v, want %q", name, format, got, err, tt.want)
			}
			if got, err := messagesFor(&Execution{Format: format}, written, results); got != nil || err != nil {
				t.Errorf("%s, %s, without tell: %s, %v, want none", name, format, got, err)
			}
		}
	}
}
