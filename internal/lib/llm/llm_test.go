package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// accounts is a config center.
type accounts map[string]map[string]string

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if data, ok := a[service]; ok {
		return []tool.ServiceEntry{{Active: true, Data: data}}, nil
	}
	return nil, nil
}

// sent is a request that a server received.
type sent struct {
	*http.Request

	body map[string]any
}

// at returns the model of a service whose server answers as reply does, and the requests
// that the server received.
func at(t *testing.T, service string, reply func(n int) (status int, body string)) (*Model, *[]sent) {
	t.Helper()
	var all []sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := sent{Request: r}
		if err := json.NewDecoder(r.Body).Decode(&s.body); err != nil {
			t.Error(err)
		}
		all = append(all, s)
		status, body := reply(len(all))
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	base := server.URL
	if service == "openai" {
		base += "/v1"
	}
	call := &tool.Call{
		HTTP:    server.Client(),
		Clock:   tooltest.Clock{},
		Secrets: accounts{service: {"base_url": base, "api_key": "secret-key", "text_model": "house"}},
	}
	m, err := Open(t.Context(), call, "to test")
	if err != nil {
		t.Fatal(err)
	}
	return m, &all
}

// TestOpen: the first service with an account is used, with the model that it names.
func TestOpen(t *testing.T) {
	key := map[string]string{"api_key": "k"}
	for name, tt := range map[string]struct {
		center         accounts
		service, model string
	}{
		"all":       {accounts{"openai": key, "anthropic": key, "gemini": key}, "openai", "gpt-4o-mini"},
		"anthropic": {accounts{"anthropic": key, "gemini": key}, "anthropic", "claude-haiku-4-5"},
		"gemini":    {accounts{"gemini": key}, "gemini", "gemini-2.5-flash"},
		"named":     {accounts{"gemini": {"api_key": "k", "text_model": " mine "}}, "gemini", "mine"},
	} {
		m, err := Open(t.Context(), &tool.Call{Secrets: tt.center}, "to test")
		if err != nil || m.Service() != tt.service || m.Name() != tt.model {
			t.Errorf("%s: %+v, %v, want %s of %s", name, m, err, tt.model, tt.service)
		}
	}
	_, err := Open(t.Context(), &tool.Call{Tenant: "acme", User: "ann", Secrets: accounts{}}, "to test")
	e := tool.AsError(err)
	for _, part := range []string{"openai", "anthropic", "gemini", "ann", "acme", "to test", "helve config set gemini --stdin api_key"} {
		if e == nil || e.Kind != tool.NotConfigured || !strings.Contains(e.Msg, part) {
			t.Errorf("without an account: %v, want %q in it", err, part)
		}
	}
}

// replies has answers as the providers' references show them, around a text.
var replies = map[string]func(text string) string{
	"openai": func(text string) string {
		return `{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"house","choices":[{"index":0,"message":{"role":"assistant","content":` + quoted(text) + `,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29},"service_tier":"default"}`
	},
	"anthropic": func(text string) string {
		block := `{"type":"text","text":` + quoted(text) + `}`
		if strings.HasPrefix(text, "{") {
			block = `{"type":"tool_use","id":"toolu_01","name":"answer","input":` + text + `}`
		}
		return `{"id":"msg_01","type":"message","role":"assistant","model":"house","content":[` + block +
			`],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":10}}`
	},
	"gemini": func(text string) string {
		return `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":` + quoted(text[:len(text)/2]) + `},{"text":` +
			quoted(text[len(text)/2:]) + `}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":19,"candidatesTokenCount":6,"thoughtsTokenCount":4,"totalTokenCount":29},"modelVersion":"house","responseId":"r1"}`
	},
}

func quoted(text string) string {
	q, _ := json.Marshal(text)
	return string(q)
}
