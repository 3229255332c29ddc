package openai

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestAsk(t *testing.T) {
	var sent map[string]any
	reply := "```json\n{\"n\":7}\n```"
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		sent = decode(t, r)
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":` + string(text) + `}}]}`))
	})
	var answer struct{ N int }
	if model, err := c.Ask(t.Context(), "How many?", &answer); err != nil || model != TextModel || answer.N != 7 {
		t.Errorf("Ask = %q, %v, %+v", model, err, answer)
	}
	part := sent["messages"].([]any)[0].(map[string]any)["content"].([]any)[0].(map[string]any)
	if sent["model"] != TextModel || part["text"] != "How many?" || len(part) != 2 {
		t.Errorf("request %v", sent)
	}
	reply = "seven"
	if _, err := c.Ask(t.Context(), "How many?", &answer); tool.AsError(err).Kind != tool.ExecutionError {
		t.Errorf("an answer that is no JSON: %v", err)
	}
}
