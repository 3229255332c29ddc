package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

// toolCall is a call that a model makes.
type toolCall struct{ name, args string }

// stream writes a model's answer, calls or else text, as its provider streams it.
type streaming func(w io.Writer, calls []toolCall, text string)

func sse(w io.Writer, name, data string, args ...any) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: "+data+"\n\n", args...)
}

// halves are the two parts in which text comes.
func halves(text string) [2]string { return [2]string{text[:len(text)/2], text[len(text)/2:]} }

var streams = map[string]streaming{
	"openai": func(w io.Writer, calls []toolCall, text string) {
		const chunk = `{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
		sse(w, "", chunk, `{"role":"assistant","content":null}`, "null")
		reason := `"stop"`
		for i, c := range calls {
			sse(w, "", chunk, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%q,"arguments":""}}]}`, i, i, c.name), "null")
			for _, half := range halves(c.args) {
				sse(w, "", chunk, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]}`, i, half), "null")
			}
			reason = `"tool_calls"`
		}
		for _, half := range halves(text) {
			sse(w, "", chunk, fmt.Sprintf(`{"content":%q}`, half), "null")
		}
		sse(w, "", chunk, `{}`, reason)
		sse(w, "", `{"id":"x","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
		sse(w, "", "[DONE]")
	},
	"openai_responses": func(w io.Writer, calls []toolCall, text string) {
		var items []string
		for i, c := range calls {
			items = append(items, fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":%q,"arguments":%q,"status":"completed"}`, i, i, c.name, c.args))
		}
		sse(w, "response.created", `{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}`)
		if text != "" {
			for _, half := range halves(text) {
				sse(w, "response.output_text.delta", `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":%q}`, half)
			}
			items = append(items, fmt.Sprintf(`{"type":"message","id":"m","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, text))
		}
		sse(w, "response.completed", `{"type":"response.completed","response":{"id":"r","object":"response","status":"completed","output":[%s],"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}}}`, strings.Join(items, ","))
	},
	"anthropic": func(w io.Writer, calls []toolCall, text string) {
		sse(w, "message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":7,"output_tokens":1}}}`)
		reason := "end_turn"
		for i, c := range calls {
			sse(w, "content_block_start", `{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"call_%d","name":%q,"input":{}}}`, i, i, c.name)
			for _, half := range halves(c.args) {
				sse(w, "content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%q}}`, i, half)
			}
			sse(w, "content_block_stop", `{"type":"content_block_stop","index":%d}`, i)
			reason = "tool_use"
		}
		if text != "" {
			sse(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
			for _, half := range halves(text) {
				sse(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, half)
			}
			sse(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
		}
		sse(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":3}}`, reason)
		sse(w, "message_stop", `{"type":"message_stop"}`)
	},
	"gemini": func(w io.Writer, calls []toolCall, text string) {
		const chunk = `{"candidates":[{"index":0,"content":{"role":"model","parts":[%s]}%s}],"usageMetadata":{"totalTokenCount":10}}`
		for _, c := range calls {
			sse(w, "", chunk, fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}}`, c.name, c.args), "")
		}
		if text != "" {
			for _, half := range halves(text) {
				sse(w, "", chunk, fmt.Sprintf(`{"text":%q}`, half), "")
			}
		}
		sse(w, "", chunk, "", `,"finishReason":"STOP"`)
	},
}

// modelServer is a provider whose model answers the n-th request by the n-th line, and
// by the last for ever.
type modelServer struct {
	*httptest.Server

	mu     sync.Mutex
	bodies []string
}

func serveModel(t *testing.T, format string, lines ...func(w io.Writer, s streaming)) *modelServer {
	t.Helper()
	m := &modelServer{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		m.mu.Lock()
		n := len(m.bodies)
		m.bodies = append(m.bodies, string(body))
		m.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		lines[min(n, len(lines)-1)](w, streams[format])
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *modelServer) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies[len(m.bodies)-1]
}

func makes(calls ...toolCall) func(io.Writer, streaming) {
	return func(w io.Writer, s streaming) { s(w, calls, "") }
}

func answers(text string) func(io.Writer, streaming) {
	return func(w io.Writer, s streaming) { s(w, nil, text) }
}

func loopWith(t *testing.T, format string, m *modelServer, tenant string) *client.Loop {
	t.Helper()
	base := m.URL
	if strings.HasPrefix(format, "openai") {
		base += "/v1"
	}
	model, err := chat.New(chat.Options{Provider: format, Model: "m", BaseURL: base, Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(shared.urls[0], client.WithTenant(tenant), client.WithContext(client.Context{User: "u1"}), client.WithRetry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &client.Loop{Client: c, Model: model, Tools: client.Filter{Group: "diagnostics"}}
}

// TestLoopOfEveryProvider: twelve rounds of calls, some side by side, one that fails,
// and then an answer, streamed as each provider does it.
func TestLoopOfEveryProvider(t *testing.T) {
	t.Parallel()
	for format := range streams {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var lines []func(io.Writer, streaming)
			for i := range 12 {
				calls := []toolCall{{"debug_echo", fmt.Sprintf(`{"value":"round %d"}`, i)}}
				switch i {
				case 3:
					calls = append(calls, toolCall{"debug_echo", `{"value":"beside"}`}, toolCall{"debug_sleep", `{"ms":1}`})
				case 6:
					calls = append(calls, toolCall{"debug_fail", `{"how":"error","message":"no luck"}`}, toolCall{"nope", `{}`})
				}
				lines = append(lines, makes(calls...))
			}
			m := serveModel(t, format, append(lines, answers("All is done, \"ünd\" well."))...)
			l := loopWith(t, format, m, newTenant())
			heard := ""
			l.Text = func(piece string) { heard += piece }
			got, err := l.Ask(t.Context(), client.State{}, "Go.")
			if err != nil || got.Text != "All is done, \"ünd\" well." || heard != got.Text || len(m.bodies) != 13 {
				t.Fatalf("Ask = %q, %v, heard %q in %d requests", got.Text, err, heard, len(m.bodies))
			}
			for _, want := range []string{"round 0", "round 11", "beside", "slept_ms", "no luck", "tool_not_found"} {
				if !strings.Contains(m.last(), want) {
					t.Errorf("the model was not told %q: %s", want, m.last())
				}
			}
			if !strings.Contains(m.last(), "debug_echo") || got.State.Tokens == 0 {
				t.Errorf("tokens %d, request %.300s, want the tools in it and the cost counted", got.State.Tokens, m.last())
			}
		})
	}
}

func TestLoopWithoutEnd(t *testing.T) {
	t.Parallel()
	l := loopWith(t, "anthropic", serveModel(t, "anthropic", makes(toolCall{"debug_echo", `{"value":1}`})), newTenant())
	l.Rounds = 5
	got, err := l.Ask(t.Context(), client.State{}, "Go.")
	if !errors.Is(err, client.ErrLimit) || got.State.Rounds != 5 || got.State.Message != nil {
		t.Errorf("Ask = %+v, %v, want ErrLimit after 5 rounds, every call answered", got, err)
	}
}

// TestLoopOutlivesItsProcess: a loop whose process is gone while a person decides goes
// on from what it saved, on another dispatcher, and nothing happens twice.
func TestLoopOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	m := serveModel(t, "openai", makes(toolCall{"debug_effect", `{"key":"e"}`}, toolCall{"debug_guarded", `{"key":"g"}`}), answers("Done."))
	l := loopWith(t, "openai", m, tenant)
	var saved []byte
	l.Save = func(s client.State) (err error) { saved, err = json.Marshal(s); return err }
	got, err := l.Ask(t.Context(), client.State{}, "Go.")
	if err != nil || len(got.Pending) != 2 || got.Pending[1].ConsentID == "" {
		t.Fatalf("Ask = %+v, %v, want a call that waits for a person", got, err)
	}
	grant(t, shared.http(0), tenant, got.Pending[1].ConsentID)
	var s client.State
	if err := json.Unmarshal(saved, &s); err != nil {
		t.Fatal(err)
	}
	again := loopWith(t, "openai", m, tenant)
	again.Consent = client.ConsentWait
	if got, err = again.Resume(t.Context(), s); err != nil || got.Text != "Done." {
		t.Errorf("Resume = %+v, %v", got, err)
	}
	if lines := ledger(t, shared, tenant, "u1"); len(lines) != 2 {
		t.Errorf("the ledger has %q, want each effect once", lines)
	}
}
