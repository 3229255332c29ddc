package calls

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// conversation is the message of one provider's model with three calls: of debug.echo, of
// an unknown tool, and of debug.fail; and the messages that answer it.
type conversation struct{ format, message, want string }

const (
	echoed  = `{\"status\":\"success\",\"result\":{\"n\":12345678901234567890}}`
	unknown = `{\"status\":\"error\",\"error_type\":\"tool_not_found\",\"message\":\"Tool 'nope' not found\"}`
	failed  = `{\"status\":\"error\",\"error_type\":\"execution_error\",\"message\":\"no luck\"}`
)

var conversations = []conversation{
	{
		"openai",
		`{"role": "assistant", "content": null, "tool_calls": [
			{"id": "a b", "type": "function", "function": {"name": "debug_echo", "arguments": "{\"value\": {\"n\": 12345678901234567890}}"}},
			{"id": "b", "type": "function", "function": {"name": "nope", "arguments": ""}},
			{"id": "c", "type": "function", "function": {"name": "debug_fail", "arguments": "{\"how\": \"error\", \"message\": \"no luck\"}"}}]}`,
		`[{"role":"tool","tool_call_id":"a b","content":"` + echoed + `"},{"role":"tool","tool_call_id":"b","content":"` + unknown +
			`"},{"role":"tool","tool_call_id":"c","content":"` + failed + `"}]`,
	}, {
		"openai_responses",
		`{"id": "resp_1", "object": "response", "status": "completed", "output": [
			{"type": "reasoning", "id": "rs_1", "summary": []},
			{"type": "function_call", "id": "fc_1", "call_id": "a b", "name": "debug_echo", "arguments": "{\"value\": {\"n\": 12345678901234567890}}"},
			{"type": "function_call", "id": "fc_2", "call_id": "b", "name": "nope", "arguments": "{}"},
			{"type": "function_call", "id": "fc_3", "call_id": "c", "name": "debug_fail", "arguments": "{\"how\": \"error\", \"message\": \"no luck\"}"}]}`,
		`[{"type":"function_call_output","call_id":"a b","output":"` + echoed + `"},{"type":"function_call_output","call_id":"b","output":"` +
			unknown + `"},{"type":"function_call_output","call_id":"c","output":"` + failed + `"}]`,
	}, {
		"anthropic",
		`{"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
			{"type": "text", "text": "Let me see."},
			{"type": "tool_use", "id": "a b", "name": "debug_echo", "input": {"value": {"n": 12345678901234567890}}},
			{"type": "tool_use", "id": "b", "name": "nope", "input": {}},
			{"type": "tool_use", "id": "c", "name": "debug_fail", "input": {"how": "error", "message": "no luck"}}]}`,
		`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a b","content":"` + echoed +
			`"},{"type":"tool_result","tool_use_id":"b","content":"` +
			unknown + `","is_error":true},{"type":"tool_result","tool_use_id":"c","content":"` + failed + `","is_error":true}]}]`,
	}, {
		"gemini",
		`{"role": "model", "parts": [
			{"functionCall": {"id": "a b", "name": "debug_echo", "args": {"value": {"n": 12345678901234567890}}}},
			{"functionCall": {"name": "nope"}},
			{"functionCall": {"name": "debug_fail", "args": {"how": "error", "message": "no luck"}}}]}`,
		`[{"role":"user","parts":[{"functionResponse":{"id":"a b","name":"debug_echo","response":` + plain(echoed) +
			`}},{"functionResponse":{"name":"nope","response":` +
			plain(unknown) + `}},{"functionResponse":{"name":"debug_fail","response":` + plain(failed) + `}}]}]`,
	},
}

// plain returns a JSON content outside a string.
func plain(content string) string { return strings.ReplaceAll(content, `\"`, `"`) }

// sameJSON compares values; numbers by their digits.
func sameJSON(t testing.TB, got, want string) bool {
	t.Helper()
	read := func(text string) string {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	return read(got) == read(want)
}

type messaged struct {
	system.Answer
	Messages json.RawMessage `json:"messages"`
}

// TestModelsOwnMessage: the calls in a model's message run like other calls, and the answer
// holds the messages to append, in the format of the provider.
func TestModelsOwnMessage(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for _, c := range conversations {
			r := d.Ask(t, system.NewTenant(), "execute", nil, fmt.Sprintf(`{"format": %q, "message": %s}`, c.format, c.message))
			got := system.Decode[messaged](t, r)
			if len(got.Results) != 3 || got.Results[0].Tool != "debug.echo" || got.Results[0].ToolCallID != "a b" {
				t.Fatalf("%s: %d %s, want three results, the first of debug.echo for 'a b'", c.format, r.Status, r.Body)
			}
			if !sameJSON(t, string(got.Messages), c.want) {
				t.Errorf("%s: messages = %s, want %s", c.format, got.Messages, c.want)
			}
		}
	})
}

