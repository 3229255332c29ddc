package streams_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

func TestPrepareMakesStreams(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) {
		o.Prefix, o.CallsMaxAge, o.ResultsMaxAge = "my.helve", 3*time.Hour, 2*time.Hour
		o.CallsMaxBytes, o.DuplicateWindow = 1<<20, time.Minute
	})
	for _, name := range []string{streams.Calls, streams.Results, streams.Once, streams.Dead} {
		c := queuetest.ConfigOf(t, q, name)
		if c.Storage != jetstream.FileStorage || c.Replicas != 1 || c.NoAck || c.AllowRollup {
			t.Errorf("%s: storage %v, replicas %d, no_ack %v, rollup %v; want file, 1, false, false",
				name, c.Storage, c.Replicas, c.NoAck, c.AllowRollup)
		}
	}
	calls := queuetest.ConfigOf(t, q, streams.Calls)
	if calls.Retention != jetstream.WorkQueuePolicy || calls.Discard != jetstream.DiscardNew || calls.MaxAge != 3*time.Hour ||
		calls.MaxBytes != 1<<20 {
		t.Errorf("calls: retention %v, discard %v, max_age %v, max_bytes %d; want a work queue that refuses when full",
			calls.Retention, calls.Discard, calls.MaxAge, calls.MaxBytes)
	}
	if calls.Subjects[0] != "my.helve.*.call.>" {
		t.Errorf("calls take %q, want what lies below the prefix", calls.Subjects)
	}
}

// TestOnceOnlyStreamsCannotBeRewritten: "exactly one stored result" and the start fence
// depend on this.
func TestOnceOnlyStreamsCannotBeRewritten(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx := queuetest.Context(t)
	for _, name := range []string{streams.Results, streams.Once} {
		c := queuetest.ConfigOf(t, q, name)
		if c.MaxMsgsPerSubject != 1 || !c.DiscardNewPerSubject || c.Discard != jetstream.DiscardNew {
			t.Errorf("%s: %d a subject, discard new per subject %v, discard %v; want the first to stay",
				name, c.MaxMsgsPerSubject, c.DiscardNewPerSubject, c.Discard)
		}
		purge := name == streams.Once // results are purged once their records are on the trail
		if !c.DenyDelete || c.DenyPurge != purge || c.AllowRollup || c.Storage != jetstream.FileStorage {
			t.Errorf("%s: deny delete %v, deny purge %v, rollup %v, storage %v; want true, %v, false, file",
				name, c.DenyDelete, c.DenyPurge, c.AllowRollup, c.Storage, purge)
		}
	}
	if _, err := q.Calls.Accept(ctx, "acme", "c1", queue.Acceptance{Tool: "echo", Origin: q.Conn.ID()}); err != nil {
		t.Fatal(err)
	}
	once, err := q.Conn.JetStream().Stream(ctx, streams.Once)
	if err != nil {
		t.Fatal(err)
	}
	if err := once.DeleteMsg(ctx, 1); err == nil {
		t.Error("a once-only record was deleted, want that refused")
	}
}

func TestOnceRecordsOutliveWhatTheyGuard(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	calls, results := queuetest.ConfigOf(t, q, streams.Calls), queuetest.ConfigOf(t, q, streams.Results)
	once := queuetest.ConfigOf(t, q, streams.Once)
	const kept = time.Hour // for results that are on the trail
	if once.MaxAge <= calls.MaxAge+kept || results.MaxAge != kept+24*time.Hour {
		t.Errorf("once-only records live %v, want longer than calls and results together, %v; results live %v at most",
			once.MaxAge, calls.MaxAge+kept, results.MaxAge)
	}
}

// TestStepsThatWaitForPeopleAreKnown: the acceptance of a step outlives the longest time for which
// a person may be asked about it, and the stay of its result.
func TestStepsThatWaitForPeopleAreKnown(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.StepTTL = week })
	if once := queuetest.ConfigOf(t, q, streams.Once); once.MaxAge <= week+q.Options().ResultsMaxAge {
		t.Errorf("once-only records live %v, and a step waits for %v", once.MaxAge, week)
	}
}

