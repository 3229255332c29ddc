package syscheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
)

// worker connects a worker whose circuits of servers are open, and returns its ID.
func worker(t *testing.T, srv *embedded.Server, open ...peer.OpenCircuit) string {
	t.Helper()
	q := queuetest.Open(t, srv)
	if err := q.Owners.ServeOpenCircuits(func() peer.OpenCircuits { return peer.OpenCircuits{Named: open} }); err != nil {
		t.Fatal(err)
	}
	if err := q.Conn.Flush(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	return q.Conn.ID()
}

// messages returns what the findings of a part say, each of that level and with that page.
func messages(t *testing.T, c *Checker, part, level, runbook string) []string {
	t.Helper()
	var list []string
	for _, f := range c.Check(t.Context()).Findings {
		if f.Part != part {
			continue
		}
		if f.Level != level || f.Runbook != runbook || (f.Advice == "") != (level == protocol.FindingOK) {
			t.Errorf("%+v", f)
		}
		if part == "circuits" && f.Runbook != "" && (f.Subject == "") != strings.Contains(f.Message, "more findings") {
			t.Errorf("%+v has no subject", f)
		}
		list = append(list, f.Message)
	}
	return list
}

// TestCircuits: a server that fails is named once, with the workers that see it fail; a
// worker that does not name its own, as one of a person, is a finding too.
func TestCircuits(t *testing.T) {
	t.Parallel()
	c, srv, _ := checker(t)
	api := peer.OpenCircuit{Tenant: "acme", Server: "api.example:443"}
	a := worker(t, srv, api, peer.OpenCircuit{Tenant: "other", Server: "10.0.0.7:25"})
	b := worker(t, srv, api)
	live := fleet.Live{"default": {{ID: a, OpenCircuits: 2}, {ID: b, OpenCircuits: 1}}, "heavy": {{ID: a, OpenCircuits: 2}, {ID: "calm"}}}
	c.Live = func() fleet.Live { return live }
	both := []string{a, b}
	slices.Sort(both)
	want := []string{
		"10.0.0.7:25 keeps failing: requests of tenant other to it are refused on " + a,
		"api.example:443 keeps failing: requests of tenant acme to it are refused on " + strings.Join(both, ", "),
	}
	for _, f := range c.circuits(t.Context()) {
		if f.Subject != "10.0.0.7:25 other" && f.Subject != "api.example:443 acme" {
			t.Errorf("a finding about %q", f.Subject)
		}
	}
	if got := messages(t, c, "circuits", protocol.FindingWarning, "HelveCircuitOpen"); !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
	live = fleet.Live{"default": {{ID: "silent", OpenCircuits: 3}}}
	want = []string{"on silent servers outside keep failing, 3 of them without a name here; its log names them"}
	if got := messages(t, c, "circuits", protocol.FindingWarning, "HelveCircuitOpen"); !slices.Contains(got, want[0]) {
		t.Errorf("findings %q, want %q among them", got, want)
	}
	closed := worker(t, srv) // since its last announcement
	live = fleet.Live{"default": {{ID: a}, {ID: closed, OpenCircuits: 1}}}
	if got := messages(t, c, "circuits", protocol.FindingOK, ""); len(got) != 1 {
		t.Errorf("findings %q, want one", got)
	}
}

// TestHostileCircuits: what workers answer is bounded, and has nothing invisible.
func TestHostileCircuits(t *testing.T) {
	t.Parallel()
	c, srv, _ := checker(t)
	var open []peer.OpenCircuit
	for i := range 500 {
		open = append(open, peer.OpenCircuit{Tenant: fmt.Sprint("t", i), Server: "\x1b[31m\u202e" + strings.Repeat("x", 300)})
	}
	id := worker(t, srv, open...)
	c.Live = func() fleet.Live { return fleet.Live{"default": {{ID: id, OpenCircuits: 500}}} }
	got := messages(t, c, "circuits", protocol.FindingWarning, "HelveCircuitOpen")
	if len(got) != circuitsShown+1 || got[circuitsShown] != "480 more findings are of this kind" {
		t.Fatalf("%d findings, the last is %q", len(got), got[len(got)-1])
	}
	if strings.ContainsAny(got[0], "\x1b\u202e") || len(got[0]) > 200 {
		t.Errorf("a finding is %q", got[0])
	}
}

// TestRefusedRules: the workers that decide by old rules are named, at most some of them.
func TestRefusedRules(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	live := fleet.Live{"default": {{ID: "w1"}, {ID: "w2", RulesRefused: true}}, "heavy": {{ID: "w2", RulesRefused: true}}}
	c.Live = func() fleet.Live { return live }
	const says = "changed rules were refused, and the old ones stay in force, on "
	if got := messages(t, c, "policy", protocol.FindingWarning, "HelvePolicyReloadFailed"); !slices.Equal(got, []string{says + "w2"}) {
		t.Errorf("findings %q", got)
	}
	var many []fleet.Worker
	for i := range 9 {
		many = append(many, fleet.Worker{ID: fmt.Sprint("w", 9-i), RulesRefused: true})
	}
	live = fleet.Live{"default": many}
	if got := messages(t, c, "policy", protocol.FindingWarning, "HelvePolicyReloadFailed"); !slices.Equal(got,
		[]string{says + "w1, w2, w3, w4, w5 and 4 more"}) {
		t.Errorf("findings %q", got)
	}
	live = fleet.Live{"default": {{ID: "w1"}}}
	if got := messages(t, c, "policy", protocol.FindingOK, ""); len(got) != 1 {
		t.Errorf("findings %q, want one", got)
	}
}

// TestLostWorker: a worker that was killed is named, and its finding ends when it is back.
func TestLostWorker(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	lost := []fleet.Lost{{ID: "w7\x1b[31m", Pools: []string{"default", "heavy"}, Busy: 3, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	c.Lost = func() []fleet.Lost { return lost }
	want := []string{"worker w7[31m of pool default, heavy was lost at 2026-01-02T03:04:05Z without leaving, while it ran 3 calls"}
	if got := messages(t, c, "workers", protocol.FindingWarning, ""); !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
	}
	lost = nil
	if got := messages(t, c, "workers", protocol.FindingOK, ""); len(got) != 1 {
		t.Errorf("findings %q, want one", got)
	}
}
