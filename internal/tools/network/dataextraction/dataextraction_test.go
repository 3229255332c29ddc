package dataextraction

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// accounts is a config center.
type accounts map[string]map[string]string

func (a accounts) Entries(_ context.Context, service string) ([]tool.ServiceEntry, error) {
	if data, ok := a[service]; ok {
		return []tool.ServiceEntry{{Active: true, Shared: true, Data: data}}, nil
	}
	return nil, nil
}

// asked is a request to the model: its instruction and its data.
type asked struct {
	Task string
	Data map[string]any
}

// endpoint starts an endpoint with OpenAI's API whose model answers as says does, and
// returns a call that may reach it and the requests so far.
func endpoint(t *testing.T, says func(n int, a asked) string) (tool.Call, *[]asked) {
	t.Helper()
	all := &[]asked{}
	return served(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 || body.Messages[0].Role != "system" ||
			body.Messages[1].Role != "user" || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s %s: %v, %+v", r.Method, r.URL, err, body)
			return
		}
		a := asked{Task: body.Messages[0].Content}
		if err := json.Unmarshal([]byte(body.Messages[1].Content), &a.Data); err != nil {
			t.Errorf("the data is no JSON object: %v", err)
		}
		*all = append(*all, a)
		text, err := json.Marshal(says(len(*all), a))
		if err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":`+string(text)+
			`},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`)
	}), all
}

// served returns a call whose service openai is a server.
func served(t *testing.T, handler http.HandlerFunc) tool.Call {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	guard, err := netguard.New(netguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return tool.Call{
		HTTP:    guard,
		Files:   tooltest.Files{},
		Secrets: accounts{"openai": {"base_url": server.URL + "/v1", "api_key": "secret-key", "text_model": "house"}},
	}
}

// broken are answers of a provider, and the kind that each ends in.
var broken = []struct {
	name   string
	status int
	body   string
	kind   tool.Kind
	says   string
}{
	{
		"no key", 401, `{"error":{"message":"Incorrect API key provided: secret-key"}}`, tool.NotConfigured,
		"helve config set openai --stdin api_key",
	},
	{"too many", 429, `{}`, tool.RateLimited, "in 7 seconds"},
	{"down", 500, ``, tool.NetworkError, "status 500"},
	{"HTML", 200, `<html>`, tool.ExecutionError, "makes no sense"},
	{"no choice", 200, `{"choices":[]}`, tool.ExecutionError, "makes no sense"},
	{"huge", 200, `{"choices":[{"message":{"content":"` + strings.Repeat("x", 17<<20) + `"}}]}`, tool.ExecutionError, "longer than"},
	{"refused", 200, `{"choices":[{"message":{"refusal":"No."},"finish_reason":"stop"}]}`, tool.ExecutionError, "refused to answer: No."},
}

// fails plays the failures of a provider.
func fails(t *testing.T, name, args string) {
	t.Helper()
	for _, b := range broken {
		call := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(b.status)
			_, _ = io.WriteString(w, b.body)
		})
		tooltest.Run(t, Set, name, call, []tooltest.Case{{Name: b.name, Args: args, Fails: b.kind, Message: b.says}})
	}
}

// usage checks the usage that a result reports.
func usage(t *testing.T, res tool.Result, input int) {
	t.Helper()
	got, _ := res.Metadata["usage"].(map[string]any)
	if got["input_tokens"] != input || got["model"] != "house" {
		t.Errorf("usage %v, want %d tokens of house", got, input)
	}
}
