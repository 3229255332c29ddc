package scheduler

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// model is an endpoint with OpenAI's API that answers with the messages of a test.
type model struct {
	mu       sync.Mutex
	messages []string
	tokens   int
	asked    []map[string]any
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	m.asked = append(m.asked, body)
	if len(m.messages) == 0 {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	next := m.messages[0]
	if len(m.messages) > 1 {
		m.messages = m.messages[1:]
	}
	_, _ = fmt.Fprintf(w, `{"choices":[{"message":%s}],"usage":{"total_tokens":%d}}`, next, m.tokens)
}

// wants returns a message that calls tools, each a name and arguments.
func wants(calls ...string) string {
	var all []string
	for i := 0; i < len(calls); i += 2 {
		args, _ := json.Marshal(calls[i+1])
		all = append(all, fmt.Sprintf(`{"id":"m%d","type":"function","function":{"name":%q,"arguments":%s}}`, i/2, calls[i], args))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(all, ",") + `]}`
}

const says = `{"role":"assistant","content":"Done."}`

// hands is the agent's tools: it records the calls.
type hands struct {
	tool.Catalogue
	more  int // tools beside those
	calls []string
}

func (h *hands) defs() []*tool.Definition {
	var all []*tool.Definition
	for _, set := range []*tool.Set{others(), Set} {
		for _, tl := range set.Tools() {
			all = append(all, &tl.Definition)
		}
	}
	for _, name := range []string{"search_tools", "get_tool_help", useTool, batchTool} {
		all = append(all, &tool.Definition{Name: name, Category: "Dynamic Tools", Parameters: json.RawMessage(`{}`)})
	}
	return all
}

func (h *hands) Search(context.Context, tool.Search) (tool.Found, error) {
	all := h.defs()
	return tool.Found{Tools: all, Total: len(all) + h.more}, nil
}

func (h *hands) Lookup(name string) (*tool.Definition, bool) {
	for _, def := range h.defs() {
		if def.Name == name {
			return def, true
		}
	}
	return nil, false
}

func (h *hands) Call(context.Context, string, json.RawMessage) (tool.Result, error) {
	return tool.Result{}, tool.Fail(tool.Internal, "a prompt calls by Batch")
}

func (h *hands) Batch(_ context.Context, calls []tool.InnerCall) []tool.InnerOutcome {
	all := make([]tool.InnerOutcome, len(calls))
	for i, c := range calls {
		h.calls = append(h.calls, c.Tool+" "+string(c.Arguments))
		all[i].Result = tool.Result{Value: json.RawMessage(`{"n":1}`), Notes: []string{"a note"}}
		if strings.Contains(string(c.Arguments), "forbidden") {
			all[i] = tool.InnerOutcome{Err: tool.Fail(tool.ConfirmationRequired, "a person must approve it")}
		}
		if strings.Contains(string(c.Arguments), "long") {
			all[i].Result = tool.Result{Text: strings.Repeat("é", maxShown)}
		}
	}
	return all
}

func (h *hands) List() []tool.Definition { return nil }

type accounts []tool.ServiceEntry

func (a accounts) Entries(context.Context, string) ([]tool.ServiceEntry, error) { return a, nil }

// asking returns a call whose model answers with messages.
func asking(t *testing.T, h *hands, messages ...string) (tool.Call, *model) {
	t.Helper()
	m := &model{messages: messages, tokens: 10}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return tool.Call{
		Tenant: "default", User: "ann", Clock: tooltest.Clock{T: monday}, HTTP: server.Client(), Catalogue: h, Tools: h,
		Secrets: accounts{{Active: true, Data: map[string]string{"base_url": server.URL, "text_model": "house"}}},
	}, m
}

// TestRunPrompt: the model calls tools until it answers, reads their outcomes, and gets
// neither tools that make tasks nor those of another person.
func TestRunPrompt(t *testing.T) {
	h := &hands{}
	call, m := asking(
		t, h,
		wants("add_note", `{"title":"a"}`, useTool, `{"tool_name":"add_note","arguments":{"title":"b"}}`, "add_note", `{"title":"forbidden"}`),
		wants("trigger_task", `{"taskId":"x"}`, useTool, `{"tool_name":"run_prompt","arguments":{"prompt":"x"}}`, batchTool, `{}`, "add_note",
			`[]`, useTool, `{}`, "add_note", `{"title":"long"}`),
		says,
	)
	got := play[promptResult](t, call, runPrompt, `{"prompt":"Do it"}`)
	want := promptResult{Answer: "Done.", Model: "house", Turns: 3, Tokens: 30, Calls: []promptCall{
		{Tool: "add_note", Status: success},
		{Tool: "add_note", Status: success},
		{Tool: "add_note", Status: failed, Error: tool.ConfirmationRequired},
		{Tool: "add_note", Status: success},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		`add_note {"title":"a"}`, `add_note {"title":"b"}`, `add_note {"title":"forbidden"}`, `add_note {"title":"long"}`,
	}, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	messages := m.asked[2]["messages"].([]any)
	if len(messages) != 2+1+3+1+6 || !strings.Contains(messages[0].(map[string]any)["content"].(string), "2026-11-23T08:00:00Z") {
		t.Fatalf("%d messages, the first %v", len(messages), messages[0])
	}
	for i, part := range map[int]string{
		3: `{"status":"success","result":{"n":1},"notes":["a note"]}`, 5: "confirmation_required", 7: "cannot call trigger_task",
		8: "cannot call run_prompt", 9: "several tools in one message", 10: "not a JSON object", 11: "needs tool_name", 12: "the result was cut",
	} {
		if text := messages[i].(map[string]any)["content"].(string); !strings.Contains(text, part) || len(text) > maxShown+1000 {
			t.Errorf("message %d is %.300s, want %q", i, text, part)
		}
	}
	for _, offered := range m.asked[0]["tools"].([]any) {
		switch name := offered.(map[string]any)["function"].(map[string]any)["name"]; name {
		case batchTool, runPrompt, "create_scheduled_task", "trigger_task":
			t.Errorf("%s is offered", name)
		}
	}
}

// TestRunPromptOffers: of many tools the model gets those that find and call others.
func TestRunPromptOffers(t *testing.T) {
	call, m := asking(t, &hands{more: 100}, says)
	play[promptResult](t, call, runPrompt, `{"prompt":"Do it"}`)
	var names []string
	for _, offered := range m.asked[0]["tools"].([]any) {
		names = append(names, offered.(map[string]any)["function"].(map[string]any)["name"].(string))
	}
	if diff := cmp.Diff([]string{"search_tools", "get_tool_help", useTool}, names); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
}

// TestRunPromptBounds: a model that goes on and on is ended, and so is a model that cannot be
// reached.
func TestRunPromptBounds(t *testing.T) {
	endless := wants("add_note", `{"title":"a"}`)
	ends := func(name string, messages []string, tokens, turns, calls int, kind tool.Kind, says string) {
		t.Helper()
		h := &hands{}
		call, m := asking(t, h, messages...)
		m.tokens = tokens
		tooltest.Run(t, Set, runPrompt, call, []tooltest.Case{{Name: name, Args: `{"prompt":"Do it"}`, Fails: kind, Message: says}})
		if len(m.asked) != turns || len(h.calls) != calls {
			t.Errorf("%s: %d requests and %d calls, want %d and %d", name, len(m.asked), len(h.calls), turns, calls)
		}
	}
	ends("turns", []string{endless}, 1, maxTurns, maxTurns, tool.ExecutionError, "(16 calls of tools had succeeded before)")
	ends("tokens", []string{endless}, maxTokens/2, 2, 2, tool.ExecutionError, "split the prompt")
	many := make([]string, 0, 80)
	for range 40 {
		many = append(many, "add_note", `{"title":"a"}`)
	}
	ends("calls", []string{wants(many...)}, 1, maxTurns, maxTurnCalls, tool.ExecutionError, "(50 calls")
	ends("no answer", nil, 1, 1, 0, tool.NetworkError, "status 500")
	call, _ := asking(t, &hands{}, says)
	call.Secrets = accounts{}
	tooltest.Run(t, Set, runPrompt, call, []tooltest.Case{
		{Name: "no model", Args: `{"prompt":"Do it"}`, Fails: tool.NotConfigured, Message: "openai"},
		{Name: "blank", Args: `{"prompt":" "}`, Fails: tool.ValidationError, Message: "blank"},
		{Name: "missing", Args: `{}`, Fails: tool.ValidationError, Message: "prompt"},
	})
}
