package syscheck

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/protocol"
)

// checker returns a checker of a system without faults, with one worker in the pool
// default, and its NATS.
func checker(t *testing.T) (*Checker, *embedded.Server, *queue.Queue) {
	t.Helper()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	live := fleet.Live{"default": {{ID: "w1", Workspace: "A", Version: "v1"}}}
	return &Checker{
		Queue: q, Live: func() fleet.Live { return live }, Version: "v1", Data: t.TempDir(),
		Lost:     func() []fleet.Lost { return nil },
		Paused:   func(context.Context) (map[string]fleet.Order, error) { return nil, nil },
		Index:    func(context.Context) error { return nil },
		SealKey:  func(context.Context) (bool, error) { return true, nil },
		Audit:    func(context.Context) (AuditState, error) { return AuditState{}, nil },
		Expiring: func() int { return 0 },
		Services: func(context.Context) (ServiceState, error) { return ServiceState{Current: "abc", Entries: 2}, nil },
	}, srv, q
}

// wants fails unless a part has a finding of a level with a text.
func wants(t *testing.T, c *Checker, part, level, text string) {
	t.Helper()
	report := c.Check(t.Context())
	for _, f := range report.Findings {
		if f.Part == part && f.Level == level && strings.Contains(f.Message, text) && (f.Advice != "") == (level != protocol.FindingOK) {
			return
		}
	}
	t.Errorf("no finding %s %s %q in %+v", part, level, text, report.Findings)
}

func TestWholeSystem(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	parts := map[string]bool{}
	for _, f := range c.Check(t.Context()).Findings {
		parts[f.Part] = true
		if f.Level != protocol.FindingOK && f.Part != "disk" {
			t.Errorf("in a whole system: %+v", f)
		}
	}
	if len(parts) != 19 {
		t.Errorf("findings of %d parts, want 19: %v", len(parts), parts)
	}
}

