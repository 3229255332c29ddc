package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/embedded"
)

func record(t *testing.T, b *bus.Bus, tenant, tool, text string) {
	t.Helper()
	if err := b.RecordWait(bustest.Context(t), tenant, tool, []byte(text)); err != nil {
		t.Fatalf("record %q: %v", text, err)
	}
}

// told is what a message tells, on one line.
func told(m bus.AuditMessage) string {
	return fmt.Sprintf("%d %s %s %s %v", m.Seq, m.Tenant, m.Tool, m.Data, !m.At.IsZero())
}

func readAudit(t *testing.T, b *bus.Bus, from, to uint64, tenant string) []string {
	t.Helper()
	var got []string
	err := b.ReadAudit(bustest.Context(t), from, to, tenant, func(m bus.AuditMessage) error {
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
	b := bustest.Connect(t, bustest.Server(t))
	record(t, b, "acme", "files.read", "one")
	record(t, b, "other", "echo", "two")
	record(t, b, "acme", "", "three")
	record(t, b, "acme", "no tool > at *all", "four")
	record(t, b, "acme", "helve.token", "five")
	all := []string{
		"1 acme files.read one true", "2 other echo two true", "3 acme unknown three true", "4 acme unknown four true", "5 acme helve.token five true",
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
		if got := readAudit(t, b, tt.from, tt.to, tt.tenant); !slices.Equal(got, tt.want) {
			t.Errorf("ReadAudit(%d, %d, %q) = %q, want %q", tt.from, tt.to, tt.tenant, got, tt.want)
		}
	}
	first, last, messages, err := b.AuditRange(t.Context())
	if first != 1 || last != 5 || messages != 5 || err != nil {
		t.Errorf("AuditRange = %d, %d, %d, %v, want 1, 5, 5", first, last, messages, err)
	}
	for tenant, want := range map[string]bus.AuditExtent{
		"acme":   {First: 1, Last: 5, Records: 5, Own: 4, LastOwn: 5},
		"other":  {First: 1, Last: 5, Records: 5, Own: 1, LastOwn: 2},
		"nobody": {First: 1, Last: 5, Records: 5},
	} {
		if got, err := b.AuditExtent(t.Context(), tenant); got != want || err != nil {
			t.Errorf("AuditExtent(%q) = %+v, %v, want %+v", tenant, got, err, want)
		}
	}
}

func TestRecordRefusesWhatIsNoTenant(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	for _, tenant := range []string{"", "a.b", "*", ">", "a b", strings.Repeat("a", 200)} {
		if err := b.RecordWait(t.Context(), tenant, "echo", nil); err == nil {
			t.Errorf("a record of tenant %q was stored", tenant)
		}
	}
	if _, last, _, err := b.AuditRange(t.Context()); last != 0 || err != nil {
		t.Errorf("the trail ends at %d, %v, want it empty", last, err)
	}
}

// TestFullTrailRefuses: a record is never pushed out by another.
func TestFullTrailRefuses(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.AuditMaxBytes = 4 << 10 })
	stored := 0
	for ; stored < 100; stored++ {
		err := b.RecordWait(bustest.Context(t), "acme", "echo", make([]byte, 500))
		if errors.Is(err, bus.ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := len(readAudit(t, b, 1, 1<<60, "")); got != stored || stored == 100 {
		t.Errorf("%d records are there, want the %d that were stored before ErrFull", got, stored)
	}
}

func TestRecordFailsClearlyWithoutNATS(t *testing.T) {
	t.Parallel()
	b := bustest.Open(t, bustest.Server(t)) // nothing is prepared
	if err := b.RecordWait(bustest.Context(t), "acme", "echo", nil); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("RecordWait = %v, want ErrUnavailable", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.RecordWait(ended, "acme", "echo", nil); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("RecordWait with an ended context = %v, want ErrUnavailable", err)
	}
	if err := b.ReadAudit(bustest.Context(t), 1, 2, "", nil); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("ReadAudit = %v, want ErrUnavailable", err)
	}
	if _, err := b.AuditExtent(bustest.Context(t), "acme"); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("AuditExtent = %v, want ErrUnavailable", err)
	}
}

