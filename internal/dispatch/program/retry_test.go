package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// remains is the calls of a dispatcher that has the results of some steps.
type remains struct {
	echoes

	results map[string]string
}

func (r remains) Cancel(_ context.Context, _, callID string) (json.RawMessage, error) {
	if el, ok := r.results[callID]; ok {
		return json.RawMessage(el), nil
	}
	return nil, &dispatch.Error{Kind: dispatch.NotFound, Msg: "unknown"}
}

// tools has a tool that must not be called twice, an idempotent one, and a tool that changes nothing.
func tools(_, _, _, name string) (*tool.Definition, bool) {
	def := map[string]*tool.Definition{
		"pay": {Mutates: true}, "put": {Mutates: true, Idempotent: true}, "get": {}, RunProgram: {Durable: true},
	}[name]
	return def, def != nil
}

// failedAt stores the end of the program of c, whose journal has the entries.
func failedAt(t *testing.T, s *Service, k programs.Key, change func(*durable.Program), entries ...durable.Entry) *durable.Program {
	t.Helper()
	p, revision, err := s.Store.Read(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		if p.Last, _, err = s.Store.Append(t.Context(), k, p, &entries[i], p.Last); err != nil {
			t.Fatal(err)
		}
	}
	finish(p, tool.NotFound, "quokka", nil, nil)
	change(p)
	if err := s.Store.End(t.Context(), k, p, revision); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTakeOver: a retry keeps the outcomes of its steps, also of steps that ended after the
// program, and is refused if a step that may have acted cannot be made twice.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	gone := &durable.StepError{Type: tool.NotFound, CallID: "p~2", Message: "gone"}
	unsure := &durable.StepError{Type: tool.OutcomeUnknown, CallID: "p~2", Message: "who knows"}
	const done, stopped, unknown = `{"status":"success","result":7}`, `{"status":"error","error_type":"cancelled"}`, `{"status":"error","error_type":"outcome_unknown"}`
	for name, tt := range map[string]struct {
		second, third, late string
		failure             *durable.StepError
		change              func(*durable.Program)
		keeps, refused      string
	}{
		"failed":                  {second: "pay", failure: gone, keeps: "1"},
		"unknown":                 {second: "pay", failure: unsure, refused: "step 2, 'pay'"},
		"unknown and safe":        {second: "put", failure: unsure, keeps: "1"},
		"unknown tool":            {second: "nope", failure: unsure, refused: "step 2, 'nope'"},
		"through another":         {second: "use_tool", failure: unsure, refused: "step 2, 'use_tool'"},
		"a program":               {second: RunProgram, failure: gone, refused: "may have made steps itself"},
		"late success":            {second: "get", failure: gone, third: "pay", late: done, keeps: "1 3"},
		"cut off":                 {second: "get", failure: gone, third: "pay", late: stopped, keeps: "1"},
		"late unknown":            {second: "get", failure: gone, third: "pay", late: unknown, refused: "step 3, 'pay'"},
		"nothing known":           {second: "get", failure: gone, third: "pay", refused: "step 3, 'pay'"},
		"nothing known, and safe": {second: "get", failure: gone, third: "put", keeps: "1"},
		"cancelled long ago": {second: "get", failure: gone, third: "pay", keeps: "1",
			change: func(p *durable.Program) { p.Unfinished = []string{"p~3"} }},
		"unknown long ago": {second: "get", failure: gone, third: "pay", refused: "step 3, 'pay'",
			change: func(p *durable.Program) { p.Unfinished, p.Unknown = []string{"p~3"}, []string{"p~3"} }},
		"never made": {second: "get", failure: gone, third: "pay", keeps: "1", change: func(p *durable.Program) { p.Unmade = []int{3} }},
		"no error of a step": {second: "get", failure: gone, refused: "not that of a step",
			change: func(p *durable.Program) { p.Failed = 1 }},
		"an error of its own": {second: "get", failure: gone, refused: "run a corrected program",
			change: func(p *durable.Program) { p.Failed, p.ErrorType = 0, tool.ExecutionError }},
		"its code was slow": {second: "get", failure: gone, refused: "run a corrected program",
			change: func(p *durable.Program) { p.Failed, p.ErrorType = 0, tool.Timeout }},
		"its time was over": {second: "get", failure: gone, keeps: "1 2",
			change: func(p *durable.Program) { p.Failed, p.ErrorType, p.DeadlineMS = 0, tool.Timeout, p.EndedMS }},
		"a step": {second: "get", failure: gone, refused: "retry that one", change: func(p *durable.Program) { p.Call.Parent = "outer" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := opened(t, `{}`)
			k := programs.Key{Tenant: c.Tenant, CallID: c.ID}
			results := map[string]string{}
			if tt.late != "" {
				results["p~3"] = tt.late
			}
			s.calls, s.Lookup = remains{results: results}, tools
			made := []durable.Made{{N: 1, Tool: "pay"}, {N: 2, Tool: tt.second}}
			if tt.third != "" {
				made = append(made, durable.Made{N: 3, Tool: tt.third})
			}
			p := failedAt(t, s, k, func(p *durable.Program) {
				if p.Failed = 2; tt.change != nil {
					tt.change(p)
				}
			}, durable.Entry{Made: made, Events: []durable.Event{{Step: 1}}}, durable.Entry{Events: []durable.Event{{Step: 2, Error: tt.failure}}})
			entries, err := s.takeOver(t.Context(), k, p)
			if refused, ok := errors.AsType[*Refused](err); tt.refused != "" {
				if !ok || !strings.Contains(refused.Msg, tt.refused) {
					t.Errorf("it is retried with %+v, %v", entries, err)
				}
				return
			}
			var keeps []string
			for i := range entries {
				for _, event := range entries[i].Events {
					keeps = append(keeps, fmt.Sprint(event.Step))
				}
			}
			if err != nil || strings.Join(keeps, " ") != tt.keeps || entries[0].Made[0].CallID != "p~1" {
				t.Errorf("a retry keeps %v, %v; want %s", keeps, err, tt.keeps)
			}
		})
	}
}

