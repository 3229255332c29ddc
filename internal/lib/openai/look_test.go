package openai

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// TestLook: request and answer have the form that OpenAI publishes in its API reference,
// "Create chat completion", image input.
func TestLook(t *testing.T) {
	answer := ""
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		want := map[string]any{
			"model": VisionModel, "max_tokens": 50.0,
			"messages": []any{map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "text", "text": "What is it?"},
				map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:x", "detail": "low"}},
			}}},
		}
		if diff := cmp.Diff(want, decode(t, r)); diff != "" || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s (-want +got):\n%s", r.URL, diff)
		}
		_, _ = w.Write([]byte(answer))
	})
	for text, want := range map[string]struct {
		seen Seen
		says string
	}{
		`{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"message":{"role":"assistant","content":" A cat. ","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":85,"completion_tokens":4,"total_tokens":89}}`: {
			seen: Seen{Model: VisionModel, Text: "A cat."},
		},
		`{"choices":[{"message":{"content":"A ca"},"finish_reason":"length"}]}`: {
			seen: Seen{Model: VisionModel, Text: "A ca", Cut: true},
		},
		`{"choices":[{"message":{"content":null,"refusal":"I cannot say."},"finish_reason":"stop"}]}`: {
			seen: Seen{Model: VisionModel, Text: "I cannot say."},
		},
		`{"choices":[{"message":{"content":"  "}}]}`: {says: "answered nothing"},
		`{"choices":[]}`: {says: "no choice"},
		`{"choices":[{"message":{"content":[1]}}]}`: {says: "not the JSON"},
		`<html>`: {says: "not the JSON"},
	} {
		answer = text
		got, err := c.Look(t.Context(), Sight{Question: "What is it?", Image: "data:x", Detail: "low", MaxTokens: 50})
		if want.says != "" {
			if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, want.says) {
				t.Errorf("%s: %v, want execution_error with %q", text, err, want.says)
			}
			continue
		}
		if diff := cmp.Diff(&want.seen, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}
