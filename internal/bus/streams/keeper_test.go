package streams_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// accepting opens a queue as a dispatcher does, whose streams are no longer new.
func accepting(t *testing.T, srv *embedded.Server, tune ...func(*queue.Options)) *queue.Queue {
	t.Helper()
	q := queuetest.Open(t, srv, append(tune, func(o *queue.Options) { o.Accepts = true })...)
	q.Old()
	if err := q.Prepare(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	return q
}

func TestUpkeepNamesEveryStream(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t))
	names := q.TopologyNames()
	slices.Sort(names)
	if rows := slices.Sorted(maps.Keys(streams.Upkeep())); !slices.Equal(rows, names) {
		t.Errorf("the table of upkeep has %v, want the streams %v", rows, names)
	}
}

// TestNothingToMend: streams as Helve makes them are left alone.
func TestNothingToMend(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	for _, q := range []*queue.Queue{accepting(t, srv), accepting(t, srv)} {
		q.LookAfter()
		q.LookAfter()
		for _, c := range q.Conditions() {
			if c.Mended > 0 || c.Problem != "" {
				t.Errorf("condition %+v, want no problem", c)
			}
		}
		if n := len(q.Conditions()); n != len(q.TopologyNames()) {
			t.Errorf("%d streams were looked at, want %d", n, len(q.TopologyNames()))
		}
	}
}

// TestDeletedStream deletes each stream behind the back of a running process: it is made
// again, or readiness names it until an operator has decided.
func TestDeletedStream(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it deletes every stream and waits until each is made again")
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := accepting(t, srv)
	q.LookAfter()
	for name, remade := range streams.Upkeep() {
		t.Run(name, func(t *testing.T) {
			ctx := queuetest.Context(t)
			changed := natsio.Remade(q.Conn, name)
			if err := js.DeleteStream(ctx, name); err != nil {
				t.Fatal(err)
			}
			if remade {
				queuetest.Receive(t, changed, "signal that the stream was made again")
				if _, err := js.Stream(ctx, name); err != nil {
					t.Errorf("the stream after that: %v", err)
				}
				queuetest.Until(t, "ready", func() bool { return q.Check(ctx) == nil })
				if c := condition(q, name); c.Mended == 0 {
					t.Errorf("condition %+v, want it counted as mended", c)
				}
				return
			}
			queuetest.Until(t, "not ready, with the reason and the remedy", func() bool {
				err := q.Check(ctx)
				return err != nil && !slices.ContainsFunc([]string{name, "is missing", "backup", "restart a dispatcher"}, func(want string) bool {
					return !strings.Contains(err.Error(), want)
				})
			})
			if _, err := js.Stream(ctx, name); err == nil {
				t.Error("the stream was made again, want that left to an operator")
			}
			if err := accepting(t, srv).Check(ctx); err != nil { // the restart of a dispatcher
				t.Errorf("Check of a dispatcher that started after it = %v", err)
			}
			queuetest.Until(t, "ready again", func() bool { return q.Check(ctx) == nil })
		})
	}
}

// TestNoticedInTime: one look notices what was deleted, and looks follow each other so closely
// that the time which docs/cluster.md promises is kept.
func TestNoticedInTime(t *testing.T) {
	t.Parallel()
	promised := queuetest.Noticed(t)
	if stream := streams.NoticedWithin(); stream > promised {
		t.Errorf("streams are looked at within %v, promised are %v", stream, promised)
	}

	srv := queuetest.Server(t)
	q := accepting(t, srv)
	q.LookAfter()
	if err := queuetest.Outsider(t, srv.URL()).DeleteStream(t.Context(), streams.Seals); err != nil {
		t.Fatal(err)
	}
	q.LookAfter()
	if c := condition(q, streams.Seals); !strings.Contains(c.Problem, "is missing") {
		t.Errorf("after one look the condition is %+v, want it missing", c)
	}
}

func condition(q *queue.Queue, name string) streams.Condition {
	for _, c := range q.Conditions() {
		if c.Name == name {
			return c
		}
	}
	return streams.Condition{}
}

// TestEmptyServer: a server that lost all its data gets all streams again.
func TestEmptyServer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := accepting(t, srv)
	q.LookAfter()
	for _, name := range q.TopologyNames() {
		if err := js.DeleteStream(queuetest.Context(t), name); err != nil && !strings.Contains(err.Error(), "not found") {
			t.Fatal(err)
		}
	}
	queuetest.Until(t, "ready again", func() bool { return q.Check(queuetest.Context(t)) == nil })
}

