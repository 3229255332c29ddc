package chat

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/provider"
)

// answerCase is an answer as a provider streams it, and its expected outcome. Message,
// Append and Text of turn are separate.
type answerCase struct {
	provider, file string
	turn           client.Turn
	pieces         []string
	// message is that of the turn, "" for the same as the one item of Append; appended
	// is Append as a list.
	message, appended string
	calls             []string // as internal/provider reads them: id, name, arguments
}

func TestAnswers(t *testing.T) {
	for _, tt := range answers {
		t.Run(tt.provider+"/"+tt.file, func(t *testing.T) {
			kind := "text/event-stream; charset=utf-8"
			if filepath.Ext(tt.file) == ".json" {
				kind = "application/json; charset=utf-8"
			}
			turn, pieces, err := asked(t, tt.provider, serve(t, 200, kind, stream(t, tt.provider, tt.file)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.pieces, pieces); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
			if text := strings.Join(tt.pieces, ""); turn.Text != text {
				t.Errorf("Text = %q, want the pieces joined, %q", turn.Text, text)
			}
			sameJSON(t, "Append", joined(turn.Append), tt.appended)
			if tt.message != "" {
				sameJSON(t, "Message", turn.Message, tt.message)
			} else {
				sameJSON(t, "Append", joined(turn.Append), "["+string(turn.Message)+"]")
			}
			calls, err := provider.Format(tt.provider).Calls(turn.Message)
			if err != nil {
				t.Errorf("the message is none of the format: %v", err)
			}
			if diff := cmp.Diff(tt.calls, spelled(calls)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			turn.Message, turn.Append, turn.Text = nil, nil, ""
			if diff := cmp.Diff(tt.turn, turn); diff != "" {
				t.Errorf("turn (-want +got):\n%s", diff)
			}
		})
	}
}

func spelled(calls []provider.Call) []string {
	var all []string
	for _, c := range calls {
		text := c.ID + " " + c.Name + " " + string(c.Arguments)
		if c.Problem != nil {
			text += "! " + c.Problem.Msg
		}
		all = append(all, text)
	}
	return all
}

var greeting = []string{"Grüße", " aus Αθήνα", " 👋"}

var answers = []answerCase{
	{
		provider: "openai", file: "text.sse", pieces: greeting, turn: client.Turn{Tokens: 30},
		appended: `[{"role":"assistant","content":"Grüße aus Αθήνα 👋"}]`,
	},
	{
		provider: "openai", file: "calls.sse", turn: client.Turn{Calls: 2, Tokens: 351},
		appended: `[{"role":"assistant","content":null,"tool_calls":[
			{"id":"call_a1Zk","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a b.txt\",\"at\":12345678901234567890.10}"}},
			{"id":"call_b2Yj","type":"function","function":{"name":"get_current_time","arguments":"{}"}}]}]`,
		calls: []string{`call_a1Zk read_file {"path":"a b.txt","at":12345678901234567890.10}`, `call_b2Yj get_current_time {}`},
	},
	{
		provider: "openai", file: "refusal.sse", pieces: []string{"I cannot", " help with that."}, turn: client.Turn{Refused: true, Tokens: 18},
		appended: `[{"role":"assistant","content":null,"refusal":"I cannot help with that."}]`,
	},
	{
		provider: "openai", file: "filter.sse", pieces: []string{"First,", "\n\nThe provider's content filter stopped the answer."},
		turn:     client.Turn{Refused: true, Tokens: 10},
		appended: `[{"role":"assistant","content":"First,"}]`,
	},
	{
		provider: "openai", file: "length.sse", pieces: []string{"Once upon"}, turn: client.Turn{CutOff: true, Tokens: 10},
		appended: `[{"role":"assistant","content":"Once upon"}]`,
	},
	{ // no index, no ids, whole calls in one chunk, arguments as objects, no usage, no mark
		provider: "openai", file: "compatible.sse", turn: client.Turn{Calls: 3},
		appended: `[{"role":"assistant","content":null,"tool_calls":[
			{"id":"call_1_0","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\",\"n\":1.0}"}},
			{"id":"call_1_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b.txt\"}"}},
			{"id":"call_1_2","type":"function","function":{"name":"list_dir","arguments":"{}"}}]}]`,
		calls: []string{`call_1_0 read_file {"path":"a.txt","n":1.0}`, `call_1_1 read_file {"path":"b.txt"}`, `call_1_2 list_dir {}`},
	},
	{ // every index 0, the name repeated, a member of the server's own
		provider: "openai", file: "zero.sse", turn: client.Turn{Calls: 2},
		appended: `[{"role":"assistant","content":null,"tool_calls":[
			{"id":"x1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},
			{"id":"x2","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}]}]`,
		calls: []string{`x1 read_file {"path":"a"}`, `x2 read_file {"path":"b"}`},
	},
	{ // not streamed, and the same id twice
		provider: "openai", file: "whole.json", pieces: []string{"One moment."}, turn: client.Turn{Calls: 2, Tokens: 12},
		appended: `[{"role":"assistant","content":"One moment.","tool_calls":[
			{"id":"same","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},
			{"id":"same","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}]}]`,
		calls: []string{`same read_file {"path":"a"}`, `same read_file {"path":"b"}`},
	},

	{
		provider: "anthropic", file: "text.sse", pieces: greeting, turn: client.Turn{Tokens: 1140},
		message:  `{"role":"assistant","content":[{"type":"text","text":"Grüße aus Αθήνα 👋"}],"stop_reason":"end_turn"}`,
		appended: `[{"role":"assistant","content":[{"type":"text","text":"Grüße aus Αθήνα 👋"}]}]`,
	},
	{
		provider: "anthropic", file: "calls.sse", pieces: []string{"I'll ", "look."}, turn: client.Turn{Calls: 2, Tokens: 1661},
		message:  `{"role":"assistant","content":` + anthropicCalls + `,"stop_reason":"tool_use"}`,
		appended: `[{"role":"assistant","content":` + anthropicCalls + `}]`,
		calls:    []string{`toolu_01T1x1 read_file {"path":"a b.txt","at":12345678901234567890.10}`, `toolu_02Q7 get_current_time {}`},
	},
	{ // the block without visible text is not taken back
		provider: "anthropic", file: "cited.sse", pieces: []string{"The grass is green", "\n"}, turn: client.Turn{Tokens: 1140},
		message:  `{"role":"assistant","content":[` + anthropicCited + `,{"type":"text","text":"\n"}],"stop_reason":"end_turn"}`,
		appended: `[{"role":"assistant","content":[` + anthropicCited + `]}]`,
	},
	{
		provider: "anthropic", file: "refusal.sse", pieces: []string{"I cannot", "\n\nThe request was declined under the usage policy."},
		turn:     client.Turn{Refused: true, Tokens: 1129},
		message:  `{"role":"assistant","content":[{"type":"text","text":"I cannot"}],"stop_reason":"refusal"}`,
		appended: `[{"role":"assistant","content":[{"type":"text","text":"I cannot"}]}]`,
	},
	{ // a call cut off in the middle: its text for the server, an object for the provider
		provider: "anthropic", file: "length.sse", pieces: []string{"Once upon"}, turn: client.Turn{CutOff: true, Calls: 1, Tokens: 9317},
		message: `{"role":"assistant","content":[{"type":"text","text":"Once upon"},
			{"type":"tool_use","id":"toolu_03","name":"write_file","input":"{\"path\":\"a\",\"text\":\"half of"}],"stop_reason":"max_tokens"}`,
		appended: `[{"role":"assistant","content":[{"type":"text","text":"Once upon"},{"type":"tool_use","id":"toolu_03","name":"write_file","input":{}}]}]`,
		calls:    []string{"toolu_03 write_file ! the call was cut off at the limit of tokens; make it again with less in it"},
	},
	{
		provider: "anthropic", file: "whole.json", pieces: []string{"Hello"}, turn: client.Turn{Calls: 1, Tokens: 7},
		message:  `{"role":"assistant","content":[{"type":"text","text":"Hello"},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"n":1.0}}],"stop_reason":"tool_use"}`,
		appended: `[{"role":"assistant","content":[{"type":"text","text":"Hello"},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"n":1.0}}]}]`,
		calls:    []string{`toolu_1 read_file {"n":1.0}`},
	},

	{
		provider: "gemini", file: "text.sse", pieces: greeting, turn: client.Turn{Tokens: 30},
		appended: `[{"role":"model","parts":[{"text":"Grüße aus Αθήνα 👋"}]}]`,
	},
	{
		provider: "gemini", file: "calls.sse", pieces: []string{"I'll ", "look."}, turn: client.Turn{Calls: 2, Tokens: 351},
		appended: `[{"role":"model","parts":[{"text":"Two files, I think.","thought":true},{"text":"I'll look."},{"text":"","thoughtSignature":"AbC="},
			{"functionCall":{"name":"read_file","args":{"path":"a b.txt","at":12345678901234567890.10}},"thoughtSignature":"CpQDAdHtim9sig=="},
			{"functionCall":{"name":"get_current_time","args":{}}}]}]`,
		calls: []string{` read_file {"path":"a b.txt","at":12345678901234567890.10}`, ` get_current_time {}`},
	},
	{
		provider: "gemini", file: "refusal.sse", pieces: []string{"I cannot", "\n\nThe answer was stopped for safety."},
		turn:     client.Turn{Refused: true, Tokens: 14},
		appended: `[{"role":"model","parts":[{"text":"I cannot"}]}]`,
	},
	{ // Gemini takes no content without parts
		provider: "gemini", file: "blocked.sse", pieces: []string{"The provider declined to answer (PROHIBITED_CONTENT)."},
		turn:    client.Turn{Refused: true, Tokens: 8},
		message: `{"role":"model","parts":[]}`, appended: `[]`,
	},
	{
		provider: "gemini", file: "length.sse", pieces: []string{"Once upon"}, turn: client.Turn{CutOff: true, Tokens: 10},
		appended: `[{"role":"model","parts":[{"text":"Once upon"}]}]`,
	},
	{
		provider: "gemini", file: "whole.json", pieces: []string{"Hello", " there"}, turn: client.Turn{Tokens: 12},
		appended: `[{"role":"model","parts":[{"text":"Hello there"}]}]`,
	},
}

const (
	anthropicCalls = `[{"type":"thinking","thinking":"Two files, I think.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h"},
		{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix"},
		{"type":"text","text":"I'll look."},
		{"type":"tool_use","id":"toolu_01T1x1","name":"read_file","input":{"path":"a b.txt","at":12345678901234567890.10}},
		{"type":"tool_use","id":"toolu_02Q7","name":"get_current_time","input":{}},
		{"type":"hologram","shape":{"n":1.50}}]`
	anthropicCited = `{"citations":[{"type":"char_location","cited_text":"The grass is green.","document_index":0,"document_title":"Notes","start_char_index":0,"end_char_index":20}],"type":"text","text":"The grass is green"}`
)

// A Response is its own message, and its items go back as they came.
func TestResponses(t *testing.T) {
	for _, tt := range []struct {
		file   string
		turn   client.Turn
		pieces []string
		items  int
		calls  []string
	}{
		{file: "text.sse", turn: client.Turn{Tokens: 30}, pieces: greeting, items: 1},
		{
			file:  "calls.sse",
			turn:  client.Turn{Calls: 2, Tokens: 351},
			items: 3,
			calls: []string{`call_a1Zk read_file {"path":"a b.txt","at":12345678901234567890.10}`, `call_b2Yj get_current_time {}`},
		},
		{file: "refusal.sse", turn: client.Turn{Refused: true, Tokens: 18}, pieces: []string{"I cannot", " help with that."}, items: 1},
		{file: "length.sse", turn: client.Turn{CutOff: true, Tokens: 10}, pieces: []string{"Once upon"}, items: 1},
		{
			file:   "filter.sse",
			turn:   client.Turn{Refused: true, Tokens: 10},
			pieces: []string{"First,", "\n\nThe provider's content filter stopped the answer."},
			items:  1,
		},
		{file: "whole.json", turn: client.Turn{Tokens: 3}, pieces: []string{"Hello", " there"}, items: 1},
	} {
		t.Run(tt.file, func(t *testing.T) {
			kind, text := "application/json", stream(t, "openai_responses", tt.file)
			want := string(text)
			if filepath.Ext(tt.file) == ".sse" {
				kind = "text/event-stream"
				_, last, _ := strings.Cut(want[strings.LastIndex(want, "data: "):], " ")
				want = string(member(t, []byte(last), "response"))
			}
			turn, pieces, err := asked(t, "openai_responses", serve(t, 200, kind, text))
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, "Message", turn.Message, want)
			sameJSON(t, "Append", joined(turn.Append), string(member(t, turn.Message, "output")))
			if diff := cmp.Diff(tt.pieces, pieces); diff != "" || turn.Text != strings.Join(pieces, "") || len(turn.Append) != tt.items {
				t.Errorf("%d items and Text %q, pieces (-want +got):\n%s", len(turn.Append), turn.Text, diff)
			}
			calls, err := provider.Responses.Calls(turn.Message)
			if diff := cmp.Diff(tt.calls, spelled(calls)); err != nil || diff != "" {
				t.Errorf("error %v, calls (-want +got):\n%s", err, diff)
			}
			turn.Message, turn.Append, turn.Text = nil, nil, ""
			if diff := cmp.Diff(tt.turn, turn); diff != "" {
				t.Errorf("turn (-want +got):\n%s", diff)
			}
		})
	}
}

func member(t *testing.T, object []byte, name string) json.RawMessage {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		t.Fatal(err)
	}
	return all[name]
}