// TestRetryGoesOn: the call of a retry begins with the journal of the program, and the same call of
// somebody else, or with other arguments, from its beginning. An unfinished copy is completed.
func TestRetryGoesOn(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{"code":"x"}`)
	k := programs.Key{Tenant: c.Tenant, CallID: c.ID}
	requests := make(chan dispatch.Request, 1)
	s.calls, s.Lookup = remains{echoes: echoes{requests}}, tools
	failedAt(t, s, k, func(p *durable.Program) { p.Failed = 2 },
		durable.Entry{Made: []durable.Made{{N: 1, Tool: "pay"}, {N: 2, Tool: "pay"}}, Events: []durable.Event{{Step: 1}}, CPUMS: 9},
		durable.Entry{Events: []durable.Event{{Step: 2, Error: &durable.StepError{Type: tool.NotFound, CallID: "p~2"}}}})
	all := func(*protocol.Program, string) error { return nil }
	if _, err := s.Retry(t.Context(), c.Tenant, c.ID, all); err != nil {
		t.Fatal(err)
	}
	req := <-requests
	next := req.Calls[0].Call
	next.Tenant, next.User, next.Agent, next.Conversation = req.Tenant, req.User, req.Agent, req.Conversation
	next.AcceptedMS = time.Now().UnixMilli()
	for name, change := range map[string]func(){
		"another person":  func() { next.User = "eve" },
		"other arguments": func() { next.User, next.Arguments = c.User, []byte(`{"code":"y"}`) },
	} {
		change()
		p := durable.New(&next, time.Hour, 0)
		if err := s.goOn(t.Context(), &next, p); err != nil || p.Last != 0 || p.CodeID != "" {
			t.Errorf("%s goes on with %+v, %v", name, p, err)
		}
	}
	next.User, next.Arguments = c.User, c.Arguments
	own := programs.Key{Tenant: c.Tenant, CallID: next.ID}
	first := durable.Entry{Made: []durable.Made{{N: 1, Tool: "pay", CallID: "p~1"}, {N: 2, Tool: "pay"}}, Events: []durable.Event{{Step: 1}}}
	cut := durable.New(&next, time.Hour, 0) // of a process that was killed then
	if _, _, err := s.Store.Append(t.Context(), own, cut, &first, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(t.Context(), &next, &tool.Definition{Name: RunProgram, Durable: true}); err != nil {
		t.Fatal(err)
	}
	p, _, err := s.Store.Read(t.Context(), own)
	if err != nil || p.CodeID != "p" || p.CodeStartMS != c.AcceptedMS || p.Last == 0 || p.Steps != 2 {
		t.Errorf("the retry is %+v, %v", p, err)
	}
	entries := 0
	if _, err := s.Store.Journal(t.Context(), own, p, func(*durable.Entry) error { entries++; return nil }); err != nil || entries != 2 {
		t.Errorf("its journal has %d entries, %v", entries, err)
	}
	if _, err := s.Retry(t.Context(), c.Tenant, c.ID, all); err != nil || (<-requests).Calls[0].ID != next.ID {
		t.Errorf("another retry is another call, %v", err)
	}
}
