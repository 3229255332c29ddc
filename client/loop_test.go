package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// scripted is a model that returns its lines in order; after that it repeats its last
// line.
type scripted struct {
	lines []func(conversation []json.RawMessage, text func(string)) (Turn, error)
	asked [][]json.RawMessage
	tools string
}

func (*scripted) Format() string { return "openai" }

func (*scripted) User(text string) json.RawMessage {
	return fmt.Appendf(nil, `{"role":"user","content":%q}`, text)
}

func (m *scripted) Ask(ctx context.Context, conversation []json.RawMessage, tools json.RawMessage, text func(string)) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, context.Cause(ctx)
	}
	line := m.lines[min(len(m.asked), len(m.lines)-1)]
	m.asked, m.tools = append(m.asked, conversation), string(tools)
	return line(conversation, text)
}

// calls is a line with n calls, says one with none.
func calls(n int) func([]json.RawMessage, func(string)) (Turn, error) {
	return func(_ []json.RawMessage, _ func(string)) (Turn, error) {
		message := json.RawMessage(fmt.Sprintf(`{"role":"assistant","tool_calls":[%s]}`,
			strings.TrimSuffix(strings.Repeat(`{"id":"a"},`, n), ",")))
		return Turn{Message: message, Append: []json.RawMessage{message}, Calls: n, Tokens: 10}, nil
	}
}

func says(text string) func([]json.RawMessage, func(string)) (Turn, error) {
	return func(_ []json.RawMessage, piece func(string)) (Turn, error) {
		for _, word := range strings.SplitAfter(text, " ") {
			piece(word)
		}
		return Turn{Append: []json.RawMessage{fmt.Appendf(nil, `{"role":"assistant","content":%q}`, text)}, Text: text, Tokens: 5}, nil
	}
}

func fails(err *ModelError, first string) func([]json.RawMessage, func(string)) (Turn, error) {
	return func(_ []json.RawMessage, piece func(string)) (Turn, error) {
		piece(first)
		return Turn{}, err
	}
}

// tooling is a server on which a message's calls are done, unless they are to wait for
// a person first.
type tooling struct {
	mu       sync.Mutex
	waits    bool
	prefixes []string
	consents []string
}

func (s *tooling) answer(a asked) reply {
	if a.op == "tools.list" {
		return reply{body: `{"tools":[{"type":"function"}]}`}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prefixes = append(s.prefixes, fmt.Sprint(a.body["call_id_prefix"]))
	s.consents = append(s.consents, fmt.Sprint(a.body["consent"]))
	n := len(a.body["message"].(map[string]any)["tool_calls"].([]any))
	results, messages := make([]string, n), make([]string, n)
	for i := range n {
		results[i] = `{"call_id":"c","status":"success","result":1}`
		messages[i] = fmt.Sprintf(`{"role":"tool","tool_call_id":"a","content":"%d"}`, i)
	}
	if s.waits {
		results[0] = `{"call_id":"c","status":"pending","state":"awaiting_consent","consent_id":"k"}`
		return reply{body: `{"results":[` + strings.Join(results, ",") + `]}`}
	}
	return reply{body: `{"results":[` + strings.Join(results, ",") + `],"messages":[` + strings.Join(messages, ",") + `]}`}
}

func loopOn(t *testing.T, s *tooling, m *scripted) *Loop {
	t.Helper()
	return &Loop{Client: connect(t, farHTTP(t, s.answer)), Model: m, Context: Context{User: "ann", Agent: "a1"}}
}

func TestLoop(t *testing.T) {
	server, model := &tooling{}, &scripted{}
	for i := range 12 {
		model.lines = append(model.lines, calls(1+i%3))
	}
	model.lines = append(model.lines, says("It is done."))
	l := loopOn(t, server, model)
	var heard strings.Builder
	results, saved := 0, 0
	l.Text = func(piece string) { heard.WriteString(piece) }
	l.Results = func(r []Result) { results += len(r) }
	l.Save = func(State) error { saved++; return nil }
	got, err := l.Ask(t.Context(), State{}, "Do it.")
	if err != nil || got.Text != "It is done." || heard.String() != got.Text {
		t.Fatalf("Ask = %+v, %v, heard %q", got, err, heard.String())
	}
	// The person, twelve messages of the model with 24 calls, and its last.
	if n := len(got.State.Conversation); n != 1+12+24+1 || results != 24 || got.State.Tokens != 125 || saved != 25 {
		t.Errorf("%d items, %d results, %d tokens, saved %d times, want 38, 24, 125 and 25", n, results, got.State.Tokens, saved)
	}
	seen := map[string]bool{}
	for _, p := range server.prefixes {
		seen[p] = true
	}
	if len(seen) != 12 || model.tools != `[{"type":"function"}]` {
		t.Errorf("prefixes %q, tools %s, want a prefix for each round and the tools as they came", server.prefixes, model.tools)
	}
	again, err := l.Ask(t.Context(), got.State, "And now?")
	if err != nil || again.Text != "It is done." || len(again.State.Conversation) != 40 || again.State.Tokens != 5 {
		t.Errorf("asked again: %+v, %v", again, err)
	}
}

func TestLoopLimits(t *testing.T) {
	for name, bound := range map[string]func(*Loop){
		"asked 20 times": func(*Loop) {},
		"asked 3 times":  func(l *Loop) { l.Rounds = 3 },
		"40 of 35":       func(l *Loop) { l.Tokens = 35 },
	} {
		l := loopOn(t, &tooling{}, &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1)}})
		bound(l)
		got, err := l.Ask(t.Context(), State{}, "x")
		if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), name) || got.State.Message != nil {
			t.Errorf("Ask = %v with %s unanswered, want ErrLimit with %q and every call answered", err, got.State.Message, name)
		}
	}
	slow := &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1)}}
	l := loopOn(t, &tooling{}, slow)
	l.Time, l.Rounds = time.Millisecond, 1<<30
	if _, err := l.Ask(t.Context(), State{}, "x"); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "longer than 1ms") {
		t.Errorf("Ask = %v, want ErrLimit for the time", err)
	}
}

