package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestSee(t *testing.T) {
	for content, want := range map[string]string{
		`{"total":5}`: "5", "```json\n{\"total\":6}\n```": "6", "Total: 5": "", `[1]`: "", "": "",
	} {
		c := at(t, func(w http.ResponseWriter, r *http.Request) {
			body := decode(t, r)
			wantBody := map[string]any{
				"model": VisionModel, "response_format": map[string]any{"type": "json_object"},
				"messages": []any{map[string]any{"role": "user", "content": []any{
					map[string]any{"type": "text", "text": "How much?"},
					map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:x"}},
				}}},
			}
			if diff := cmp.Diff(wantBody, body); diff != "" || r.URL.Path != "/v1/chat/completions" {
				t.Errorf("%s (-want +got):\n%s", r.URL, diff)
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": content}}}})
		})
		var got struct{ Total tool.Number }
		_, err := c.See(t.Context(), "How much?", "data:x", &got)
		if string(got.Total) != want || (err == nil) != (want != "") || err != nil && !strings.Contains(err.Error(), "makes no sense") {
			t.Errorf("%q: %s, %v, want %q", content, got.Total, err, want)
		}
	}
	c := at(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"choices":[]}`)) })
	if _, err := c.See(t.Context(), "q", "data:x", new(any)); err == nil || !strings.Contains(err.Error(), "no choice") {
		t.Errorf("without a choice: %v", err)
	}
}
