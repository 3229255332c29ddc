package bus_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// configOf reads a stream's configuration back from the server.
func configOf(t *testing.T, b *bus.Bus, stream string) jetstream.StreamConfig {
	t.Helper()
	s, err := b.JetStream().Stream(bustest.Context(t), stream)
	if err != nil {
		t.Fatalf("stream %s: %v", stream, err)
	}
	return s.CachedInfo().Config
}

func TestPrepareMakesStreams(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) {
		o.Prefix, o.CallsMaxAge, o.ResultsMaxAge = "my.helve", 3*time.Hour, 2*time.Hour
		o.CallsMaxBytes, o.DuplicateWindow = 1<<20, time.Minute
	})
	for _, name := range []string{bus.StreamCalls, bus.StreamResults, bus.StreamOnce, bus.StreamDead} {
		c := configOf(t, b, name)
		if c.Storage != jetstream.FileStorage || c.Replicas != 1 || c.NoAck || c.AllowRollup {
			t.Errorf("%s: storage %v, replicas %d, no_ack %v, rollup %v; want file, 1, false, false", name, c.Storage, c.Replicas, c.NoAck, c.AllowRollup)
		}
	}
	calls := configOf(t, b, bus.StreamCalls)
	if calls.Retention != jetstream.WorkQueuePolicy || calls.Discard != jetstream.DiscardNew || calls.MaxAge != 3*time.Hour || calls.MaxBytes != 1<<20 {
		t.Errorf("calls: retention %v, discard %v, max_age %v, max_bytes %d; want a work queue that refuses when full", calls.Retention, calls.Discard, calls.MaxAge, calls.MaxBytes)
	}
	if calls.Subjects[0] != "my.helve.*.call.>" {
		t.Errorf("calls take %q, want what lies below the prefix", calls.Subjects)
	}
}

