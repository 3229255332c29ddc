package client

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// programs is a server on which a message's call is a program that waits for a person, until it
// is done.
type programs struct {
	mu       sync.Mutex
	done     bool
	gone     bool
	consents []string
}

const waitingProgram = `{"call_id":"p-0","tool":"run_program","status":"pending","state":"waiting",` +
	`"waiting_for":[{"kind":"answer","call_id":"p-0~1","consent_id":"k"}]}`

func (s *programs) answer(a asked) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case a.op == "tools.list":
		return reply{body: `{"tools":[]}`}
	case a.op == "calls.get" && s.gone:
		return reply{status: 404, body: `{"status":404,"error_type":"not_found","detail":"gone"}`}
	case a.op == "calls.get" && !s.done:
		return reply{body: waitingProgram}
	case a.op == "calls.get":
		return reply{body: `{"call_id":"p-0","tool":"run_program","status":"success","state":"done","result":{"n":42}}`}
	}
	consent, _ := a.body["consent"].(string)
	s.consents = append(s.consents, consent)
	if consent == ConsentTell {
		return reply{body: `{"results":[` + waitingProgram + `],"messages":[{"role":"tool","tool_call_id":"a","content":"pending"}]}`}
	}
	if !s.done {
		return reply{body: `{"results":[` + waitingProgram + `]}`}
	}
	return reply{body: `{"results":[{"call_id":"p-0","status":"success","result":42}],"messages":[{"role":"tool","tool_call_id":"a","content":"42"}]}`}
}

func (s *programs) set(done, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.gone = done, gone
}

// TestLoopReturnsPrograms: a program that waits for a person is returned like a call that does.
func TestLoopReturnsPrograms(t *testing.T) {
	server := &programs{}
	l := loopOn(t, nil, &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1), says("Done.")}})
	l.Client = connect(t, farHTTP(t, server.answer), WithRetry())
	got, err := l.Ask(t.Context(), State{}, "x")
	if err != nil || len(got.Pending) != 1 || !got.Pending[0].AwaitsPerson() || got.State.Message == nil || len(server.consents) != 1 {
		t.Fatalf("Ask = %+v, %v after %d requests, want the program that waits after one", got, err, len(server.consents))
	}
	server.set(true, false)
	if got, err = l.Resume(t.Context(), got.State); err != nil || got.Text != "Done." || got.Pending != nil {
		t.Errorf("Resume = %+v, %v", got, err)
	}
}

// TestLoopTells: a model that is told that a call is pending goes on, and is told the outcome when
// there is one: by Resume, or before the person's next text. Without news it is not asked.
func TestLoopTells(t *testing.T) {
	for name, resume := range map[string]func(*Loop, State) (Answer, error){
		"resume": func(l *Loop, s State) (Answer, error) { return l.Resume(t.Context(), s) },
		"ask":    func(l *Loop, s State) (Answer, error) { return l.Ask(t.Context(), s, "And?") },
	} {
		server := &programs{}
		model := &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){calls(1), says("It runs."), says("It is 42.")}}
		l := loopOn(t, nil, model)
		l.Client, l.Consent = connect(t, farHTTP(t, server.answer)), ConsentTell
		var saved []byte
		l.Save = func(s State) (err error) { saved, err = json.Marshal(s); return err }
		got, err := l.Ask(t.Context(), State{}, "x")
		if err != nil || got.Text != "It runs." || len(got.Pending) != 1 || server.consents[0] != "tell" {
			t.Fatalf("%s: Ask = %+v, %v with consent %q", name, got, err, server.consents)
		}
		var s State
		if err := json.Unmarshal(saved, &s); err != nil || len(s.Pending) != 1 || s.Pending[0].Tool != "run_program" || !s.Answered {
			t.Fatalf("%s: saved %s, %v, want the pending call in it", name, saved, err)
		}
		if got, err = l.Resume(t.Context(), s); err != nil || len(got.Pending) != 1 || len(model.asked) != 2 {
			t.Errorf("%s: Resume without news = %+v, %v, the model asked %d times, want 2", name, got, err, len(model.asked))
		}
		server.set(true, false)
		got, err = resume(l, got.State)
		told := string(got.State.Conversation[4])
		if err != nil || got.Text != "It is 42." || got.State.Pending != nil || got.State.Rounds != 1 ||
			!strings.Contains(told, `the call p-0 of run_program has ended`) || !strings.Contains(told, `{\"n\":42}`) {
			t.Errorf("%s: %+v, %v, told %s", name, got, err, told)
		}
	}
}

// TestLoopTellsAfterAnswer: a call that ends while the model answers is told before the loop ends,
// and a call whose result is no longer stored does not stay pending.
func TestLoopTellsAfterAnswer(t *testing.T) {
	server := &programs{}
	model := &scripted{lines: []func([]json.RawMessage, func(string)) (Turn, error){
		calls(1),
		func(c []json.RawMessage, text func(string)) (Turn, error) {
			server.set(false, true)
			return says("It runs.")(c, text)
		},
		says("It is lost."),
	}}
	l := loopOn(t, nil, model)
	l.Client, l.Consent = connect(t, farHTTP(t, server.answer)), ConsentTell
	got, err := l.Ask(t.Context(), State{}, "x")
	if err != nil || got.Text != "It is lost." || got.Pending != nil || got.State.Pending != nil ||
		!strings.Contains(string(got.State.Conversation[4]), "no longer stored") {
		t.Errorf("Ask = %+v, %v", got, err)
	}
}