func TestPrepareIsIdempotentAndConcurrent(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	var all sync.WaitGroup
	for range 4 {
		q := queuetest.Open(t, srv)
		all.Go(func() {
			for range 3 {
				if err := q.Prepare(queuetest.Context(t)); err != nil {
					t.Errorf("Prepare: %v", err)
				}
			}
			if err := q.Check(queuetest.Context(t)); err != nil {
				t.Errorf("Check after Prepare: %v", err)
			}
		})
	}
	all.Wait()
}

func TestPrepareMigratesAndKeepsWhatIsStored(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	old := queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxAge, o.CallsMaxAge = time.Hour, time.Hour })
	ctx := queuetest.Context(t)
	if err := old.Results.FinishWait(ctx, "acme", "default", "d-1", "c1", []byte(`{}`), nil); err != nil {
		t.Fatal(err)
	}
	young := queuetest.Connect(t, srv, func(o *queue.Options) { o.ResultsMaxAge, o.CallsMaxAge = 5*time.Hour, 7*time.Hour })
	if got := queuetest.ConfigOf(t, young, streams.Results).MaxAge; got != 29*time.Hour {
		t.Errorf("results live %v after the migration, want a day more than 5h", got)
	}
	if got := queuetest.ConfigOf(t, young, streams.Calls).MaxAge; got != 7*time.Hour {
		t.Errorf("calls live %v after the migration, want 7h", got)
	}
	if got, err := young.Results.Result(ctx, "acme", "c1"); err != nil || got == nil {
		t.Errorf("Result after the migration = %v, %v, want the stored one", got, err)
	}
}

func TestPrepareEndsWithItsContext(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Open(t, srv)
	srv.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Prepare(ctx); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Prepare without a server = %v, want ErrUnavailable", err)
	}
}

func TestEnsurePoolIsIdempotentAndOnePerPool(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.AckWait = 3 * time.Second })
	ctx := queuetest.Context(t)
	for _, pool := range []string{"default", "slow", "default"} {
		if err := q.Calls.EnsurePool(ctx, pool); err != nil {
			t.Fatalf("EnsurePool(%s): %v", pool, err)
		}
	}
	c, err := q.Conn.JetStream().Consumer(ctx, streams.Calls, "default")
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.CachedInfo().Config
	if cfg.AckPolicy != jetstream.AckExplicitPolicy || cfg.AckWait != 3*time.Second || cfg.MaxDeliver != -1 ||
		cfg.FilterSubject != "helve.v1.*.call.default.>" {
		t.Errorf("consumer = %+v, want explicit acks, the AckWait asked for, no end of deliveries, one pool", cfg)
	}
	if err := q.Calls.EnsurePool(ctx, "not.a.name"); err == nil {
		t.Error("EnsurePool(not.a.name) succeeded, want an error")
	}
}

// TestPrepareNeverShortensWhatParkedCallsNeed: a process with a shorter time in its
// settings leaves the streams of parked calls unchanged.
func TestPrepareNeverShortensWhatParkedCallsNeed(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	long := queuetest.Connect(t, srv, func(o *queue.Options) { o.ConsentTTL = 5 * time.Hour })
	before := map[string]time.Duration{}
	names := []string{
		streams.Once, streams.Parked, streams.Consent, streams.Decisions, streams.Timers, "KV_" + streams.BucketAsks,
		"OBJ_" + streams.ObjectsCalls,
	}
	for _, name := range names {
		before[name] = queuetest.ConfigOf(t, long, name).MaxAge
	}
	short := queuetest.Connect(t, srv, func(o *queue.Options) { o.ConsentTTL, o.ConsentsPerUser = time.Minute, 7 })
	for _, name := range names {
		if now := queuetest.ConfigOf(t, short, name).MaxAge; now < before[name] || now < 5*time.Hour {
			t.Errorf("%s: kept %v, and now %v; want no less", name, before[name], now)
		}
	}
	if got := queuetest.ConfigOf(t, short, streams.Consent).MaxMsgsPerSubject; got != 7 {
		t.Errorf("the inbox holds %d, want the new bound", got)
	}
	if once, parked := queuetest.ConfigOf(t, long, streams.Once).MaxAge, queuetest.ConfigOf(t, long, streams.Parked).MaxAge; once < parked {
		t.Errorf("once-only records live %v, parked calls %v: want them no shorter", once, parked)
	}
}
