package chat

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// sent is a request as a provider got it.
type sent struct {
	url    string
	header http.Header
	body   []byte
}

// record answers every request of a provider with text and keeps the last.
func record(t *testing.T, provider string) (string, *sent) {
	t.Helper()
	var got sent
	url := serveWith(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = sent{url: r.Method + " " + r.URL.String(), header: r.Header, body: body}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(stream(t, provider, "text.sse"))
	})
	return url, &got
}

const number = `12345678901234567890.10`

func TestRequest(t *testing.T) {
	for _, tt := range []struct {
		o                          Options
		url, key, item, tools      string
		body, bare                 string // with everything, and with a model alone
		bareTools, header, version string
	}{
		{
			o: Options{Provider: "openai"}, url: "POST /chat/completions", header: "Authorization", key: "Bearer " + testKey,
			item:  `{"role":"tool","tool_call_id":"c1","content":` + number + `}`,
			tools: `[{"type":"function","function":{"name":"f","parameters":{"maximum":` + number + `}}}]`,
			body: `{"model":"m1","stream":true,"stream_options":{"include_usage":true},"max_tokens":99,
				"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"},{"role":"tool","tool_call_id":"c1","content":` +
				number + `}],
				"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":` + number + `}}}]}`,
			bare: `{"model":"m1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`,
		},
		{
			o: Options{Provider: "openai_responses"}, url: "POST /responses", header: "Authorization", key: "Bearer " + testKey,
			item:  `{"type":"function_call_output","call_id":"c1","output":` + number + `}`,
			tools: `[{"type":"function","name":"f","strict":false}]`,
			body: `{"model":"m1","stream":true,"store":false,"max_output_tokens":99,"instructions":"Be brief.",
				"input":[{"role":"user","content":"Hello"},{"type":"function_call_output","call_id":"c1","output":` + number + `}],
				"tools":[{"type":"function","name":"f","strict":false}]}`,
			bare: `{"model":"m1","stream":true,"store":false,"input":[{"role":"user","content":"Hello"}]}`,
		},
		{
			o: Options{Provider: "anthropic"}, url: "POST /v1/messages", header: "X-Api-Key", key: testKey, version: "2023-06-01",
			item:  `{"role":"assistant","content":[{"type":"tool_use","input":{"n":` + number + `}}]}`,
			tools: `[{"name":"f","input_schema":{"type":"object"}}]`,
			body: `{"model":"m1","stream":true,"max_tokens":99,"system":"Be brief.",
				"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":[{"type":"tool_use","input":{"n":` + number + `}}]}],
				"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
			bare: `{"model":"m1","stream":true,"max_tokens":8192,"messages":[{"role":"user","content":"Hello"}]}`,
		},
		{
			o: Options{Provider: "gemini"}, url: "POST /v1beta/models/m1:streamGenerateContent?alt=sse", header: "X-Goog-Api-Key", key: testKey,
			item:  `{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":` + number + `}}}]}`,
			tools: `[{"functionDeclarations":[{"name":"f"}]}]`, bareTools: `[{"functionDeclarations":[]}]`,
			body: `{"generationConfig":{"maxOutputTokens":99},"systemInstruction":{"parts":[{"text":"Be brief."}]},
				"contents":[{"role":"user","parts":[{"text":"Hello"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"n":` +
				number + `}}}]}],
				"tools":[{"functionDeclarations":[{"name":"f"}]}]}`,
			bare: `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`,
		},
	} {
		t.Run(tt.o.Provider, func(t *testing.T) {
			url, got := record(t, tt.o.Provider)
			tt.o.BaseURL = url + "/"
			ask := func(o Options, tools string, items ...string) {
				t.Helper()
				m := newModel(t, o)
				conversation := []json.RawMessage{m.User("Hello")}
				for _, item := range items {
					conversation = append(conversation, json.RawMessage(item))
				}
				if _, err := m.Ask(t.Context(), conversation, json.RawMessage(tools), nil); err != nil {
					t.Fatal(err)
				}
			}
			full := tt.o
			full.System, full.MaxTokens = "Be brief.", 99
			ask(full, tt.tools, tt.item)
			sameJSON(t, "the request", got.body, tt.body)
			if got.url != tt.url || got.header.Get(tt.header) != tt.key || got.header.Get("Content-Type") != "application/json" ||
				got.header.Get("Anthropic-Version") != tt.version {
				t.Errorf("the request is %s with %v", got.url, got.header)
			}
			for _, none := range []string{"", "null", "[]", tt.bareTools} {
				ask(tt.o, none)
				sameJSON(t, "the request with tools "+none, got.body, tt.bare)
			}
		})
	}
}

// OpenAI's own servers know the bound on an answer by another name.
func TestRequestToOpenAI(t *testing.T) {
	m, err := New(Options{Provider: "openai", Model: "m1", MaxTokens: 5})
	if err != nil {
		t.Fatal(err)
	}
	body, err := m.(*model).body([]json.RawMessage{m.User("Hello")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "the request", body, `{"model":"m1","stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":5,"messages":[{"role":"user","content":"Hello"}]}`)
}

func TestWithoutKey(t *testing.T) {
	for _, provider := range everyProvider {
		url, got := record(t, provider)
		m, err := New(Options{Provider: provider, Model: "m", BaseURL: url})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, nil); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
			if values, ok := got.header[name]; ok {
				t.Errorf("%s without a key sends %s: %q", provider, name, values)
			}
		}
	}
}

