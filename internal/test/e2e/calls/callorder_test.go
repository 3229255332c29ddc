package calls

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCallsKeepTheirPlace: with one slot calls wait, run, await a person and end, and each keeps
// its place in the list through that. A page that was read before goes on where it ended, and a
// call is not listed as pending once its result has come.
func TestCallsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Worker.Slots = 1 }})
	tenant := system.NewTenant()
	web := operator(t, s, s.URLs[0], client.WithTenant(tenant))
	var accepted []string // the newest first
	add := func(id string) { accepted = append([]string{id}, accepted...) }
	pages := func(f client.CallFilter) (all []string, states map[string]string) {
		t.Helper()
		states = map[string]string{}
		for {
			list, err := web.Calls(system.Context(t), f)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range list.Calls {
				all, states[c.CallID] = append(all, c.CallID), c.State
				if i > 0 && c.AcceptedAt.After(list.Calls[i-1].AcceptedAt) {
					t.Errorf("%s was accepted after the call before it", c.CallID)
				}
			}
			if f.Cursor = list.Next; f.Cursor == "" {
				return all, states
			}
		}
	}
	for i := range 3 {
		id := fmt.Sprintf("parked-%d", i)
		system.Execute(t, s.HTTP(0), tenant, fmt.Sprintf(
			`{"context": {"user": "ann"}, "wait_ms": 5000, "calls": [{"call_id": %q, "tool": "debug.guarded", "arguments": {"key": "k%d"}}]}`, id, i))
		add(id)
	}
	system.WantResult(t, system.One(t, s.HTTP(0), tenant, `{"call_id": "first", "tool": "debug.echo", "arguments": {"value": 1}}`), `1`)
	add("first")
	if all, _ := pages(client.CallFilter{Status: "pending"}); !slices.Equal(all, []string{"parked-2", "parked-1", "parked-0"}) {
		t.Errorf("with the result in hand the pending calls are %v", all)
	}
	for i := range 4 {
		id := fmt.Sprintf("held-%d", i)
		system.Enqueue(t, s.HTTP(0), tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.sleep", "arguments": {"ms": 600000}}`, id))
		add(id)
	}
	system.Eventually(t, "one of the calls runs", func() bool {
		_, states := pages(client.CallFilter{State: "running"})
		return len(states) == 1
	})
	first, err := web.Calls(system.Context(t), client.CallFilter{Limit: 3})
	if err != nil || len(first.Calls) != 3 || first.Next == "" {
		t.Fatalf("the first page has %d calls, %v", len(first.Calls), err)
	}
	check := func(when string) map[string]string {
		t.Helper()
		all, states := pages(client.CallFilter{Limit: 3})
		if !slices.Equal(all, accepted) {
			t.Errorf("%s the list is %s, want %s", when, strings.Join(all, " "), strings.Join(accepted, " "))
		}
		return states
	}
	states := check("before anything ends")
	if states["parked-1"] != "awaiting_consent" || states["held-3"] != "queued" || states["first"] != "done" {
		t.Errorf("the states are %v", states)
	}
	system.ByID(t, s.HTTP(0), "calls.cancel", tenant, "parked-1")
	for i := range 4 {
		id := fmt.Sprintf("held-%d", i)
		system.ByID(t, s.HTTP(0), "calls.cancel", tenant, id)
		system.Settled(t, s.HTTP(0), tenant, id)
	}
	system.Settled(t, s.HTTP(0), tenant, "parked-1")
	if states = check("after some have ended"); states["parked-1"] != "done" || states["held-0"] != "done" || states["parked-2"] != "awaiting_consent" {
		t.Errorf("the states are %v", states)
	}
	rest, _ := pages(client.CallFilter{Limit: 3, Cursor: first.Next})
	if !slices.Equal(rest, accepted[3:]) {
		t.Errorf("after the page that was read before: %v, want %v", rest, accepted[3:])
	}
	if all, _ := pages(client.CallFilter{Status: "pending"}); !slices.Equal(all, []string{"parked-2", "parked-0"}) {
		t.Errorf("at the end the pending calls are %v", all)
	}
}