// TestLoopResumes: calls that wait for a person are returned, and a loop continues from
// the saved state, with the same call IDs.
func TestLoopResumes(t *testing.T) {
	server, model := &tooling{waits: true}, &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(2), says("Done.")}}
	l := loopOn(t, server, model)
	var saved []byte
	l.Save = func(s State) (err error) { saved, err = json.Marshal(s); return err }
	got, err := l.Ask(t.Context(), State{}, "x")
	if err != nil || len(got.Pending) != 2 || got.Pending[0].ConsentID != "k" {
		t.Fatalf("Ask = %+v, %v, want two calls handed back", got, err)
	}
	if _, err := l.Ask(t.Context(), got.State, "y"); err == nil || !strings.Contains(err.Error(), "Resume") {
		t.Errorf("Ask while calls wait = %v, want an error that names Resume", err)
	}
	var s State
	if err := json.Unmarshal(saved, &s); err != nil {
		t.Fatal(err)
	}
	server.waits = false
	got, err = loopOn(t, server, model).Resume(t.Context(), s)
	if err != nil || got.Text != "Done." || len(got.State.Conversation) != 5 {
		t.Errorf("Resume = %+v, %v", got, err)
	}
	if len(server.prefixes) != 2 || server.prefixes[0] != server.prefixes[1] {
		t.Errorf("the calls were sent with the prefixes %q, want one twice", server.prefixes)
	}
}

// TestLoopWaits: a loop that waits for a person immediately reports the waiting calls.
func TestLoopWaits(t *testing.T) {
	server, told := &tooling{waits: true}, []string{}
	l := loopOn(t, server, &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1), says("Done.")}})
	l.Consent = ConsentWait
	l.Results = func(r []Result) {
		told = append(told, r[0].ConsentID)
		server.mu.Lock()
		defer server.mu.Unlock()
		server.waits = len(server.prefixes) < 2 // the person says yes
	}
	got, err := l.Ask(t.Context(), State{}, "x")
	if err != nil || got.Text != "Done." || strings.Join(told, ",") != "k,k," {
		t.Errorf("Ask = %+v, %v, told of %q, want it told twice of k and once that it is done", got, err, told)
	}
	if strings.Join(server.consents, ",") != "return,wait,wait" {
		t.Errorf("the calls were sent with consent %q, want return first and then wait", server.consents)
	}
}

func TestLoopSavesFirst(t *testing.T) {
	server := &tooling{}
	l := loopOn(t, server, &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1)}})
	full := errors.New("disk full")
	l.Save = func(State) error { return full }
	if _, err := l.Ask(t.Context(), State{}, "x"); !errors.Is(err, full) || len(server.prefixes) > 0 {
		t.Errorf("Ask = %v after %d requests, want the error of Save and no call made", err, len(server.prefixes))
	}
}

func TestLoopAsksAgain(t *testing.T) {
	busy := &ModelError{Status: 529, Temporary: true, RetryAfter: time.Millisecond, Msg: "overloaded"}
	for name, tt := range map[string]struct {
		first func([]json.RawMessage, func(string)) (Turn, error)
		asked int
	}{
		"busy":                {fails(busy, ""), 2},
		"busy amid an answer": {fails(busy, "It"), 1},
		"for good":            {fails(&ModelError{Status: 401, Msg: "no key"}, ""), 1},
		"declined":            {func([]json.RawMessage, func(string)) (Turn, error) { return Turn{Refused: true, Text: "No."}, nil }, 1},
	} {
		model := &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){tt.first, says("Fine.")}}
		got, err := loopOn(t, &tooling{}, model).Ask(t.Context(), State{}, "x")
		if len(model.asked) != tt.asked || (tt.asked == 2) != (got.Text == "Fine.") || got.Refused != (name == "declined") {
			t.Errorf("%s: %+v, %v after %d times, want the model asked %d times", name, got, err, len(model.asked), tt.asked)
		}
	}
}
