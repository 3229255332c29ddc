package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// TestStepping: the progress of a program grows with each notification and counts its steps; those
// of programs within, and the log of a tool that makes no steps, are none.
func TestStepping(t *testing.T) {
	s := stepping{callID: "p"}
	var got []string
	last := 0.0
	for _, e := range []Event{
		{Type: "log", CallID: "p", Data: json.RawMessage(`{"message":"early"}`)},
		{Type: "queued", CallID: "p~1", Tool: "a"},
		{Type: "done", CallID: "p~1", Tool: "a"},
		{Type: "log", CallID: "p", Data: json.RawMessage(`{"message":"one"}`)},
		{Type: "log", CallID: "p", Data: json.RawMessage(`{"message":"two"}`)},
		{Type: "awaiting_consent", CallID: "p~2", Tool: "b"},
		{Type: "done", CallID: "p~2~1", Tool: "x"},
		{Type: "done", CallID: "q~1", Tool: "x"},
		{Type: "done", CallID: "p~2", Tool: "b"},
		{Type: "done", CallID: "p~3", Tool: "c"},
	} {
		p := s.told(e)
		if p == nil {
			continue
		}
		if p.Progress <= last {
			t.Errorf("%v after %v", p.Progress, last)
		}
		last = p.Progress
		got = append(got, fmt.Sprintf("%.2f %s", p.Progress, p.Message))
	}
	want := []string{"1.00 early", "1.50 one", "1.67 two", "1.75 b waits for a person", "2.00 two", "3.00 c"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestProgressOfProgram(t *testing.T) {
	at := func(s int) *time.Time { v := time.Unix(int64(s), 0); return &v }
	p := protocol.ProgramDetail{Steps: []protocol.ProgramStep{
		{Tool: "a", State: protocol.StateDone, EndedAt: at(3)}, {Tool: "b", Name: "mail", State: protocol.StateDone, EndedAt: at(5)},
		{Tool: "c", State: protocol.StateRunning},
	}}
	if got := ProgressOf(&p).text(); got != "2 steps done: mail" {
		t.Errorf("text = %q", got)
	}
	p.Log = []protocol.ProgramLog{{At: *at(4), Message: "old"}}
	if got := ProgressOf(&p); got.Message != "mail" {
		t.Errorf("a log line before the last step: %+v", got)
	}
	p.Log = append(p.Log, protocol.ProgramLog{At: *at(6), Message: "new"})
	if got := ProgressOf(&p); got.Message != "new" || got.Done != 2 {
		t.Errorf("a log line after the last step: %+v", got)
	}
}

// TestQuestionsOfProgram: the questions of a program are those of its steps, bounded; what waits
// is said.
func TestQuestionsOfProgram(t *testing.T) {
	until := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	o := Outcome{Status: pending, State: protocol.StateWaiting, WaitingFor: []protocol.ProgramWait{{Kind: protocol.WaitSleep, Until: &until}}}
	if got := o.waits(); len(o.questions()) != 0 || got != "waits until 2030-01-01T00:00:00Z" {
		t.Errorf("%q, %q", o.questions(), got)
	}
	for i := range 20 {
		o.WaitingFor = append(o.WaitingFor, protocol.ProgramWait{Kind: protocol.WaitConsent, ConsentID: fmt.Sprint("k", i/2)})
	}
	if got := o.questions(); len(got) != mostQuestions || got[1] != "k1" {
		t.Errorf("questions = %q", got)
	}
	o.Status = success
	if got := o.questions(); got != nil {
		t.Errorf("questions of a program that is done = %q", got)
	}
}