func TestGeminiModels(t *testing.T) {
	for name, want := range map[string]string{
		"gemini-3-flash":   "POST /v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
		"tunedModels/mine": "POST /v1beta/tunedModels/mine:streamGenerateContent?alt=sse",
		"odd?name":         "POST /v1beta/models/odd%3Fname:streamGenerateContent?alt=sse",
	} {
		url, got := record(t, "gemini")
		m := newModel(t, Options{Provider: "gemini", Model: name, BaseURL: url})
		if _, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, nil); err != nil || got.url != want {
			t.Errorf("%s is asked at %s (%v), want %s", name, got.url, err, want)
		}
	}
}

// What is no conversation is the caller's mistake, and is not sent.
func TestMisuse(t *testing.T) {
	url := serveWith(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	m := newModel(t, Options{Provider: "openai", BaseURL: url})
	for _, tt := range []struct{ item, tools, want string }{
		{`{"role":`, ``, "item 1 of the conversation is no JSON object; append what User and Turn.Append hold"},
		{`"text"`, ``, "item 1 of the conversation is no JSON object; append what User and Turn.Append hold"},
		{`{}`, `[`, "the definitions of tools are no JSON; give those of Client.ToolsAs"},
	} {
		_, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello"), json.RawMessage(tt.item)}, json.RawMessage(tt.tools), nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Ask with %s and tools %s: %v\nwant %s", tt.item, tt.tools, err, tt.want)
		}
	}
}

// The HTTP client that is given sends the requests, but for redirects.
func TestRedirect(t *testing.T) {
	elsewhere := serveWith(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the request went elsewhere, with %v", r.Header)
	})
	for _, provider := range everyProvider {
		for _, status := range []int{301, 302, 303, 307, 308} {
			s := httptest.NewServer(http.RedirectHandler(elsewhere, status))
			hc := s.Client()
			hc.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
			m := newModel(t, Options{Provider: provider, BaseURL: s.URL, HTTP: hc})
			_, err := m.Ask(t.Context(), []json.RawMessage{m.User("Hello")}, nil, nil)
			if e := modelError(t, err); e.Status != status || e.Temporary {
				t.Errorf("%s, redirected: %+v", provider, e)
			}
			contains(t, provider, err.Error(), "set the base URL to its new place")
			s.Close()
		}
	}
}