func TestMessageWithoutCalls(t *testing.T) {
	t.Parallel()
	for format, message := range map[string]string{
		"openai":           `{"role": "assistant", "content": "Done."}`,
		"openai_responses": `{"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}]}`,
		"anthropic":        `{"role": "assistant", "content": [{"type": "text", "text": "Done."}]}`,
		"gemini":           `{"role": "model", "parts": [{"text": "Done."}]}`,
	} {
		r := shared.HTTP(0).Ask(t, system.NewTenant(), "execute", nil, fmt.Sprintf(`{"format": %q, "message": %s}`, format, message))
		got := system.Decode[messaged](t, r)
		if r.Status != 200 || string(got.Messages) != "[]" || got.Results == nil || len(got.TraceID) != 32 {
			t.Errorf("%s: %d %s, want no results and messages []", format, r.Status, r.Body)
		}
	}
}

// TestMessageThatWaits: while a call of the message awaits a person there is nothing to
// append yet.
func TestMessageThatWaits(t *testing.T) {
	t.Parallel()
	const message = `{"content": [{"type": "tool_use", "id": "a", "name": "debug_guarded", "input": {"key": "k"}}, {"type": "tool_use", "id": "b", "name": "debug_echo", "input": {"value": 1}}]}`
	r := shared.HTTP(0).Ask(t, system.NewTenant(), "execute", nil,
		`{"context": {"user": "u1"}, "format": "anthropic", "message": `+message+`}`)
	got := system.Decode[messaged](t, r)
	if len(got.Results) != 2 || got.Results[0].State != "awaiting_consent" || got.Results[1].Status != "success" ||
		strings.Contains(string(r.Body), `"messages"`) {
		t.Errorf("%d %s, want a pending call, a done one and no messages", r.Status, r.Body)
	}
}

func TestBadMessage(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for what, body := range map[string]string{
			"message and calls":        `{"format": "openai", "message": {}, "calls": [{"tool": "debug.echo"}]}`,
			"format and calls":         `{"format": "openai", "calls": [{"tool": "debug.echo"}]}`,
			"no message":               `{"format": "openai"}`,
			"no format":                `{"message": {"role": "assistant"}}`,
			"an unknown format":        `{"format": "cohere", "message": {}}`,
			"a format of definitions":  `{"format": "mcp", "message": {}}`,
			"a format of a wrong type": `{"format": 1, "message": {}}`,
			"a message that is text":   `{"format": "gemini", "message": "hello"}`,
			"a list of messages":       `{"format": "anthropic", "message": []}`,
		} {
			system.WantProblem(t, what, d.Ask(t, system.NewTenant(), "execute", nil, body), 400, "bad_request")
		}
	})
}

// TestToolsForProviders: definitions have the format of each provider's request, under
// names that it allows and that map back.
func TestToolsForProviders(t *testing.T) {
	t.Parallel()
	name := map[string]func(map[string]any) any{
		"openai":           func(d map[string]any) any { return d["function"].(map[string]any)["name"] },
		"openai_responses": func(d map[string]any) any { return d["name"] },
		"anthropic":        func(d map[string]any) any { return d["name"] },
		"gemini":           func(d map[string]any) any { return d["name"] },
		"mcp":              func(d map[string]any) any { return d["name"] },
	}
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for format, nameOf := range name {
			r := d.Ask(t, system.NewTenant(), "tools.list", map[string]string{"format": format, "group": "diagnostics"}, "")
			var got map[string][]map[string]any
			if err := json.Unmarshal(r.Body, &got); err != nil || len(got) != 1 {
				t.Fatalf("%s: %d %s, %v, want tools alone", format, r.Status, r.Body, err)
			}
			tools := got["tools"]
			if format == "gemini" {
				tools = nil
				for _, def := range got["tools"][0]["functionDeclarations"].([]any) {
					tools = append(tools, def.(map[string]any))
				}
			}
			want := any("debug_echo")
			if format == "mcp" {
				want = "debug.echo"
			}
			if !slices.ContainsFunc(tools, func(def map[string]any) bool { return nameOf(def) == want }) {
				t.Errorf("%s: %s, want %s among them", format, r.Body, want)
			}
			if strings.Contains(string(r.Body), `"tags"`) {
				t.Errorf("%s: tags are for nobody but the search: %s", format, r.Body)
			}
		}
		system.WantProblem(t, "an unknown format", d.Ask(t, system.NewTenant(), "tools.list", map[string]string{"format": "cohere"}, ""), 400,
			"bad_request")
	})
}

