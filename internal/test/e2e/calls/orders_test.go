package calls

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/protocol"
)

// operator returns a client of a system, over HTTP or NATS.
func operator(t *testing.T, s *system.System, url string, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// isType reports whether a request was refused for that reason.
func isType(err error, reason string) bool {
	refused, ok := errors.AsType[*client.RequestError](err)
	return ok && refused.Type == reason
}

// TestOrdersToWorkers: over HTTP and over NATS an operator pauses a pool, workers that start
// later included, resumes it, and drains a worker, which ends in order while its calls end.
// Each order is on the trail.
func TestOrdersToWorkers(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{})
	web, bus := operator(t, s, s.URLs[0]), operator(t, s, s.Config.NATS.URL)
	first, err := web.BriefWorkers(system.Context(t))
	if err != nil || len(first) != 1 || first[0].State != protocol.WorkerRunning {
		t.Fatalf("workers = %+v, %v", first, err)
	}
	one := first[0].ID
	if done, err := web.OrderPool(system.Context(t), "default", client.PauseWorkers); err != nil || len(done.Workers) != 1 {
		t.Fatalf("pause = %+v, %v", done, err)
	}
	workers := func(what string, ok func([]client.Worker) bool) {
		t.Helper()
		system.Eventually(t, what, func() bool {
			list, err := bus.BriefWorkers(system.Context(t))
			return err == nil && ok(list)
		})
	}
	workers("the worker is paused", func(list []client.Worker) bool { return list[0].State == protocol.WorkerPaused })
	if _, err := s.AddWorker(); err != nil {
		t.Fatal(err)
	}
	workers("the second worker starts paused", func(list []client.Worker) bool {
		return len(list) == 2 && list[0].State == protocol.WorkerPaused && list[1].State == protocol.WorkerPaused
	})
	if e := system.Enqueue(t, s.HTTP(0), "default",
		`{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 50}}`); e.Status != "pending" {
		t.Errorf("a call to a paused pool is %+v", e)
	}
	system.Eventually(t, "the call waits", func() bool {
		pools, err := bus.Pools(system.Context(t))
		return err == nil && pools[0].Backlog == 1 && pools[0].Paused && pools[0].PausedWorkers == 2 && pools[0].OldestSeconds > 0
	})
	if done, err := bus.OrderWorker(system.Context(t), one, client.ResumeWorkers); err != nil ||
		!strings.Contains(done.Message, "pool default is paused too") {
		t.Errorf("resume of a worker in a paused pool = %+v, %v", done, err)
	}
	if _, err := bus.OrderWorker(system.Context(t), one, client.PauseWorkers); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.OrderPool(system.Context(t), "default", client.ResumeWorkers); err != nil {
		t.Fatal(err)
	}
	e := system.Settled(t, s.HTTP(0), "default", "c1")
	system.WantResult(t, e, `{"written":true}`)
	if e.Worker == one {
		t.Errorf("the call ran on worker %s, which is paused by itself", one)
	}
	if _, err := web.OrderWorker(system.Context(t), e.Worker, client.DrainWorkers); err != nil {
		t.Fatal(err)
	}
	workers("the other worker has left", func(list []client.Worker) bool { return len(list) == 1 && list[0].ID == one })
	if _, err := web.OrderWorker(system.Context(t), e.Worker, client.DrainWorkers); !isType(err, client.NotFound) {
		t.Errorf("drain of a worker that is gone: %v", err)
	}
	if _, err := web.OrderWorker(system.Context(t), one, client.ResumeWorkers); err != nil {
		t.Fatal(err)
	}
	s.WantLedger(t, "default", "k c1")
	page, err := web.AuditQuery(system.Context(t), client.AuditFilter{Phase: string(protocol.AuditFleetChanged)})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range page.Records {
		told = append(told, strings.Replace(strings.Replace(r.Detail, one, "one", 1), e.Worker, "two", 1))
	}
	const want = "pool default: pause ordered, worker one: resume ordered, worker one: pause ordered, pool default: " +
		"resume ordered, worker two: drain ordered, worker one: resume ordered"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("on the trail: %s\nwant %s", got, want)
	}
}

// TestOrdersByOthers: an agent's key, a person's and an auditor's cannot order workers.
func TestOrdersByOthers(t *testing.T) {
	t.Parallel()
	file, keys := system.KeysFile(t,
		identity.Entry{User: "ann", Agent: "bot", Roles: []string{"agent"}}, identity.Entry{User: "ann", Roles: []string{"user", "approver"}},
		identity.Entry{User: "eve", Roles: []string{"auditor"}}, identity.Entry{User: "ops", Roles: []string{"admin"}},
	)
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Auth.KeysFile = file }})
	for i, key := range keys {
		c := operator(t, s, s.URLs[0], client.WithToken(key))
		_, err := c.OrderPool(system.Context(t), "default", client.PauseWorkers)
		if admin := i == len(keys)-1; admin != (err == nil) || !admin && !isType(err, client.Forbidden) {
			t.Errorf("pause by key %d: %v", i, err)
		}
		if _, err := c.Pools(system.Context(t)); (i >= 2) != (err == nil) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("list of pools by key %d: %v", i, err)
		}
	}
}
