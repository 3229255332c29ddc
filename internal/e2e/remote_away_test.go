package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

const fine = `{"status": "success", "result": 1}`

// TestRemoteNotHeardOf: a tool that nobody beats for is not available, on dispatchers and
// on workers, and is again with the next heartbeat, which any dispatcher may take.
func TestRemoteNotHeardOf(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	p := shared.outside(t, tenant, "p1")
	p.always("looks", fine)
	p.register(shared.http(0), 1000, reads("looks", ""))
	for at := range 2 {
		d := shared.http(at)
		eventually(t, "it is not available", func() bool {
			return use(t, d, tenant, "looks", `{}`).ErrorType == "tool_not_available" && !slices.Contains(names(t, d, tenant, nil), "looks")
		})
	}
	eventually(t, "no worker runs it", func() bool { // which judges what comes by way of use_tool
		return use(t, shared.http(0), tenant, "use_tool", `{"tool_name": "looks", "arguments": {}}`).ErrorType == "tool_not_available"
	})
	p.register(shared.http(1), long, reads("looks", ""))
	wantResult(t, use(t, shared.http(1), tenant, "looks", `{}`), "1")
	p.register(shared.http(0), long, reads("looks", ""))
	wantResult(t, use(t, shared.http(0), tenant, "looks", `{}`), "1")
}

// TestRemoteNobodyThere: a process that is registered and does not listen has certainly
// done nothing.
func TestRemoteNobodyThere(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	shared.outside(t, tenant, "p1").register(d, long, acts("sends", ""))
	wantError(t, use(t, d, tenant, "sends", `{}`), "tool_not_available", "nothing was done")
}

// TestRemoteInstances: two processes share the calls of a tool, and one goes on when the
// other is gone.
func TestRemoteInstances(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	both := []*outside{shared.outside(t, tenant, "p1"), shared.outside(t, tenant, "p2")}
	for i, p := range both {
		p.always("looks", fmt.Sprintf(`{"status": "success", "result": %d}`, i))
		p.register(shared.http(i), long, reads("looks", ""))
	}
	eventually(t, "both were asked", func() bool {
		use(t, d, tenant, "looks", `{}`)
		return len(both[0].heard()) > 0 && len(both[1].heard()) > 0
	})
	both[0].nc.Close()
	for range 20 {
		wantResult(t, use(t, d, tenant, "looks", `{}`), "1")
	}
	d.ask(t, tenant, "remote.unregister", nil, `{"instance": "p1"}`)
	wantResult(t, use(t, d, tenant, "looks", `{}`), "1")
}

// TestRemoteDies: a process that is lost with a call that acts leaves its outcome unknown,
// and nobody runs it again.
func TestRemoteDies(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	both := []*outside{shared.outside(t, tenant, "p1"), shared.outside(t, tenant, "p2")}
	for _, p := range both {
		p.answer("sends", func(question) { p.nc.Close() })
		p.register(d, long, acts("sends", "")+","+acts("puts", `, "idempotent": true`))
		p.answer("puts", func(question) {})
	}
	wantError(t, runsOut(t, d, tenant, `{"tool": "puts", "timeout_ms": %d}`), "timeout", "") // which may be run again
	e := runsOut(t, d, tenant, `{"tool": "sends", "timeout_ms": %d}`)
	wantError(t, e, "outcome_unknown", "did not answer")
	wantError(t, one(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "sends"}`, e.CallID)), "outcome_unknown", "")
	asked := 0
	for _, p := range both {
		for _, q := range p.heard() {
			if q.CallID == e.CallID {
				asked++
			}
		}
	}
	if asked != 1 {
		t.Errorf("the call was run %d times, want once", asked)
	}
}

// TestRemoteCancelled: the process hears of it, also of a call that a tool made.
func TestRemoteCancelled(t *testing.T) {
	t.Parallel()
	tenant, d := newTenant(), shared.http(0)
	p := shared.outside(t, tenant, "p1")
	p.register(d, long, reads("looks", "")+","+acts("sends", ""))
	told := make(chan *nats.Msg, 100)
	if _, err := p.nc.ChanSubscribe("helve.v1."+tenant+".cancel.*", told); err != nil {
		t.Fatal(err)
	}
	p.answer("looks", func(question) {})
	p.answer("sends", func(question) {})
	for id, tt := range map[string]struct{ call, cancelled, says string }{
		"c1": {`{"call_id": "c1", "tool": "looks"}`, "c1", "cancelled"},
		"c2": {`{"call_id": "c2", "tool": "sends"}`, "c2", "outcome_unknown"},
		"c3": {`{"call_id": "c3", "tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "looks", "arguments": {}}]}}`, "c3~1", `"error_type":"cancelled"`},
	} {
		before := len(p.heard())
		queue(t, d, tenant, tt.call)
		eventually(t, id+" is with the process", func() bool { return len(p.heard()) > before })
		byID(t, d, "calls.cancel", tenant, id)
		if e := settled(t, d, tenant, id); !strings.Contains(e.ErrorType+string(e.Result), tt.says) {
			t.Errorf("the call ended as %v, want %s", e, tt.says)
		}
		eventually(t, tt.cancelled+" was told to the process", func() bool {
			select {
			case m := <-told:
				return strings.HasSuffix(m.Subject, ".cancel."+tt.cancelled)
			default:
				return false
			}
		})
	}
}

// TestRemoteAfterRestart: what is registered survives every dispatcher.
func TestRemoteAfterRestart(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{})
	dispatcher := func() (door, func() error) {
		t.Helper()
		kit, err := s.newKit()
		if err != nil {
			t.Fatal(err)
		}
		drain, err := s.addDispatcher(kit)
		if err != nil {
			t.Fatal(err)
		}
		return s.http(len(s.urls) - 1), drain
	}
	d, drain := dispatcher()
	p := s.outside(t, "default", "p1")
	p.always("looks", fine)
	p.register(d, long, reads("looks", ""))
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.addWorker(); err != nil {
		t.Fatal(err)
	}
	d, _ = dispatcher()
	if !slices.Contains(names(t, d, "default", nil), "looks") {
		t.Error("the new dispatcher does not list the tool")
	}
	for range 10 {
		wantResult(t, one(t, d, "default", `{"tool": "looks"}`), "1")
	}
}
