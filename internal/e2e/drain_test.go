package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
)

// TestCallerThatLeaves: a call whose caller hung up goes on.
func TestCallerThatLeaves(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	events := shared.listen(t, tenant)
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, shared.urls[0]+"/v1/execute",
		strings.NewReader(`{"calls": [{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 100}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Helve-Tenant", tenant)
	gone := make(chan error, 1)
	go func() {
		res, err := shared.client.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		gone <- err
	}()
	events.until("started", "c1")
	hangUp()
	<-gone
	wantResult(t, settled(t, shared.http(1), tenant, "c1"), `{"written":true}`)
	shared.wantLedger(t, tenant, "k c1")
}

// TestDispatcherDrains: who waits at a dispatcher that stops is told that the
// call is pending, and finds it at another.
func TestDispatcherDrains(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.HTTP.ShutdownTimeout = 2 * time.Second }})
	kit, err := s.newKit()
	if err != nil {
		t.Fatal(err)
	}
	drain, err := s.addDispatcher(kit)
	if err != nil {
		t.Fatal(err)
	}
	events := s.listen(t, "default")
	waiting := make(chan element, 1)
	go func() {
		defer close(waiting)
		waiting <- one(t, s.http(1), "default", `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	}()
	events.until("started", "c1")
	stream := s.http(1).follow(t, "default", newTrace(), "")
	if err := drain(); err != nil {
		t.Errorf("drain: %v", err)
	}
	if e := <-waiting; e.Status != "pending" || e.State != "running" {
		t.Errorf("who waited was answered %v, want pending running", e)
	}
	if res, err := s.client.Get(s.urls[1] + "/v1/groups"); err == nil {
		_ = res.Body.Close()
		t.Errorf("a dispatcher that stopped answers %s", res.Status)
	}
	if stream.scan.Scan() {
		t.Errorf("the event stream of a stopped dispatcher says %q", stream.scan.Text())
	}
	wantError(t, byID(t, s.http(0), "calls.cancel", "default", "c1"), "cancelled", "")
	wantResult(t, one(t, s.nats(), "default", echo("1")), "1")
}

// TestWorkerDrains: a worker that stops finishes what it runs and leaves the
// rest to others.
func TestWorkerDrains(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{config: func(c *config.Config) { c.Worker.Slots = 1 }})
	release := s.occupy(t, "hold")
	drain, err := s.addWorker()
	if err != nil {
		t.Fatal(err)
	}
	events := s.listen(t, "default")
	queue(t, s.http(0), "default", `{"call_id": "runs", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 200}}`)
	events.until("started", "runs")
	queue(t, s.http(0), "default", `{"call_id": "waits", "tool": "debug.effect", "arguments": {"key": "k"}}`)
	if err := drain(); err != nil {
		t.Errorf("drain: %v", err)
	}
	wantResult(t, byID(t, s.http(0), "calls.get", "default", "runs"), `{"written":true}`)
	release()
	wantResult(t, settled(t, s.http(0), "default", "waits"), `{"written":true}`)
	s.wantLedger(t, "default", "k runs", "k waits")
}
