package trail

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

// errRead ends a reader that waits for more than there is.
var errRead = errors.New("everything was read")

// finals returns the records that are stored with results.
func finals(t *testing.T, q *queue.Queue) (all []protocol.AuditRecord) {
	t.Helper()
	err := stream.On(q.Conn).FollowFinals(queuetest.Context(t), 1, func(f stream.Final) error {
		r, err := audit.Decode(f.Records[0])
		all = append(all, r)
		return err
	}, func() error { return errRead })
	if !errors.Is(err, errRead) {
		t.Fatal(err)
	}
	return all
}

// ends stores results of calls with their records, n of each tenant in turn, and
// returns the ids of the records in that order.
func ends(t *testing.T, q *queue.Queue, prefix string, n int, tenants ...string) map[string][]string {
	t.Helper()
	ids := map[string][]string{}
	for i := range n {
		for _, tenant := range tenants {
			call := fmt.Sprintf("%s-%d", prefix, i)
			r := &protocol.AuditRecord{ID: "f-" + call + "-1", Phase: protocol.AuditFinished, Tenant: tenant, CallID: call, Tool: "echo"}
			if err := trailOf(q).End(queuetest.Context(t), "default", "d-1", []byte("{}"), r); err != nil {
				t.Fatal(err)
			}
			ids[tenant] = append(ids[tenant], r.ID)
		}
	}
	return ids
}

