package calls

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// TestCallerThatLeaves: a call whose caller disconnected continues.
func TestCallerThatLeaves(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	events := shared.Listen(t, tenant)
	ctx, hangUp := context.WithCancel(system.Context(t))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, shared.URLs[0]+"/v1/execute",
		strings.NewReader(`{"calls": [{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 100}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Helve-Tenant", tenant)
	gone := make(chan error, 1)
	go func() {
		res, err := shared.Client.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		gone <- err
	}()
	events.Until("started", "c1")
	hangUp()
	system.Receive(t, "the request has ended", gone)
	system.WantResult(t, system.Settled(t, shared.HTTP(1), tenant, "c1"), `{"written":true}`)
	shared.WantLedger(t, tenant, "k c1")
}

// TestDispatcherDrains: callers that wait at a stopping dispatcher get the state pending,
// and find the call at another.
func TestDispatcherDrains(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.HTTP.ShutdownTimeout = 2 * time.Second }})
	drain, err := s.AddDispatcher()
	if err != nil {
		t.Fatal(err)
	}
	events := s.Listen(t, "default")
	waiting := make(chan system.Element, 1)
	go func() {
		defer close(waiting)
		waiting <- system.One(t, s.HTTP(1), "default", `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	}()
	events.Until("started", "c1")
	stream := s.HTTP(1).Follow(t, "default", system.NewTrace(), "")
	if err := drain(); err != nil {
		t.Errorf("drain: %v", err)
	}
	if e := system.Receive(t, "the waiting caller has an answer", waiting); e.Status != "pending" || e.State != "running" {
		t.Errorf("who waited was answered %v, want pending running", e)
	}
	if res, err := s.Client.Get(s.URLs[1] + "/v1/groups"); err == nil {
		_ = res.Body.Close()
		t.Errorf("a dispatcher that stopped answers %s", res.Status)
	}
	if stream.Scan.Scan() {
		t.Errorf("the event stream of a stopped dispatcher says %q", stream.Scan.Text())
	}
	system.WantError(t, system.ByID(t, s.HTTP(0), "calls.cancel", "default", "c1"), "cancelled", "")
	system.WantResult(t, system.One(t, s.NATS(), "default", system.EchoCall("1")), "1")
}

// TestWorkerDrains: a worker that stops finishes its running calls and leaves the rest to
// others.
func TestWorkerDrains(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Worker.Slots = 1 }})
	release := s.Occupy(t, "hold")
	drain, err := s.AddWorker()
	if err != nil {
		t.Fatal(err)
	}
	events := s.Listen(t, "default")
	system.Enqueue(t, s.HTTP(0), "default", `{"call_id": "runs", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 200}}`)
	events.Until("started", "runs")
	system.Enqueue(t, s.HTTP(0), "default", `{"call_id": "waits", "tool": "debug.effect", "arguments": {"key": "k"}}`)
	if err := drain(); err != nil {
		t.Errorf("drain: %v", err)
	}
	system.WantResult(t, system.ByID(t, s.HTTP(0), "calls.get", "default", "runs"), `{"written":true}`)
	release()
	system.WantResult(t, system.Settled(t, s.HTTP(0), "default", "waits"), `{"written":true}`)
	s.WantLedger(t, "default", "k runs", "k waits")
}