func TestReadAuditEndsWithTheReadersError(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	for i := range 3 {
		record(t, b, "acme", "echo", fmt.Sprint(i))
	}
	wrong, seen := errors.New("wrong"), 0
	each := func(bus.AuditMessage) error {
		seen++
		if seen == 2 {
			return wrong
		}
		return nil
	}
	if err := b.ReadAudit(bustest.Context(t), 1, 3, "", each); !errors.Is(err, wrong) || seen != 2 {
		t.Errorf("ReadAudit = %v after %d, want the reader's error after 2", err, seen)
	}
	seen = 0
	if err := b.FollowAudit(bustest.Context(t), 1, each); !errors.Is(err, wrong) || seen != 2 {
		t.Errorf("FollowAudit = %v after %d, want the reader's error after 2", err, seen)
	}
}

// TestLongTrailIsReadWhole: more than is asked for at a time.
func TestLongTrailIsReadWhole(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	const n = 5000
	stored := make(chan error, n)
	for i := range n {
		b.Record("acme", "echo", fmt.Append(nil, i+1), func(err error) { stored <- err })
	}
	for range n {
		if err := bustest.Receive(t, stored, "acknowledgement"); err != nil {
			t.Fatal(err)
		}
	}
	next := uint64(1)
	err := b.ReadAudit(bustest.Context(t), 1, n, "", func(m bus.AuditMessage) error {
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
	b := bustest.Connect(t, srv)
	ctx, cancel := context.WithCancel(t.Context())
	got, done := make(chan string, 100), make(chan error, 1)
	go func() {
		done <- b.FollowAudit(ctx, 0, func(m bus.AuditMessage) error {
			got <- string(m.Data)
			return nil
		})
	}()
	expect := func(want string) {
		t.Helper()
		if text := bustest.Receive(t, got, "record "+want); text != want {
			t.Fatalf("record %s, want %s", text, want)
		}
	}
	record(t, b, "acme", "echo", "1")
	expect("1")
	record(t, b, "other", "echo", "2")
	expect("2")
	srv.Stop()
	srv = start(addr)
	defer srv.Stop()
	bustest.Until(t, "the streams answer", func() bool { return b.Check(bustest.Context(t)) == nil })
	record(t, b, "acme", "echo", "3")
	record(t, b, "acme", "echo", "4")
	expect("3")
	expect("4")
	cancel()
	if err := bustest.Receive(t, done, "end"); !errors.Is(err, context.Canceled) {
		t.Errorf("FollowAudit = %v, want the context's end", err)
	}
	if len(got) > 0 {
		t.Errorf("%d records came twice", len(got))
	}
}

// TestFollowAuditOutlivesItsRequests: nothing comes for longer than one waits.
func TestFollowAuditOutlivesItsRequests(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	ctx, cancel := context.WithCancel(t.Context())
	const wait = 100 * time.Millisecond
	asked, err := b.JetStream().Conn().SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + bus.StreamAudit + ".*")
	if err != nil {
		t.Fatal(err)
	}
	got, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- b.FollowAuditAsking(ctx, wait, func(m bus.AuditMessage) error {
			got <- string(m.Data)
			return nil
		})
	}()
	for range 3 {
		if _, err := asked.NextMsgWithContext(bustest.Context(t)); err != nil {
			t.Fatalf("the next request: %v", err)
		}
	}
	record(t, b, "acme", "echo", "late")
	if text := bustest.Receive(t, got, "record"); text != "late" {
		t.Errorf("record %q, want the one that came late", text)
	}
	cancel()
	bustest.Receive(t, done, "end")
}

// TestFollowAuditGathers: a record that comes while nothing does is given at
// once; then all that came behind it is asked for in one request.
func TestFollowAuditGathers(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	asked, err := b.JetStream().Conn().SubscribeSync("$JS.API.CONSUMER.MSG.NEXT." + bus.StreamAudit + ".*")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(want string) {
		t.Helper()
		msg, err := asked.NextMsgWithContext(bustest.Context(t))
		if err != nil || !strings.Contains(string(msg.Data), want) {
			t.Fatalf("the next request is %+v, %v, want %s in it", msg, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	got, done := make(chan string, 100), make(chan error, 1)
	go func() {
		done <- b.FollowAudit(ctx, 1, func(m bus.AuditMessage) error {
			got <- string(m.Data)
			return nil
		})
	}()
	ask(`"no_wait"`)
	ask(`"batch":1,`)
	const n = 50
	for i := range n {
		record(t, b, "acme", "echo", fmt.Sprint(i))
	}
	for i := range n {
		if text := bustest.Receive(t, got, "record"); text != fmt.Sprint(i) {
			t.Fatalf("record %s, want %d", text, i)
		}
	}
	ask(`"no_wait"`)
	ask(`"batch":1,`)
	cancel()
	bustest.Receive(t, done, "end")
}