// TestAlteredStream alters settings behind the back of a running process. They are changed
// back if that loses nothing.
func TestAlteredStream(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it alters streams and waits until each is changed back")
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := accepting(t, srv)
	type config = jetstream.StreamConfig
	for name, c := range map[string]struct {
		stream string
		alter  func(*config)
		is     func(*config) bool
	}{
		"a shorter age": {
			streams.Calls, func(c *config) { c.MaxAge = time.Hour }, func(c *config) bool { return c.MaxAge == 24*time.Hour },
		},
		"other subjects": {
			streams.Audit, func(c *config) { c.Subjects = []string{"nobody"} },
			func(c *config) bool { return c.Subjects[0] == "helve.v1.*.audit.>" },
		},
		"no republishing": {
			streams.Results, func(c *config) { c.RePublish = nil }, func(c *config) bool { return c.RePublish != nil },
		},
		"the last message stays": {
			streams.Once, func(c *config) { c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false },
			func(c *config) bool { return c.DiscardNewPerSubject },
		},
		"several for a subject": {
			streams.Once, func(c *config) { c.MaxMsgsPerSubject = 9 }, func(c *config) bool { return c.MaxMsgsPerSubject == 1 },
		},
		"old calls are displaced": {
			streams.Calls, func(c *config) { c.Discard = jetstream.DiscardOld },
			func(c *config) bool { return c.Discard == jetstream.DiscardNew },
		},
		"a bucket with an age": {
			"KV_" + streams.BucketGrants, func(c *config) { c.MaxAge, c.Duplicates = time.Hour, time.Minute },
			func(c *config) bool { return c.MaxAge == 0 },
		},
		"no acknowledgements": {streams.Audit, func(c *config) { c.NoAck = true }, func(c *config) bool { return !c.NoAck }},
		"no stamp": {
			streams.Dead, func(c *config) { c.Metadata, c.MaxAge = nil, time.Hour }, func(c *config) bool { return c.MaxAge == 7*24*time.Hour },
		},
	} {
		t.Run(name, func(t *testing.T) {
			altered := queuetest.ConfigOf(t, q, c.stream)
			c.alter(&altered)
			if _, err := js.UpdateStream(queuetest.Context(t), altered); err != nil {
				t.Fatal(err)
			}
			queuetest.Until(t, "settings changed back", func() bool { is := queuetest.ConfigOf(t, q, c.stream); return c.is(&is) })
			queuetest.Until(t, "ready", func() bool { return q.Check(queuetest.Context(t)) == nil && condition(q, c.stream).Mended > 0 })
		})
	}
}

// TestFewerBytes: bytes that something else has lowered are raised by the next plan, to the share
// of the stream in the storage that there is.
func TestFewerBytes(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := accepting(t, srv)
	for _, stream := range []string{streams.Results, streams.Dead} {
		before := queuetest.ConfigOf(t, q, stream)
		altered := before
		altered.MaxBytes = 1 << 20
		if _, err := js.UpdateStream(queuetest.Context(t), altered); err != nil {
			t.Fatal(err)
		}
		if err := q.Grow(queuetest.Context(t)); err != nil {
			t.Fatal(err)
		}
		if is := queuetest.ConfigOf(t, q, stream).MaxBytes; is != before.MaxBytes {
			t.Errorf("%s is bounded to %d bytes, want %d as before", stream, is, before.MaxBytes)
		}
	}
}