// TestOnceOnlyStreamsCannotBeRewritten is what "exactly one stored result" and
// the start fence stand on.
func TestOnceOnlyStreamsCannotBeRewritten(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx := bustest.Context(t)
	for _, name := range []string{bus.StreamResults, bus.StreamOnce} {
		c := configOf(t, b, name)
		if c.MaxMsgsPerSubject != 1 || !c.DiscardNewPerSubject || c.Discard != jetstream.DiscardNew {
			t.Errorf("%s: %d a subject, discard new per subject %v, discard %v; want the first to stay", name, c.MaxMsgsPerSubject, c.DiscardNewPerSubject, c.Discard)
		}
		if !c.DenyDelete || !c.DenyPurge || c.AllowRollup || c.Storage != jetstream.FileStorage {
			t.Errorf("%s: deny delete %v, deny purge %v, rollup %v, storage %v; want true, true, false, file", name, c.DenyDelete, c.DenyPurge, c.AllowRollup, c.Storage)
		}
		s, err := b.JetStream().Stream(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Purge(ctx); err == nil {
			t.Errorf("%s was purged, want that refused", name)
		}
	}
	if _, err := b.Accept(ctx, "acme", "c1", bus.Acceptance{Tool: "echo", Origin: b.ID()}); err != nil {
		t.Fatal(err)
	}
	once, err := b.JetStream().Stream(ctx, bus.StreamOnce)
	if err != nil {
		t.Fatal(err)
	}
	if err := once.DeleteMsg(ctx, 1); err == nil {
		t.Error("a once-only record was deleted, want that refused")
	}
}

func TestOnceRecordsOutliveWhatTheyGuard(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	calls, results, once := configOf(t, b, bus.StreamCalls), configOf(t, b, bus.StreamResults), configOf(t, b, bus.StreamOnce)
	if once.MaxAge <= calls.MaxAge+results.MaxAge {
		t.Errorf("once-only records live %v, want longer than calls and results together, %v", once.MaxAge, calls.MaxAge+results.MaxAge)
	}
}

func TestPrepareIsIdempotentAndConcurrent(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	var all sync.WaitGroup
	for range 4 {
		b := bustest.Open(t, srv)
		all.Go(func() {
			for range 3 {
				if err := b.Prepare(bustest.Context(t)); err != nil {
					t.Errorf("Prepare: %v", err)
				}
			}
			if err := b.Check(bustest.Context(t)); err != nil {
				t.Errorf("Check after Prepare: %v", err)
			}
		})
	}
	all.Wait()
}

func TestPrepareMigratesAndKeepsWhatIsStored(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	old := bustest.Connect(t, srv, func(o *bus.Options) { o.ResultsMaxAge, o.CallsMaxAge = time.Hour, time.Hour })
	ctx := bustest.Context(t)
	if err := old.FinishWait(ctx, "acme", "d-1", "c1", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	young := bustest.Connect(t, srv, func(o *bus.Options) { o.ResultsMaxAge, o.CallsMaxAge = 5*time.Hour, 7*time.Hour })
	if got := configOf(t, young, bus.StreamResults).MaxAge; got != 5*time.Hour {
		t.Errorf("results live %v after the migration, want 5h", got)
	}
	if got := configOf(t, young, bus.StreamCalls).MaxAge; got != 7*time.Hour {
		t.Errorf("calls live %v after the migration, want 7h", got)
	}
	if got, err := young.Result(ctx, "acme", "c1"); err != nil || got == nil {
		t.Errorf("Result after the migration = %v, %v, want the stored one", got, err)
	}
}

func TestPrepareEndsWithItsContext(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Open(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Prepare(ctx); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Prepare without a server = %v, want ErrUnavailable", err)
	}
}

func TestEnsurePoolIsIdempotentAndOnePerPool(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.AckWait = 3 * time.Second })
	ctx := bustest.Context(t)
	for _, pool := range []string{"default", "slow", "default"} {
		if err := b.EnsurePool(ctx, pool); err != nil {
			t.Fatalf("EnsurePool(%s): %v", pool, err)
		}
	}
	c, err := b.JetStream().Consumer(ctx, bus.StreamCalls, "default")
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.CachedInfo().Config
	if cfg.AckPolicy != jetstream.AckExplicitPolicy || cfg.AckWait != 3*time.Second || cfg.MaxDeliver != -1 || cfg.FilterSubject != "helve.v1.*.call.default.>" {
		t.Errorf("consumer = %+v, want explicit acks, the AckWait asked for, no end of deliveries, one pool", cfg)
	}
	if err := b.EnsurePool(ctx, "not.a.name"); err == nil {
		t.Error("EnsurePool(not.a.name) succeeded, want an error")
	}
}

// TestPrepareNeverShortensWhatParkedCallsNeed: a process that is told of a
// shorter time leaves what others parked.
func TestPrepareNeverShortensWhatParkedCallsNeed(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	long := bustest.Connect(t, srv, func(o *bus.Options) { o.ConsentTTL = 5 * time.Hour })
	before := map[string]time.Duration{}
	streams := []string{bus.StreamOnce, bus.StreamParked, bus.StreamConsent, bus.StreamDecisions, bus.StreamTimers, "KV_" + bus.BucketAsks, "OBJ_" + bus.ObjectsCalls}
	for _, name := range streams {
		before[name] = configOf(t, long, name).MaxAge
	}
	short := bustest.Connect(t, srv, func(o *bus.Options) { o.ConsentTTL, o.ConsentsPerUser = time.Minute, 7 })
	for _, name := range streams {
		if now := configOf(t, short, name).MaxAge; now < before[name] || now < 5*time.Hour {
			t.Errorf("%s: kept %v, and now %v; want no less", name, before[name], now)
		}
	}
	if got := configOf(t, short, bus.StreamConsent).MaxMsgsPerSubject; got != 7 {
		t.Errorf("the inbox holds %d, want the new bound", got)
	}
	if once, parked := configOf(t, long, bus.StreamOnce).MaxAge, configOf(t, long, bus.StreamParked).MaxAge; once < parked {
		t.Errorf("once-only records live %v, parked calls %v: want them no shorter", once, parked)
	}
}
