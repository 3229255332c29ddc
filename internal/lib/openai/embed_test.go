package openai

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEmbed: the request and the answer have the form that OpenAI publishes, and answers
// may come in any order.
func TestEmbed(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		want := map[string]any{"model": "house", "input": []any{"a", "b"}, "dimensions": 2.0, "encoding_format": "float"}
		if diff := cmp.Diff(want, decode(t, r)); diff != "" || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" ||
			r.Header.Get("Authorization") != "Bearer secret-key" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s, %v, body (-want +got):\n%s", r.Method, r.URL, r.Header, diff)
		}
		_, _ = w.Write([]byte(`{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0.3,0.4]},{"object":"embedding","index":0,"embedding":[0.1,0.2]}],"model":"house","usage":{"prompt_tokens":5,"total_tokens":5}}`))
	})
	got, err := c.Embed(t.Context(), "", 2, []string{"a", "b"})
	want := &Embeddings{Model: "house", Vectors: [][]float32{{0.1, 0.2}, {0.3, 0.4}}, Tokens: 5}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Embed: %v (-want +got):\n%s", err, diff)
	}
}
