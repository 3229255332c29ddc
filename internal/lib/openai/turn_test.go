package openai

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestTurn: a conversation and its tools are sent in the form that OpenAI publishes, and
// the model's message is returned as it is.
func TestTurn(t *testing.T) {
	const message = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"add_note","arguments":"{\"title\":\"x\"}"}}],"odd":1}`
	answer := `{"choices":[{"message":` + message + `}],"usage":{"total_tokens":70}}`
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		want := map[string]any{
			"model": TextModel, "max_tokens": 9.0, "messages": []any{map[string]any{"role": "user", "content": "hi"}},
			"tools": []any{
				map[string]any{
					"type":     "function",
					"function": map[string]any{"name": "add_note", "description": "Adds.", "parameters": map[string]any{"type": "object"}},
				},
			},
		}
		if diff := cmp.Diff(want, decode(t, r)); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
		_, _ = w.Write([]byte(answer))
	})
	turn := func() (*Turn, error) {
		return c.Turn(t.Context(), []any{map[string]string{"role": "user", "content": "hi"}},
			[]TurnTool{{"add_note", "Adds.", json.RawMessage(`{"type":"object"}`)}}, 9)
	}
	got, err := turn()
	want := &Turn{Model: TextModel, Message: json.RawMessage(message), Calls: []TurnCall{{"c1", "add_note", `{"title":"x"}`}}, Tokens: 70}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Turn: %v (-want +got):\n%s", err, diff)
	}
	for _, answer = range []string{`{"choices":[]}`, `{"choices":[{"message":[]}]}`, `{"choices":[{}]}`} {
		if _, err := turn(); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.ExecutionError {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
