package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

func record(t *testing.T, q *queue.Queue, tenant, tool, text string) {
	t.Helper()
	if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), tenant, tool, []byte(text)); err != nil {
		t.Fatalf("record %q: %v", text, err)
	}
}

// told returns the fields of a message on one line.
func told(m stream.Message) string {
	return fmt.Sprintf("%d %s %s %s %v", m.Seq, m.Tenant, m.Tool, m.Data, !m.At.IsZero())
}

func readAudit(t *testing.T, q *queue.Queue, from, to uint64, tenant string) []string {
	t.Helper()
	var got []string
	err := stream.On(q.Conn).Read(queuetest.Context(t), from, to, tenant, func(m stream.Message) error {
		got = append(got, told(m))
		return nil
	})
	if err != nil {
		t.Fatalf("ReadAudit(%d, %d, %q): %v", from, to, tenant, err)
	}
	return got
}

func TestAuditIsReadAsItWasRecorded(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	record(t, q, "acme", "files.read", "one")
	record(t, q, "other", "echo", "two")
	record(t, q, "acme", "", "three")
	record(t, q, "acme", "no tool > at *all", "four")
	record(t, q, "acme", "helve.token", "five")
	all := []string{
		"1 acme files.read one true", "2 other echo two true", "3 acme unknown three true", "4 acme unknown four true",
		"5 acme helve.token five true",
	}
	for _, tt := range []struct {
		from, to uint64
		tenant   string
		want     []string
	}{
		{1, 5, "", all},
		{0, 1 << 60, "", all},
		{2, 4, "", all[1:4]},
		{3, 3, "", all[2:3]},
		{4, 3, "", nil},
		{6, 9, "", nil},
		{1, 5, "other", all[1:2]},
		{2, 4, "acme", all[2:4]},
		{1, 2, "acme", all[:1]},
		{1, 5, "nobody", nil},
	} {
		if got := readAudit(t, q, tt.from, tt.to, tt.tenant); !slices.Equal(got, tt.want) {
			t.Errorf("ReadAudit(%d, %d, %q) = %q, want %q", tt.from, tt.to, tt.tenant, got, tt.want)
		}
	}
	first, last, messages, err := stream.On(q.Conn).Range(t.Context())
	if first != 1 || last != 5 || messages != 5 || err != nil {
		t.Errorf("AuditRange = %d, %d, %d, %v, want 1, 5, 5", first, last, messages, err)
	}
	for tenant, want := range map[string]stream.Extent{
		"acme":   {First: 1, Last: 5, Records: 5, Own: 4, LastOwn: 5},
		"other":  {First: 1, Last: 5, Records: 5, Own: 1, LastOwn: 2},
		"nobody": {First: 1, Last: 5, Records: 5},
	} {
		if got, err := stream.On(q.Conn).Extent(t.Context(), tenant); got != want || err != nil {
			t.Errorf("AuditExtent(%q) = %+v, %v, want %+v", tenant, got, err, want)
		}
	}
}

func TestRecordRefusesWhatIsNoTenant(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	for _, tenant := range []string{"", "a.b", "*", ">", "a b", strings.Repeat("a", 200)} {
		if err := stream.On(q.Conn).RecordWait(t.Context(), tenant, "echo", nil); err == nil {
			t.Errorf("a record of tenant %q was stored", tenant)
		}
	}
	if _, last, _, err := stream.On(q.Conn).Range(t.Context()); last != 0 || err != nil {
		t.Errorf("the trail ends at %d, %v, want it empty", last, err)
	}
}

// TestFullTrailRefuses: a record is never pushed out by another.
func TestFullTrailRefuses(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.AuditMaxBytes = 4 << 10 })
	stored := 0
	for ; stored < 100; stored++ {
		err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "echo", make([]byte, 500))
		if errors.Is(err, natsio.ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := len(readAudit(t, q, 1, 1<<60, "")); got != stored || stored == 100 {
		t.Errorf("%d records are there, want the %d that were stored before ErrFull", got, stored)
	}
}

func TestRecordFailsClearlyWithoutNATS(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t)) // nothing is prepared
	if err := stream.On(q.Conn).RecordWait(queuetest.Context(t), "acme", "echo", nil); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("RecordWait = %v, want ErrUnavailable", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := stream.On(q.Conn).RecordWait(ended, "acme", "echo", nil); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("RecordWait with an ended context = %v, want ErrUnavailable", err)
	}
	if err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 2, "", nil); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("ReadAudit = %v, want ErrUnavailable", err)
	}
	if _, err := stream.On(q.Conn).Extent(queuetest.Context(t), "acme"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("AuditExtent = %v, want ErrUnavailable", err)
	}
}

func TestReadAuditEndsWithTheReadersError(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	for i := range 3 {
		record(t, q, "acme", "echo", fmt.Sprint(i))
	}
	wrong, seen := errors.New("wrong"), 0
	each := func(stream.Message) error {
		seen++
		if seen == 2 {
			return wrong
		}
		return nil
	}
	if err := stream.On(q.Conn).Read(queuetest.Context(t), 1, 3, "", each); !errors.Is(err, wrong) || seen != 2 {
		t.Errorf("ReadAudit = %v after %d, want the reader's error after 2", err, seen)
	}
	seen = 0
	if err := stream.NewTail(q.Conn).Follow(queuetest.Context(t), 1, each); !errors.Is(err, wrong) || seen != 2 {
		t.Errorf("FollowAudit = %v after %d, want the reader's error after 2", err, seen)
	}
}

