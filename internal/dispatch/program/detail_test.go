package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestStepsOfJournal: steps have the outcomes that the journal has, and those that the program
// did not await the end that it gave them.
func TestStepsOfJournal(t *testing.T) {
	t.Parallel()
	p := &durable.Program{State: durable.Waiting, Unfinished: []string{"p~3", "p~4"}, Unknown: []string{"p~4"}}
	states := func() (text string) {
		s := told{program: p, key: programs.Key{Tenant: "t", CallID: "p"}}
		for _, e := range []durable.Entry{
			{AtMS: 1, Made: []durable.Made{{N: 1, Tool: "a", Line: 2}, {N: 2, Tool: "b"}}},
			{AtMS: 2, Events: []durable.Event{{Step: 1}, {Sleep: 1}, {Step: 99}}},
			{AtMS: 3, Made: []durable.Made{{N: 3}, {N: 4}, {N: 5}}, Events: []durable.Event{{Step: 2, Error: &durable.StepError{Type: tool.Timeout}}}},
		} {
			if err := s.add(&e); err != nil {
				t.Fatal(err)
			}
		}
		for _, step := range s.end() {
			text += step.CallID + " " + step.State + " " + step.Status + string(step.ErrorType) + ";"
		}
		return text
	}
	if got, want := states(), "p~1 done success;p~2 done errortimeout;p~3 running ;p~4 running ;p~5 running ;"; got != want {
		t.Errorf("while it waits the steps are %s, want %s", got, want)
	}
	p.State = durable.Done
	if got, want := states(), "p~1 done success;p~2 done errortimeout;p~3 done errorcancelled;p~4 done erroroutcome_unknown;p~5 done ;"; got != want {
		t.Errorf("after its end the steps are %s, want %s", got, want)
	}
}

// TestSleepsOfJournal: a sleep is shown with its line, and until when the code slept.
func TestSleepsOfJournal(t *testing.T) {
	t.Parallel()
	s := told{program: &durable.Program{}}
	for _, e := range []durable.Entry{
		{AtMS: 5, Sleeps: []durable.Sleep{{N: 1, UntilMS: 50, Line: 7}, {N: 2, UntilMS: 90, Line: 8}}},
		{AtMS: 60, Events: []durable.Event{{Sleep: 1}, {Sleep: 9}}},
	} {
		if err := s.add(&e); err != nil {
			t.Fatal(err)
		}
	}
	first, second := s.sleeps[0], s.sleeps[1]
	times := []int64{first.StartedAt.UnixMilli(), first.Until.UnixMilli(), first.EndedAt.UnixMilli()}
	if len(s.sleeps) != 2 || first.Line != 7 || !slices.Equal(times, []int64{5, 50, 60}) || second.EndedAt != nil {
		t.Errorf("the sleeps are %+v", s.sleeps)
	}
}