// written returns the ids of a tenant's records on the trail.
func written(t *testing.T, q *queue.Queue, tenant string) (ids []string) {
	t.Helper()
	err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 1<<60, tenant, func(m stream.Message) error {
		for _, line := range audit.Records(m.Tool, m.Data) {
			r, err := audit.Decode(line)
			if err != nil {
				return err
			}
			ids = append(ids, r.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// pumping starts a pump, which stop ends.
func pumping(t testing.TB, q *queue.Queue, tune ...func(*Pump)) (stop func()) {
	t.Helper()
	note, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketSealed)
	if err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public, _ := key.Public().(ed25519.PublicKey)
	p := &Pump{
		Queue: q, Log: zap.NewNop(), Key: key, Note: note, Keep: time.Hour,
		Keys: func(context.Context) ([]ed25519.PublicKey, error) { return []ed25519.PublicKey{public}, nil },
	}
	for _, change := range tune {
		change(p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	var once bool
	stop = func() {
		if once {
			return
		}
		once = true
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the pump ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// caughtUp waits until a pump has written all that is stored.
func caughtUp(t testing.TB, q *queue.Queue) {
	t.Helper()
	if err := stream.On(q.Conn).AwaitWritten(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
}

// TestPumpWritesEachRecordOnce: through restarts of the pump, two pumps at a time and a
// lost note every record of a result is on the trail once, in the order of the results.
func TestPumpWritesEachRecordOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q, other := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	want := ends(t, q, "a", 30, "acme", "beta")
	add := func(more map[string][]string) {
		for tenant, ids := range more {
			want[tenant] = append(want[tenant], ids...)
		}
	}
	stop := pumping(t, q)
	caughtUp(t, q)
	add(ends(t, q, "b", 3, "acme"))
	caughtUp(t, q)
	stop()
	add(ends(t, q, "c", 5, "beta", "gamma"))
	pumping(t, q)
	pumping(t, other)
	add(ends(t, q, "d", 200, "acme", "beta", "gamma"))
	caughtUp(t, q)
	note, err := q.Conn.Bucket(queuetest.Context(t), streams.BucketSealed)
	if err == nil {
		err = note.Delete(queuetest.Context(t), noteWritten)
	}
	if err != nil {
		t.Fatal(err)
	}
	pumping(t, other)
	add(ends(t, q, "e", 5, "acme", "beta"))
	caughtUp(t, q)
	for tenant, ids := range want {
		queuetest.Until(t, "the records of "+tenant, func() bool { return len(written(t, q, tenant)) >= len(ids) })
		if got := written(t, q, tenant); !slices.Equal(got, ids) {
			t.Errorf("on the trail of %s: %d records %v, want %d %v", tenant, len(got), got, len(ids), ids)
		}
	}
}

// TestPumpGroups: records that are there together share messages, which name the results
// that they come from, without a gap.
func TestPumpGroups(t *testing.T) {
	t.Parallel()
	const n = 2*blockRecords + 10
	q := queuetest.Connect(t, queuetest.Server(t))
	ends(t, q, "a", n, "acme")
	pumping(t, q)
	caughtUp(t, q)
	blocks, next := 0, uint64(1)
	if err := stream.On(q.Conn).Blocks(queuetest.Context(t), "acme", func(block *stream.Block) error {
		if block.From != next || block.To-block.From >= blockRecords {
			t.Errorf("a message covers the results %d to %d, want from %d, and at most %d", block.From, block.To, next, blockRecords)
		}
		blocks, next = blocks+1, block.To+1
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if next != n+1 || blocks > n/10 {
		t.Errorf("%d messages cover the results before %d, want those of %d results in fewer than a tenth as many", blocks, next, n)
	}
}

// TestPumpWritesFewApart: while there are few records each has a message of its own.
func TestPumpWritesFewApart(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ends(t, q, "a", few, "acme")
	pumping(t, q)
	caughtUp(t, q)
	next := uint64(1)
	if err := stream.On(q.Conn).Blocks(queuetest.Context(t), "acme", func(block *stream.Block) error {
		if block.From != next || block.To != next {
			t.Errorf("a message covers the results %d to %d, want %d alone", block.From, block.To, next)
		}
		next++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if next != few+1 {
		t.Errorf("the messages cover the results before %d, want those of %d", next, few)
	}
}

// TestPumpSkips: a result without a record stops nobody.
func TestPumpSkips(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	if err := q.Results.FinishWait(queuetest.Context(t), "acme", "default", "d-1", "old", []byte("{}"), nil); err != nil {
		t.Fatal(err)
	}
	want := ends(t, q, "a", 1, "acme")["acme"]
	pumping(t, q)
	caughtUp(t, q)
	if got := written(t, q, "acme"); !slices.Equal(got, want) {
		t.Errorf("on the trail: %v, want %v", got, want)
	}
}

// TestForgedBlock: who may write records can name any range of results, which hides
// none of their records.
func TestForgedBlock(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	want := ends(t, q, "a", 3, "acme")["acme"]
	stop := pumping(t, q)
	caughtUp(t, q)
	forge := func() {
		t.Helper()
		last, err := stream.On(q.Conn).LastBlock(queuetest.Context(t), "acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.On(q.Conn).WriteBlock(queuetest.Context(t), &stream.Block{
			Tenant: "acme",
			From:   1,
			To:     1 << 40,
			Stream: last.Stream,
			Signed: last.Signed,
			Lines:  []byte("junk"),
		}, last.Seq); err != nil {
			t.Fatal(err)
		}
	}
	forge() // while the pump runs
	want = append(want, ends(t, q, "b", 3, "acme")["acme"]...)
	caughtUp(t, q)
	forge() // before it is started
	stop()
	want = append(want, ends(t, q, "c", 3, "acme")["acme"]...)
	pumping(t, q)
	caughtUp(t, q)
	var got []string
	err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 1<<60, "acme", func(m stream.Message) error {
		for _, line := range audit.Records(m.Tool, m.Data) {
			if r, err := audit.Decode(line); err == nil {
				got = append(got, r.ID)
			}
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("on the trail: %v, %v, want %v", got, err, want)
	}
}

// TestResultsStreamMadeAgain: an operator may delete the results stream; the places of
// the new one begin at 1 again.
func TestResultsStreamMadeAgain(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	want := ends(t, q, "a", 3, "acme")["acme"]
	stop := pumping(t, q)
	caughtUp(t, q)
	stop()
	if err := jetStream(t, srv).DeleteStream(queuetest.Context(t), streams.Results); err != nil {
		t.Fatal(err)
	}
	if err := q.Prepare(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	want = append(want, ends(t, q, "b", 2, "acme")["acme"]...)
	pumping(t, q)
	caughtUp(t, q)
	if got := written(t, q, "acme"); !slices.Equal(got, want) {
		t.Errorf("on the trail: %v, want %v", got, want)
	}
}

// TestPurge: results that are old are kept until their records are on the trail, new
// calls are refused when that takes too long, and purged then.
func TestPurge(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it waits until results are old")
	srv := queuetest.Server(t)
	keep := func(o *queue.Options) { o.ResultsMaxAge, o.Accepts = time.Second, true }
	q := queuetest.Connect(t, srv, keep)
	js := jetStream(t, srv)
	count := func() uint64 {
		s, err := js.Stream(queuetest.Context(t), streams.Results)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.Msgs
	}
	want := ends(t, q, "a", 5, "acme")["acme"]
	queuetest.Until(t, "calls are refused", func() bool { return q.Full() != nil })
	if short := q.Full(); !strings.Contains(short.Error(), "the audit trail is behind") || q.Held() != nil {
		t.Errorf("calls are refused with %q, held %v; want the trail named, and none held", short, q.Held())
	}
	if n := count(); n != 5 {
		t.Errorf("%d results are kept while their records are not on the trail, want 5", n)
	}
	// Another process has another configuration: a bound that no process of Helve wrote would be
	// changed back.
	bound := func(bytes int64) {
		t.Helper()
		queuetest.Connect(t, srv, keep, func(o *queue.Options) { o.AuditMaxBytes, o.Accepts = bytes, false })
	}
	bound(1)
	pumping(t, q, func(p *Pump) { p.Keep = time.Second })
	queuetest.Until(t, "the pump tried to write", func() bool {
		short := q.Full()
		return short != nil && strings.Contains(short.Error(), "the audit stream is full")
	})
	if n := count(); n != 5 {
		t.Errorf("%d results are kept while the trail is full, want 5", n)
	}
	bound(0)
	queuetest.Until(t, "the old results are purged", func() bool { return count() == 0 })
	queuetest.Until(t, "calls are accepted again", func() bool { return q.Full() == nil })
	if got := written(t, q, "acme"); !slices.Equal(got, want) {
		t.Errorf("on the trail: %v, want %v", got, want)
	}
}

func jetStream(t *testing.T, srv *embedded.Server) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestPumpUsesTheLastRoom has more records than the trail has room for: as many as fit are
// written, calls are refused, and the others follow when there is room.
func TestPumpUsesTheLastRoom(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	resize := func(most int64) {
		t.Helper()
		stream, err := jetStream(t, srv).Stream(queuetest.Context(t), streams.Audit)
		if err != nil {
			t.Fatal(err)
		}
		cfg := stream.CachedInfo().Config
		cfg.MaxBytes = most
		if _, err := jetStream(t, srv).UpdateStream(queuetest.Context(t), cfg); err != nil {
			t.Fatal(err)
		}
	}
	resize(16 << 10)
	ends(t, q, "a", 200, "acme")
	pumping(t, q)
	queuetest.Until(t, "calls are refused", func() bool { return q.Full() != nil })
	if n := len(written(t, q, "acme")); n == 0 || n == 200 {
		t.Errorf("%d of 200 records are on a trail that has room for some", n)
	}
	resize(-1)
	caughtUp(t, q)
	if n := len(written(t, q, "acme")); n != 200 {
		t.Errorf("%d of 200 records are on a trail that has room again", n)
	}
}