// TestLongTrailIsReadWhole: more than is asked for at a time.
func TestLongTrailIsReadWhole(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	const n, batch = 5000, 250 // as many as a busy machine acknowledges in time
	stored := make(chan error, batch)
	for i := range n {
		stream.On(q.Conn).Record("acme", "echo", fmt.Append(nil, i+1), func(err error) { stored <- err })
		if (i+1)%batch > 0 {
			continue
		}
		for range batch {
			if err := queuetest.Receive(t, stored, "acknowledgement"); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := uint64(1)
	err := stream.On(q.Conn).Read(queuetest.Context(t), 1, n, "", func(m stream.Message) error {
		if m.Seq != next || string(m.Data) != fmt.Sprint(next) {
			return fmt.Errorf("message %d holds %s, want %d", m.Seq, m.Data, next)
		}
		next++
		return nil
	})
	if err != nil || next != n+1 {
		t.Errorf("read up to %d, %v, want all %d in order", next-1, err, n)
	}
}

// TestFollowAuditSurvivesARestart: in order, each once, from the first there is.
func TestFollowAuditSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(addr string) *embedded.Server {
		srv, err := embedded.Start(embedded.Options{Addr: addr, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return srv
	}
	srv := start("127.0.0.1:0")
	addr := strings.TrimPrefix(srv.URL(), "nats://")
	q := queuetest.Connect(t, srv)
	ctx, cancel := context.WithCancel(t.Context())
	got, done := make(chan string, 100), make(chan error, 1)
	go func() {
		done <- stream.NewTail(q.Conn).Follow(ctx, 0, func(m stream.Message) error {
			got <- string(m.Data)
			return nil
		})
	}()
	expect := func(want string) {
		t.Helper()
		if text := queuetest.Receive(t, got, "record "+want); text != want {
			t.Fatalf("record %s, want %s", text, want)
		}
	}
	record(t, q, "acme", "echo", "1")
	expect("1")
	record(t, q, "other", "echo", "2")
	expect("2")
	srv.Stop()
	srv = start(addr)
	defer srv.Stop()
	queuetest.Until(t, "the streams answer", func() bool { return q.Check(queuetest.Context(t)) == nil })
	record(t, q, "acme", "echo", "3")
	record(t, q, "acme", "echo", "4")
	expect("3")
	expect("4")
	cancel()
	if err := queuetest.Receive(t, done, "end"); !errors.Is(err, context.Canceled) {
		t.Errorf("FollowAudit = %v, want the context's end", err)
	}
	if len(got) > 0 {
		t.Errorf("%d records came twice", len(got))
	}
}

// TestFollowAuditOutlivesItsRequests: nothing comes for longer than one waits.
func TestFollowAuditOutlivesItsRequests(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	ctx, cancel := context.WithCancel(t.Context())
	const wait = 100 * time.Millisecond
	asked, err := q.Conn.JetStream().Conn().SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + streams.Audit + ".*")
	if err != nil {
		t.Fatal(err)
	}
	got, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- stream.NewTail(q.Conn).FollowAsking(ctx, wait, func(m stream.Message) error {
			got <- string(m.Data)
			return nil
		})
	}()
	for range 3 {
		if _, err := asked.NextMsgWithContext(queuetest.Context(t)); err != nil {
			t.Fatalf("the next request: %v", err)
		}
	}
	record(t, q, "acme", "echo", "late")
	if text := queuetest.Receive(t, got, "record"); text != "late" {
		t.Errorf("record %q, want the one that came late", text)
	}
	cancel()
	queuetest.Receive(t, done, "end")
}

// TestFollowAuditGathers tests that a single record is given immediately, and that the
// records behind it are requested together.
func TestFollowAuditGathers(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	asked, err := q.Conn.JetStream().Conn().SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + streams.Audit + ".*")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(want string) {
		t.Helper()
		msg, err := asked.NextMsgWithContext(queuetest.Context(t))
		if err != nil || !strings.Contains(string(msg.Data), want) {
			t.Fatalf("the next request is %+v, %v, want %s in it", msg, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	got, done := make(chan string, 100), make(chan error, 1)
	go func() {
		done <- stream.NewTail(q.Conn).Follow(ctx, 1, func(m stream.Message) error {
			got <- string(m.Data)
			return nil
		})
	}()
	ask(`"no_wait"`) // what is there
	ask(`"no_wait"`) // what came meanwhile, by the reader of all followers
	ask(`"batch":1,`)
	const n = 50
	for i := range n {
		record(t, q, "acme", "echo", fmt.Sprint(i))
	}
	for i := range n {
		if text := queuetest.Receive(t, got, "record"); text != fmt.Sprint(i) {
			t.Fatalf("record %s, want %d", text, i)
		}
	}
	ask(`"no_wait"`)
	ask(`"batch":1,`)
	cancel()
	queuetest.Receive(t, done, "end")
}

// TestAuditOfNoTenant checks that what lies under no tenant's name is of no tenant:
// a name that is none could not be sealed.
func TestAuditOfNoTenant(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, subject := range []string{
		"helve.v1.no!tenant.audit.echo", "helve.v1." + strings.Repeat("a", 200) + ".audit.echo", "helve.v1.acme.audit.echo",
	} {
		if _, err := nc.Request(subject, []byte("x"), queuetest.Patience); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err = stream.On(q.Conn).Read(queuetest.Context(t), 1, 3, "", func(m stream.Message) error {
		got = append(got, fmt.Sprintf("%d %q", m.Seq, m.Tenant))
		return nil
	})
	if want := []string{`1 ""`, `2 ""`, `3 "acme"`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ReadAudit = %q, %v, want %q", got, err, want)
	}
}