// TestLongLog: of a long log the newest lines are shown, and how many older ones there are.
func TestLongLog(t *testing.T) {
	t.Parallel()
	s := told{program: &durable.Program{}}
	for i := range 100 {
		if err := s.add(&durable.Entry{Logs: []durable.Log{{Message: strings.Repeat(string(rune('a'+i%26)), 4<<10)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.log) != 64 || s.leftOut != 36 || s.log[63].Message[0] != byte('a'+99%26) {
		t.Errorf("%d lines are shown and %d left out", len(s.log), s.leftOut)
	}
}

// TestGiven: what a program may do and how long is read from its arguments however they were
// sent: as an object, as a text, and by way of use_tool.
func TestGiven(t *testing.T) {
	t.Parallel()
	for _, c := range []call.Call{
		{Tool: "run_program", Arguments: []byte(`{"code": "1", "tools": ["a*"], "timeout_seconds": 7, "input": [1]}`)},
		{Tool: "run_program", Arguments: []byte(`"{\"code\": \"1\", \"tools\": [\"a*\"], \"timeout_seconds\": 7, \"input\": [1]}"`)},
		{Tool: "use_tool", Arguments: []byte(`{"tool_name": "run_program", "arguments": {"code": "1", "tools": ["a*"], "timeout_seconds": 7, "input": [1]}}`)},
		{Tool: "use_tool", Arguments: []byte(`{"tool_name": "run_program", "arguments": "{\"code\": \"1\", \"tools\": [\"a*\"], \"timeout_seconds\": 7, \"input\": [1]}"}`)},
	} {
		code, input := source(&durable.Program{Call: &c})
		tools := toolsOf(&c, nil)
		if code != "1" || string(input) != "[1]" || len(tools) != 1 || durable.Covers(tools, "b") || !durable.Covers(tools, "ab") ||
			allowed(&c, nil).Seconds() != 7 {
			t.Errorf("%s: code %q, input %s, tools %v, time %v", c.Arguments, code, input, tools, allowed(&c, nil))
		}
	}
	if code, input := source(&durable.Program{Call: &call.Call{Tool: "mine", Arguments: []byte(`{"code": "x"}`)}}); code != "" || string(input) != `{"code": "x"}` {
		t.Errorf("a durable tool shows the code %q and the input %s", code, input)
	}
	mine := &call.Call{Tool: "mine", Arguments: []byte(`{"tools": ["*"], "timeout_seconds": 999}`)}
	def := &tool.Definition{Name: "mine", Durable: true, TimeoutSeconds: 7}
	if tools := toolsOf(mine, def); tools == nil || len(tools) != 0 || allowed(mine, def).Seconds() != 7 {
		t.Errorf("by its arguments a durable tool may call %q for %v", tools, allowed(mine, def))
	}
}

// TestOutcomeOfTurn: a turn is idle only if it was woken, has made nothing, and nothing was
// stored for it.
func TestOutcomeOfTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		wake           int
		moved, brought bool
		want           string
	}{{0, false, false, turnWaits}, {1, true, false, turnWaits}, {1, false, true, turnWaits}, {1, false, false, turnIdle}} {
		s := &session{program: &durable.Program{Wake: tt.wake}, moved: tt.moved, brought: tt.brought}
		if got := s.outcome(); got != tt.want {
			t.Errorf("%+v is %s", tt, got)
		}
	}
}

// TestList: programs are selected and come in the order of their acceptance, the newest first,
// also of very many and with the same time.
func TestList(t *testing.T) {
	t.Parallel()
	s := &Service{index: newIndex()}
	for i := range 500 {
		id := string(rune('a'+i%26)) + string(rune('a'+i/26))
		state, status := durable.Waiting, ""
		if i%2 == 1 {
			state, status = durable.Done, protocol.StatusError
		}
		s.index.set(programs.Key{Tenant: []string{"t", "u"}[i%3%2], CallID: id}, &durable.Program{
			State: state, Status: status, StartedMS: int64(i / 4), Call: &call.Call{ID: id, User: []string{"ann", "bob"}[i%5%2]},
		})
	}
	for _, q := range []Query{{Tenant: "t", Limit: 7}, {Tenant: "t", User: "ann", Limit: 3}, {Tenant: "u", Status: protocol.StatusPending, Limit: 11}} {
		want := 0
		s.index.each(func(k *known) {
			if q.BeforeMS = 1 << 40; q.selects(k) {
				want++
			}
		})
		seen, last := map[string]bool{}, protocol.Program{}
		for more := true; more; {
			var page []protocol.Program
			page, more = s.List(t.Context(), q)
			for i, p := range page {
				if seen[p.CallID] || last.CallID != "" && (p.StartedAt.After(last.StartedAt) || p.StartedAt.Equal(last.StartedAt) && p.CallID > last.CallID) {
					t.Fatalf("%+v: %d of a page is %+v after %+v", q, i, p, last)
				}
				seen[p.CallID], last = true, p
			}
			if more && len(page) != q.Limit {
				t.Fatalf("%+v: a page has %d programs and another one follows", q, len(page))
			}
			q.BeforeMS, q.BeforeID = last.StartedAt.UnixMilli(), last.CallID
		}
		if len(seen) != want || want == 0 {
			t.Errorf("%+v lists %d programs, want %d", q, len(seen), want)
		}
	}
}
