package program

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/programs"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/tool"
)

// TestSavedStays: the durable tool of the first turn that begins is that of all turns, and the
// program is bound to the lists of both definitions that were in use when it began.
func TestSavedStays(t *testing.T) {
	t.Parallel()
	s, c := opened(t, `{}`)
	c = &call.Call{ID: "q", Tenant: c.Tenant, User: "ann", Pool: "default", Tool: "mine", Origin: "d-1", AcceptedMS: c.AcceptedMS}
	def := &tool.Definition{Name: "mine", Durable: true, TimeoutSeconds: 60, Tools: []string{"a", "b"}}
	if _, err := s.Begin(t.Context(), c, def); err != nil {
		t.Fatal(err)
	}
	open := func(key, name, code string, list ...string) peer.ProgramAnswer {
		t.Helper()
		raw, err := json.Marshal(durable.Saved{Code: code, Definition: tool.Definition{Name: name, Version: code, Tools: list}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.answer(t.Context(), peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: key, Do: peer.ProgramOpen, Saved: raw})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	kept := func(key string) string {
		t.Helper()
		a, err := s.answer(t.Context(), peer.ProgramRequest{Tenant: c.Tenant, CallID: c.ID, Key: key, Do: peer.ProgramSaved})
		if err != nil {
			t.Fatal(err)
		}
		return string(a.Saved)
	}
	if got := kept(c.Program); got != "" {
		t.Errorf("before it began it is kept with %s", got)
	}
	for _, wrong := range []peer.ProgramAnswer{
		open(c.Program, "other", "x"), open(c.Program, "mine", ""), open(c.Program, "mine", strings.Repeat("x", durable.MaxCode+1)), open("stolen", "mine", "x"),
	} {
		if wrong.Session != 0 || wrong.Kind == "" {
			t.Errorf("a turn began with what is no version of the tool: %+v", wrong)
		}
	}
	for _, code := range []string{"one", "two"} {
		if a := open(c.Program, "mine", code, "b", "c"); a.Session == 0 || !strings.Contains(string(a.Saved), `"code":"one"`) {
			t.Errorf("the turn of a worker with the version %s: %+v", code, a)
		}
	}
	if got := kept(c.Program); !strings.Contains(got, `"code":"one"`) {
		t.Errorf("it is kept with %s", got)
	}
	if got := kept("stolen"); got != "" {
		t.Errorf("without its key it is answered %s", got)
	}
	p, _, err := s.Store.Read(t.Context(), programs.Key{Tenant: c.Tenant, CallID: c.ID})
	if err != nil {
		t.Fatal(err)
	}
	for name, may := range map[string]bool{"a": false, "b": true, "c": false} {
		if refused := beyond(p.Within, &durable.Step{Tool: name}) != ""; refused == may {
			t.Errorf("%s: refused %v by %v", name, refused, p.Within)
		}
	}
	again := &call.Call{ID: "q", Tenant: c.Tenant, User: "ann", Tool: "mine"}
	if _, err := s.Begin(t.Context(), again, nil); err != nil || again.Program != c.Program {
		t.Errorf("without its tool the program has the key %q, %v", again.Program, err)
	}
}