// TestAlterationThatStays: what cannot be changed back, or not without loss, is reported, and
// a wider bound is left as it is.
func TestAlterationThatStays(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := accepting(t, srv)
	ctx := queuetest.Context(t)

	wide := queuetest.ConfigOf(t, q, streams.Dead)
	wide.MaxAge, wide.Description = 30*24*time.Hour, "an operator's"
	if _, err := js.UpdateStream(ctx, wide); err != nil {
		t.Fatal(err)
	}
	q.LookAfter()
	if is := queuetest.ConfigOf(t, q, streams.Dead); is.MaxAge != wide.MaxAge || q.Check(ctx) != nil {
		t.Errorf("a longer age became %v, Check = %v; want it left", is.MaxAge, q.Check(ctx))
	}

	queuetest.Until(t, "two verdicts under one subject", func() bool { // before the settings are changed back
		doubled := queuetest.ConfigOf(t, q, streams.Parked)
		doubled.MaxMsgsPerSubject = 5
		if _, err := js.UpdateStream(ctx, doubled); err != nil {
			t.Fatal(err)
		}
		_, _ = js.Publish(ctx, "helve.v1.acme.verdict.c.v", []byte("{}")) // refused if there is one from an attempt before
		_, err := js.Publish(ctx, "helve.v1.acme.verdict.c.v", []byte("{}"))
		return err == nil
	})
	q.LookAfter()
	if err := q.Check(ctx); err == nil || !strings.Contains(err.Error(), "max_msgs_per_subject is 5, want 1") {
		t.Errorf("Check with two verdicts under one subject = %v, want it named: narrowing would remove the first", err)
	}
	if err := js.DeleteStream(ctx, streams.Parked); err != nil {
		t.Fatal(err)
	}
	accepting(t, srv)

	sealed := queuetest.ConfigOf(t, q, streams.Dead)
	sealed.Sealed = true
	if _, err := js.UpdateStream(ctx, sealed); err != nil {
		t.Fatal(err)
	}
	q.LookAfter()
	if err := q.Check(ctx); err == nil || !strings.Contains(err.Error(), "HELVE_DEAD was altered: sealed is true") {
		t.Errorf("Check with a sealed stream = %v, want it named", err)
	}
}

// TestProcessesWithOtherSettings: two dispatchers with different settings do not change each
// other's streams while they run, and a later generation's stream is left as it is.
func TestProcessesWithOtherSettings(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	first := accepting(t, srv, func(o *queue.Options) { o.AuditMaxAge = 48 * time.Hour })
	second := accepting(t, srv, func(o *queue.Options) { o.AuditMaxAge = 24 * time.Hour })
	first.LookAfter()
	second.LookAfter()
	if is := queuetest.ConfigOf(t, first, streams.Audit); is.MaxAge != 24*time.Hour {
		t.Errorf("records are kept for %v, want the time of the process that started last", is.MaxAge)
	}
	young := queuetest.ConfigOf(t, first, streams.Audit)
	young.Subjects, young.Metadata = append(young.Subjects, "of.a.later.version"), map[string]string{"helve.config": "999 x"}
	if _, err := js.UpdateStream(queuetest.Context(t), young); err != nil {
		t.Fatal(err)
	}
	first.LookAfter()
	accepting(t, srv)
	if is := queuetest.ConfigOf(t, first, streams.Audit); len(is.Subjects) != len(young.Subjects) {
		t.Errorf("subjects of a later version became %v, want them left", is.Subjects)
	}
	if err := first.Check(queuetest.Context(t)); err != nil {
		t.Errorf("Check with streams of a later version = %v", err)
	}
}

// TestBucketsAreAsTheLibraryMakesThem: the settings of buckets and object stores are those
// of the client library, which reads and writes them.
func TestBucketsAreAsTheLibraryMakesThem(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	js := queuetest.Outsider(t, srv.URL())
	q := queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	plain := func(c jetstream.StreamConfig) string {
		c.Name, c.Subjects, c.Metadata = "", nil, nil
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, spec := range []struct {
		ours string
		like jetstream.KeyValueConfig
	}{
		{streams.BucketGrants, jetstream.KeyValueConfig{Bucket: "plain", History: 1, Storage: jetstream.FileStorage}},
		{streams.BucketLoads, jetstream.KeyValueConfig{Bucket: "aging", History: 1, TTL: 10 * time.Minute}},
		{streams.BucketWorkers, jetstream.KeyValueConfig{Bucket: "keyed", History: 1, LimitMarkerTTL: time.Minute}},
	} {
		if _, err := js.CreateKeyValue(ctx, spec.like); err != nil {
			t.Fatal(err)
		}
		if is, want := plain(queuetest.ConfigOf(t, q, "KV_"+spec.ours)), plain(queuetest.ConfigOf(t, q, "KV_"+spec.like.Bucket)); is != want {
			t.Errorf("bucket %s is\n%s\nwant\n%s", spec.ours, is, want)
		}
	}
	if _, err := js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "store", TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if is, want := plain(queuetest.ConfigOf(t, q, "OBJ_"+streams.ObjectsResults)), plain(queuetest.ConfigOf(t, q, "OBJ_store")); is != want {
		t.Errorf("object store is\n%s\nwant\n%s", is, want)
	}
}