// TestLargeResultForAModel: a result that does not fit the answer is referenced for the
// model, and the answer still fits its transport.
func TestLargeResultForAModel(t *testing.T) {
	t.Parallel()
	const message = `{"content": [{"type": "tool_use", "id": "a", "name": "debug_blob", "input": {"bytes": 6000000}}]}`
	got := system.Decode[messaged](t,
		shared.NATS().Ask(t, system.NewTenant(), "execute", nil, `{"format": "anthropic", "message": `+message+`}`))
	if len(got.Results) != 1 || got.Results[0].ResultRef == nil || !strings.Contains(string(got.Messages), "result_ref") {
		t.Errorf("results %v, messages %.300s, want the result named in both", got.Results, got.Messages)
	}
}

// TestMessageSentAgain: with a prefix for its calls' ids a message can be sent again, to
// any dispatcher: nothing runs twice, and pending calls are answered when they are done.
func TestMessageSentAgain(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	const body = `{"context": {"user": "u1"}, "call_id_prefix": "round-1", "format": "openai", "message": {"role": "assistant", "tool_calls": [
		{"id": "a", "type": "function", "function": {"name": "debug_effect", "arguments": "{\"key\": \"k\"}"}},
		{"id": "b", "type": "function", "function": {"name": "debug_guarded", "arguments": "{\"key\": \"g\"}"}}]}}`
	first := system.Decode[messaged](t, shared.HTTP(0).Ask(t, tenant, "execute", nil, body))
	if len(first.Results) != 2 || first.Results[0].CallID != "round-1-0" || first.Results[1].State != "awaiting_consent" ||
		first.Messages != nil {
		t.Fatalf("%v, messages %s, want round-1-0 done and round-1-1 awaiting a person", first.Results, first.Messages)
	}
	system.Grant(t, shared.HTTP(0), tenant, first.Results[1].ConsentID)
	system.WantResult(t, system.Settled(t, shared.HTTP(0), tenant, "round-1-1"), `{"written":true}`)
	again := system.Decode[messaged](t, shared.HTTP(1).Ask(t, tenant, "execute", nil, body))
	if len(again.Results) != 2 || !strings.Contains(string(again.Messages), `"tool_call_id":"b"`) {
		t.Errorf("sent again: %v, messages %s, want both results", again.Results, again.Messages)
	}
	if got := system.UserLedger(t, shared, tenant, "u1"); len(got) != 2 {
		t.Errorf("the ledger has %q, want each effect once", got)
	}
}

// TestSameIDOfTwoProviders: the id in a provider's message is local to that model; the same
// id of another model, at the same time and in the same conversation, is another call. Only
// a call_id_prefix makes calls the same, and then they must be equal.
func TestSameIDOfTwoProviders(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	const (
		openai    = `"format": "openai", "message": {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "debug_effect", "arguments": "{\"key\": \"o\"}"}}]}`
		anthropic = `"format": "anthropic", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "debug_effect", "input": {"key": "a"}}]}`
		who       = `{"context": {"user": "u1", "conversation": "c"}, `
	)
	var both sync.WaitGroup
	for i, message := range []string{openai, anthropic} {
		both.Go(func() {
			got := system.Decode[messaged](t, shared.HTTP(i).Ask(t, tenant, "execute", nil, who+message+"}"))
			if len(got.Results) != 1 || got.Results[0].Status != "success" || got.Results[0].ToolCallID != "call_1" {
				t.Errorf("answered %v", got.Results)
			}
		})
	}
	system.Await(t, "both messages are answered", both.Wait)
	if got := system.UserLedger(t, shared, tenant, "u1"); len(got) != 2 {
		t.Errorf("the ledger has %q, want both effects", got)
	}
	d.Ask(t, tenant, "execute", nil, who+`"call_id_prefix": "p", `+openai+"}")
	other := system.Decode[messaged](t, d.Ask(t, tenant, "execute", nil, who+`"call_id_prefix": "p", `+anthropic+"}"))
	if len(other.Results) != 1 {
		t.Fatalf("answered %v", other.Results)
	}
	system.WantError(t, other.Results[0], "validation_error", "other arguments")
	if !strings.Contains(string(other.Messages), `"is_error":true`) {
		t.Errorf("the model is told %s", other.Messages)
	}
}
