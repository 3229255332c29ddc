package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ends returns the outcomes that a call can have, with all that encoders tend to change.
func ends() ([]Call, []Outcome) {
	text := "line 1\n<b> & \"x\" \u2028 😀"
	return []Call{
			{ID: "a b", Name: "files_read_text"}, {ID: "é😀", Name: "get"}, {ID: "c", Name: "nope"}, {ID: "d", Name: "wait"},
		}, []Outcome{
			{
				Status: "success",
				Result: json.RawMessage(`{"n":12345678901234567890.10,"html":"<a href=\"x\">&"}`),
				Notes:  []string{`cut at "x"`, "use offset"},
			},
			{Status: "success", Result: json.RawMessage(`{"content":"…"}`), Text: &text},
			{Status: "error", ErrorType: "tool_not_found", Message: `Tool "nope" not found`},
			{Status: "success"},
		}
}

func TestMessages(t *testing.T) {
	const (
		first  = `{"status":"success","result":{"n":12345678901234567890.10,"html":"<a href=\"x\">&"},"notes":["cut at \"x\"","use offset"]}`
		second = `{"status":"success","result":"line 1\n<b> & \"x\" ` + "\u2028" + ` 😀"}`
		third  = `{"status":"error","error_type":"tool_not_found","message":"Tool \"nope\" not found"}`
		fourth = `{"status":"success","result":null}`
	)
	quoted := func(text string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	for f, want := range map[Format]string{
		OpenAI: `[{"role":"tool","tool_call_id":"a b","content":` + quoted(first) + `},` +
			`{"role":"tool","tool_call_id":"é😀","content":` + quoted(second) + `},` +
			`{"role":"tool","tool_call_id":"c","content":` + quoted(third) + `},` +
			`{"role":"tool","tool_call_id":"d","content":` + quoted(fourth) + `}]`,
		Responses: `[{"type":"function_call_output","call_id":"a b","output":` + quoted(first) + `},` +
			`{"type":"function_call_output","call_id":"é😀","output":` + quoted(second) + `},` +
			`{"type":"function_call_output","call_id":"c","output":` + quoted(third) + `},` +
			`{"type":"function_call_output","call_id":"d","output":` + quoted(fourth) + `}]`,
		Anthropic: `[{"role":"user","content":[` +
			`{"type":"tool_result","tool_use_id":"a b","content":` + quoted(first) + `},` +
			`{"type":"tool_result","tool_use_id":"é😀","content":` + quoted(second) + `},` +
			`{"type":"tool_result","tool_use_id":"c","content":` + quoted(third) + `,"is_error":true},` +
			`{"type":"tool_result","tool_use_id":"d","content":` + quoted(fourth) + `}]}]`,
		Gemini: `[{"role":"user","parts":[` +
			`{"functionResponse":{"id":"a b","name":"files_read_text","response":` + first + `}},` +
			`{"functionResponse":{"id":"é😀","name":"get","response":` + second + `}},` +
			`{"functionResponse":{"id":"c","name":"nope","response":` + third + `}},` +
			`{"functionResponse":{"id":"d","name":"wait","response":` + fourth + `}}]}]`,
	} {
		calls, outcomes := ends()
		got, err := f.Messages(calls, outcomes)
		if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
			t.Errorf("%s (-want +got, %v):\n%s", f, err, diff)
		}
		if !json.Valid(got) {
			t.Errorf("%s: %s is not JSON", f, got)
		}
		got, err = f.Messages(nil, nil)
		if string(got) != "[]" || err != nil {
			t.Errorf("%s: the messages of no calls are %s (%v), want []", f, got, err)
		}
	}
}

func TestMessagesWithoutAnID(t *testing.T) {
	got, err := Gemini.Messages([]Call{{Name: "a.b"}}, []Outcome{{Status: "success", Result: json.RawMessage("1")}})
	want := `[{"role":"user","parts":[{"functionResponse":{"name":"a.b","response":{"status":"success","result":1}}}]}]`
	if string(got) != want || err != nil {
		t.Errorf("Messages = %s (%v), want %s", got, err, want)
	}
}

func TestMessagesRefuses(t *testing.T) {
	call := []Call{{ID: "a", Name: "t"}}
	for _, tt := range []struct {
		name     string
		f        Format
		outcomes []Outcome
		want     string
	}{
		{"a call that is not done", OpenAI, []Outcome{{Status: "pending"}}, `has the status "pending"`},
		{"no status", Gemini, []Outcome{{}}, `has the status ""`},
		{"a call without an outcome", Anthropic, nil, "1 calls and 0 outcomes"},
		{"an outcome too many", Responses, make([]Outcome, 2), "1 calls and 2 outcomes"},
		{"a format without messages", MCP, []Outcome{{Status: "success"}}, "has no messages"},
		{"no format", "", []Outcome{{Status: "success"}}, "there is no format"},
	} {
		if got, err := tt.f.Messages(call, tt.outcomes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Messages = %s (%v), want an error with %q", tt.name, got, err, tt.want)
		}
	}
}

// TestRoundTrip: what was read is answered, call for call, with the id it had.
func TestRoundTrip(t *testing.T) {
	for _, f := range Formats()[:4] {
		calls, err := f.Calls(json.RawMessage(oneCall(f, `" é \ud83d\ude00 "`, `"böse"`, `{}`)))
		if err != nil || len(calls) != 1 {
			t.Fatalf("%s: Calls = %v, %v", f, calls, err)
		}
		got, err := f.Messages(calls, []Outcome{{Status: "error", ErrorType: "validation_error", Message: "x"}})
		if !strings.Contains(string(got), `" é 😀 "`) || err != nil {
			t.Errorf("%s: Messages = %s (%v), want the id as it was", f, got, err)
		}
	}
}

// TestCustomCalls: a call of a custom tool is answered in the form of its kind, since OpenAI
// refuses a conversation with a call that has no answer.
func TestCustomCalls(t *testing.T) {
	for f, tt := range map[Format][2]string{
		OpenAI: {`{"tool_calls":[{"id":"c","type":"custom","custom":{"name":"grep","input":"x"}}]}`, `{"role":"tool","tool_call_id":"c",`},
		Responses: {
			`{"output":[{"type":"custom_tool_call","call_id":"c","name":"grep","input":"x"}]}`, `{"type":"custom_tool_call_output","call_id":"c",`,
		},
	} {
		calls, err := f.Calls(json.RawMessage(tt[0]))
		if err != nil || len(calls) != 1 || calls[0].Problem == nil {
			t.Fatalf("%s: %+v, %v", f, calls, err)
		}
		got, err := f.Messages(calls, []Outcome{{Status: "error", ErrorType: "validation_error", Message: calls[0].Problem.Msg}})
		if err != nil || !strings.Contains(string(got), tt[1]) {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
}
