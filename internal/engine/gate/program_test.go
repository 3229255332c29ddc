package gate_test

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// step returns a call of a step of program q, which program p runs.
func step(name, arguments string) *engine.Job {
	j := job(name, arguments)
	j.Step = &protocol.ConsentProgram{CallID: "p~1", Line: 3}
	j.Programs = []protocol.ProgramRun{{CallID: "p~1", Run: "inner"}, {CallID: "p", Run: "outer"}}
	return j
}

// TestGrantOfProgram: a yes for the rest of a program covers its tool and hosts in the steps of that
// run, also of programs in it, and not those of another run, trace, program or of high risk.
func TestGrantOfProgram(t *testing.T) {
	t.Parallel()
	good := protocol.Grant{
		ID: "g1", By: "u1", Program: "p", ProgramRun: "outer", TraceID: trace, Scopes: &tool.Scopes{Hosts: []string{"api.example"}},
	}
	for name, tt := range map[string]struct {
		tool, url string
		change    func(*protocol.Grant, *engine.Job)
		ends      string
	}{
		"this run":        {tool: "fetch", url: "https://api.example/a"},
		"another host":    {tool: "fetch", url: "https://else.example/a", ends: "parked"},
		"another run":     {tool: "fetch", url: "https://api.example/a", change: func(g *protocol.Grant, _ *engine.Job) { g.ProgramRun = "older" }, ends: "parked"},
		"another trace":   {tool: "fetch", url: "https://api.example/a", change: func(g *protocol.Grant, _ *engine.Job) { g.TraceID = "x" }, ends: "parked"},
		"another program": {tool: "fetch", url: "https://api.example/a", change: func(_ *protocol.Grant, j *engine.Job) { j.Programs = j.Programs[:1] }, ends: "parked"},
		"no program":      {tool: "fetch", url: "https://api.example/a", change: func(_ *protocol.Grant, j *engine.Job) { j.Programs = nil }, ends: "parked"},
		"another tool":    {tool: "medium", ends: "parked"},
		"high":            {tool: "high", ends: "parked"},
	} {
		w := holding(t)
		g, j := good, step(tt.tool, `{"path":"a","url":"`+tt.url+`"}`)
		if tt.change != nil {
			tt.change(&g, j)
		}
		for _, of := range []string{"fetch", "high"} {
			w.grants[consent.Subject{Tool: of, Program: "p"}] = g
		}
		out := w.run(j)
		if want(t, out, tt.ends); tt.ends == "" && j.Decision.Rule != "grant:g1" {
			t.Errorf("%s: decided by %+v", name, j.Decision)
		}
		if tt.ends == "parked" && len(w.parked) != 1 {
			t.Errorf("%s: %d are asked", name, len(w.parked))
		}
	}
}

// TestOfferOfProgram: what a yes for the rest of a program covers is in the request, unless the
// call can be approved only once.
func TestOfferOfProgram(t *testing.T) {
	t.Parallel()
	w := holding(t)
	for _, name := range []string{"medium", "fetch", "high", "approved"} {
		w.run(step(name, `{"path":"a","url":"https://api.example/a"}`))
	}
	for i, covers := range []string{"medium to workspace", "fetch to api.example", "", ""} {
		if got := w.parked[i].Request; got.Program == nil || got.Program.Covers != covers || got.Program.Line != 3 {
			t.Errorf("%s offers %+v, want %q", got.Tool, got.Program, covers)
		}
	}
}

// TestPlanOfDurableTool: the yes to a call of a durable tool covers the tools of its list in this
// run, but none of high risk.
func TestPlanOfDurableTool(t *testing.T) {
	t.Parallel()
	w := holding(t)
	plan := protocol.Grant{ID: "g1", By: "u1", Program: "p", ProgramRun: "outer", TraceID: trace, Tools: []string{"med*", "high"}}
	w.grants[consent.Subject{Program: "p", Plan: true}] = plan
	want(t, w.run(step("medium", `{"path":"a"}`)), "")
	want(t, w.run(step("high", `{"path":"a"}`)), "parked")
	want(t, w.run(step("fetch", `{"path":"a"}`)), "parked")
	plan.ProgramRun = "older"
	w.grants[consent.Subject{Program: "p", Plan: true}] = plan
	want(t, w.run(step("medium", `{"path":"a"}`)), "parked")
}

// TestTokenOfProgramIsBound: a token for a program covers the steps of that run; other steps that
// bring it along are asked about, and a call that is no step is refused.
func TestTokenOfProgramIsBound(t *testing.T) {
	t.Parallel()
	w := holding(t)
	bound := func(run string) string {
		return w.mint(func(c *token.Claims) {
			c.Tools, c.ArgsHash, c.CallID, c.Reusable = []string{"medium"}, "", "", true
			c.Program, c.Expires = &protocol.ProgramRun{CallID: "p", Run: run}, time.Now().Add(time.Minute)
		})
	}
	j := step("medium", `{"path":"a"}`)
	j.Token = bound("outer")
	want(t, w.run(j), "")
	j = step("medium", `{"path":"a"}`)
	j.Token = bound("older")
	want(t, w.run(j), "parked")
	j = job("medium", `{"path":"a"}`)
	j.Token = bound("outer")
	want(t, w.run(j), "permission_denied")
}