// TestClocks: a worker answers with the time by its own clock.
func TestClocks(t *testing.T) {
	t.Parallel()
	c, _, q := checker(t)
	ahead := make(chan time.Duration, 1)
	ahead <- time.Second
	_, err := q.Conn.NATS().Subscribe("helve.v1.*.probe.list", func(msg *nats.Msg) {
		by := <-ahead
		ahead <- by
		data, err := json.Marshal(map[string]any{"by": "w1", "now": time.Now().Add(by)})
		if err == nil {
			err = q.Conn.NATS().Publish(msg.Reply, data)
		}
		if err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	wants(t, c, "clocks", protocol.FindingWarning, "the clock of worker w1 differs by")
	<-ahead
	ahead <- -time.Hour
	wants(t, c, "clocks", protocol.FindingError, "permissions are refused")
	<-ahead
	ahead <- 0
	wants(t, c, "clocks", protocol.FindingOK, "of 1 workers")
}

// TestPools: calls that wait without a worker, and calls that wait long.
func TestPools(t *testing.T) {
	t.Parallel()
	c, _, q := checker(t)
	if err := q.Calls.EnsurePool(t.Context(), "heavy"); err != nil {
		t.Fatal(err)
	}
	stored := make(chan error, 1)
	q.Calls.Submit(&call.Call{ID: "c1", TraceID: "t", Tool: "look", Origin: "d", Tenant: "acme", Pool: "heavy"},
		func(err error) { stored <- err })
	if err := queuetest.Receive(t, stored, "acknowledgement"); err != nil {
		t.Fatal(err)
	}
	wants(t, c, "pools", protocol.FindingError, "1 calls wait in pool heavy, which has no worker")
	c.Paused = func(context.Context) (map[string]fleet.Order, error) {
		return map[string]fleet.Order{"default": {By: "ada", At: time.Now()}}, nil
	}
	wants(t, c, "pools", protocol.FindingWarning, "pool default has been paused since")
	if found := c.pools(t.Context()); len(found) != 2 || found[0].Subject != "default" || found[1].Subject != "heavy" {
		t.Errorf("the findings are about other pools: %+v", found)
	}
	c.Live = func() fleet.Live { return fleet.Live{} }
	wants(t, c, "workers", protocol.FindingError, "no worker is running")
}

// TestRunbooks: every page that a finding names exists.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`about\("(\w+)"`)
	pages := 0
	for _, file := range []string{"audit.go", "faults.go", "nats.go", "parts.go", "syscheck.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(source, -1) {
			pages++
			if _, err := os.Stat(filepath.Join("..", "..", "..", "docs", "runbooks", string(m[1])+".md")); err != nil {
				t.Error(err)
			}
		}
	}
	if pages < 10 {
		t.Errorf("%d findings name a page, want at least 10", pages)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	c.Version = "v2"
	wants(t, c, "versions", protocol.FindingWarning, "this dispatcher is v2, but other processes are not: workers v1")
	c.Index = func(context.Context) error { return errors.New("connection refused") }
	wants(t, c, "database", protocol.FindingError, "connection refused")
	c.Audit = func(context.Context) (AuditState, error) {
		return AuditState{Unsealed: 2 * time.Minute, Unindexed: 10_001}, nil
	}
	wants(t, c, "audit", protocol.FindingError, "have waited for a seal for 2m0s")
	wants(t, c, "audit", protocol.FindingWarning, "10001 messages behind")
	c.Expiring = func() int { return 3 }
	wants(t, c, "consents", protocol.FindingWarning, "3 requests wait for a person")
	c.SealKey = func(context.Context) (bool, error) { return false, nil }
	wants(t, c, "keys", protocol.FindingError, "not published")
	c.Data = "/nonexistent/directory"
	wants(t, c, "disk", protocol.FindingWarning, "not readable")
}

// TestVersions: dispatchers and workers of another version than this dispatcher are named.
func TestVersions(t *testing.T) {
	t.Parallel()
	c, _, q := checker(t)
	serve := func(version string) {
		stop, err := q.API.Serve(t.Context(), version, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stop(context.WithoutCancel(t.Context())) })
	}
	serve("v1")
	wants(t, c, "versions", protocol.FindingOK, "1 dispatchers and all workers are v1; NATS is 2.")
	serve("v1-4-gabc") // no semantic version
	wants(t, c, "versions", protocol.FindingWarning, "dispatchers v1-4-gabc")
}

// TestDiskOfNATS: the streams come near the bound of the account.
func TestDiskOfNATS(t *testing.T) {
	t.Parallel()
	c, _, _ := checker(t)
	wants(t, c, "disk", protocol.FindingOK, "the account has no bound")
	const disk = 30 << 20
	opts := &server.Options{
		Host:              "127.0.0.1",
		Port:              server.RANDOM_PORT,
		JetStream:         true,
		StoreDir:          t.TempDir(),
		JetStreamMaxStore: 2 * disk,
		NoSigs:            true,
		NoLog:             true,
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(queuetest.Patience) {
		t.Fatal("the server is not ready")
	}
	if err := srv.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{
		"": {MaxMemory: -1, MaxStore: disk, MaxStreams: -1, MaxConsumers: -1},
	}); err != nil {
		t.Fatal(err)
	}
	if c.Queue, err = queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: srv.ClientURL()}}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Queue.Close)
	queuetest.Until(t, "connected", c.Queue.Conn.NATS().IsConnected)
	js := c.Queue.Conn.JetStream()
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	wants(t, c, "disk", protocol.FindingOK, "the streams hold 0 of 30 MiB")
	for range 26 {
		if _, err := js.Publish(t.Context(), "s", make([]byte, 1_000_000)); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, c, "disk", protocol.FindingWarning, "the streams hold 8")
}

// TestNATSAway: while NATS does not answer there is a finding for each part all the same.
func TestNATSAway(t *testing.T) {
	t.Parallel()
	c, srv, _ := checker(t)
	srv.Stop()
	parts := map[string]string{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for _, f := range c.Check(ctx).Findings {
		parts[f.Part] = f.Level
	}
	if len(parts) != 19 || parts["nats"] != protocol.FindingError || parts["streams"] != protocol.FindingError {
		t.Errorf("without NATS the findings are %v", parts)
	}
}
