package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

const fine = `{"status": "success", "result": 1}`

// TestRemoteNotHeardOf: a tool without heartbeats is not available, on dispatchers and on
// workers, and is again after the next heartbeat, through any dispatcher.
func TestRemoteNotHeardOf(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Always("looks", fine)
	p.Register(shared.HTTP(0), 1000, system.ReadingTool("looks", ""))
	for at := range 2 {
		d := shared.HTTP(at)
		system.Eventually(t, "it is not available", func() bool {
			return system.UseTool(t, d, tenant, "looks", `{}`).ErrorType == "tool_not_available" &&
				!slices.Contains(system.ToolNames(t, d, tenant, nil), "looks")
		})
	}
	system.Eventually(t, "no worker runs it", func() bool { // which judges calls through use_tool
		return system.UseTool(t, shared.HTTP(0), tenant, "use_tool", `{"tool_name": "looks", "arguments": {}}`).ErrorType == "tool_not_available"
	})
	p.Register(shared.HTTP(1), system.LongTTL, system.ReadingTool("looks", ""))
	system.WantResult(t, system.UseTool(t, shared.HTTP(1), tenant, "looks", `{}`), "1")
	p.Register(shared.HTTP(0), system.LongTTL, system.ReadingTool("looks", ""))
	system.WantResult(t, system.UseTool(t, shared.HTTP(0), tenant, "looks", `{}`), "1")
}

// TestRemoteNobodyThere: a process that is registered and does not listen has certainly
// done nothing.
func TestRemoteNobodyThere(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	shared.RemoteProcess(t, tenant, "p1").Register(d, system.LongTTL, system.ActingTool("free.sends", ""))
	system.WantError(t, system.UseTool(t, d, tenant, "free.sends", `{}`), "tool_not_available", "nothing was done")
}

// TestRemoteInstances: two processes share the calls of a tool, and one continues when the
// other has ended.
func TestRemoteInstances(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	both := []*system.RemoteProcess{shared.RemoteProcess(t, tenant, "p1"), shared.RemoteProcess(t, tenant, "p2")}
	for i, p := range both {
		p.Always("looks", fmt.Sprintf(`{"status": "success", "result": %d}`, i))
		p.Register(shared.HTTP(i), system.LongTTL, system.ReadingTool("looks", ""))
	}
	system.Eventually(t, "both were asked", func() bool {
		system.UseTool(t, d, tenant, "looks", `{}`)
		return len(both[0].Received()) > 0 && len(both[1].Received()) > 0
	})
	both[0].Conn.Close()
	for range 20 {
		system.WantResult(t, system.UseTool(t, d, tenant, "looks", `{}`), "1")
	}
	d.Ask(t, tenant, "remote.unregister", nil, `{"instance": "p1"}`)
	system.WantResult(t, system.UseTool(t, d, tenant, "looks", `{}`), "1")
}

// TestRemoteDies: a process that is lost during a call with a side effect leaves its
// outcome unknown, and the call is not run again.
func TestRemoteDies(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	both := []*system.RemoteProcess{shared.RemoteProcess(t, tenant, "p1"), shared.RemoteProcess(t, tenant, "p2")}
	for _, p := range both {
		p.Answer("free.sends", func(system.RemoteCall) { p.Conn.Close() })
		p.Register(d, system.LongTTL, system.ActingTool("free.sends", "")+","+system.ActingTool("free.puts", `, "idempotent": true`))
		p.Answer("free.puts", func(system.RemoteCall) {})
	}
	system.WantError(t, system.RunsOut(t, d, tenant, `{"tool": "free.puts", "timeout_ms": %d}`), "timeout", "") // which may be run again
	e := system.RunsOut(t, d, tenant, `{"tool": "free.sends", "timeout_ms": %d}`)
	system.WantError(t, e, "outcome_unknown", "") // from the remote tool, or on a slow machine from the engine
	system.WantError(t, system.One(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "free.sends"}`, e.CallID)), "outcome_unknown", "")
	asked := 0
	for _, p := range both {
		for _, q := range p.Received() {
			if q.CallID == e.CallID {
				asked++
			}
		}
	}
	if asked != 1 {
		t.Errorf("the call was run %d times, want once", asked)
	}
}

// TestRemoteCancelled: the process receives the cancellation, also of a nested call.
func TestRemoteCancelled(t *testing.T) {
	t.Parallel()
	tenant, d := system.NewTenant(), shared.HTTP(0)
	p := shared.RemoteProcess(t, tenant, "p1")
	p.Register(d, system.LongTTL, system.ReadingTool("looks", "")+","+system.ActingTool("free.sends", ""))
	told := make(chan *nats.Msg, 100)
	if _, err := p.Conn.ChanSubscribe("helve.v1."+tenant+".cancel.*", told); err != nil {
		t.Fatal(err)
	}
	p.Answer("looks", func(system.RemoteCall) {})
	p.Answer("free.sends", func(system.RemoteCall) {})
	for id, tt := range map[string]struct{ call, cancelled, says string }{
		"c1": {`{"call_id": "c1", "tool": "looks"}`, "c1", "cancelled"},
		"c2": {`{"call_id": "c2", "tool": "free.sends"}`, "c2", "outcome_unknown"},
		// its item, or on a slow machine all of it
		"c3": {
			`{"call_id": "c3", "tool": "batch_use_tool", "arguments": {"calls": [{"tool_name": "looks", "arguments": {}}]}}`, "c3~1", "cancelled",
		},
	} {
		before := len(p.Received())
		system.Enqueue(t, d, tenant, tt.call)
		system.Eventually(t, id+" is with the process", func() bool { return len(p.Received()) > before })
		system.ByID(t, d, "calls.cancel", tenant, id)
		if e := system.Settled(t, d, tenant, id); !strings.Contains(e.ErrorType+string(e.Result), tt.says) {
			t.Errorf("the call ended as %v, want %s", e, tt.says)
		}
		system.Eventually(t, tt.cancelled+" was told to the process", func() bool {
			select {
			case m := <-told:
				return strings.HasSuffix(m.Subject, ".cancel."+tt.cancelled)
			default:
				return false
			}
		})
	}
}

// TestRemoteAfterRestart: registrations survive a restart of all dispatchers.
func TestRemoteAfterRestart(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	dispatcher := func() (system.Door, func() error) {
		t.Helper()
		drain, err := s.AddDispatcher()
		if err != nil {
			t.Fatal(err)
		}
		return s.HTTP(len(s.URLs) - 1), drain
	}
	d, drain := dispatcher()
	p := s.RemoteProcess(t, "default", "p1")
	p.Always("looks", fine)
	p.Register(d, system.LongTTL, system.ReadingTool("looks", ""))
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	d, _ = dispatcher()
	if !slices.Contains(system.ToolNames(t, d, "default", nil), "looks") {
		t.Error("the new dispatcher does not list the tool")
	}
	for range 10 {
		system.WantResult(t, system.One(t, d, "default", `{"tool": "looks"}`), "1")
	}
}
