package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

type accounts []tool.ServiceEntry

func (a accounts) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return a, nil }

// at returns a client of a server, which answers as handler does.
func at(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := Open(t.Context(), &tool.Call{HTTP: server.Client(), Clock: tooltest.Clock{}, Secrets: accounts{
		{Label: "off", Data: map[string]string{"base_url": "http://127.0.0.1:1"}},
		{
			Label:  "on",
			Active: true,
			Data:   map[string]string{"base_url": server.URL + "/v1/", "api_key": "secret-key", "embedding_model": "house"},
		},
	}}, "to test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpen(t *testing.T) {
	for name, entries := range map[string]accounts{
		"no entry":    {},
		"inactive":    {{Data: map[string]string{"api_key": "x"}}},
		"no http":     {{Active: true, Data: map[string]string{"base_url": "file:///etc/passwd"}}},
		"credentials": {{Active: true, Data: map[string]string{"base_url": "https://u:p@h/v1"}}},
	} {
		_, err := Open(t.Context(), &tool.Call{Secrets: entries}, "to test")
		if e := tool.AsError(err); e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, "helve config set openai") ||
			strings.Contains(e.Msg, "u:p") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailures: each failure of an endpoint has its kind, and holds no key.
func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   tool.Kind
		says   string
	}{
		{401, `{"error":{"message":"bad key secret-key"}}`, tool.NotConfigured, "helve config set openai --stdin api_key"},
		{200, `<html>`, tool.ExecutionError, "makes no sense"},
		{200, `{"data":[]}`, tool.ExecutionError, "a vector is missing"},
		{200, `{"data":[{"index":5,"embedding":[1]}]}`, tool.ExecutionError, "was not requested"},
		{200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, tool.ExecutionError, "was not requested"},
		{200, `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`, tool.ExecutionError, "another length"},
		{200, `{"data":[{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}]}`, tool.ExecutionError, "makes no sense"},
	} {
		c := at(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		})
		_, err := c.Embed(t.Context(), "", 0, []string{"a", "b"})
		if e := new(tool.Error); !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(e.Msg, tt.says) ||
			strings.Contains(e.Msg, "secret-key") {
			t.Errorf("status %d, %.60s: %v, want %s with %q", tt.status, tt.body, err, tt.kind, tt.says)
		}
	}
}

func decode(t *testing.T, r *http.Request) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Error(err)
	}
	return body
}
