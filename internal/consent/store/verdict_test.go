package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/consent/store"
)

func anyVerdict([]byte) bool { return true }

func TestFirstVerdictStays(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two, ctx := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Context(t)
	won := make([]error, 20)
	said := make([][]byte, 20)
	var all sync.WaitGroup
	for i := range won {
		all.Go(func() {
			q := []*queue.Queue{one, two}[i%2]
			said[i], won[i] = store.On(q).Decide(ctx, "acme", "k1", fmt.Appendf(nil, `{"by":%d}`, i), anyVerdict)
		})
	}
	all.Wait()
	first, _, err := store.On(one).Verdict(ctx, "acme", "k1", anyVerdict)
	if err != nil {
		t.Fatal(err)
	}
	winners := 0
	for i, err := range won {
		if err == nil {
			winners++
		} else if !errors.Is(err, natsio.ErrExists) {
			t.Errorf("decider %d: %v", i, err)
		}
		if string(said[i]) != string(first) {
			t.Errorf("decider %d was told %s, want the first verdict %s", i, said[i], first)
		}
	}
	if winners != 1 {
		t.Errorf("%d deciders won, want 1", winners)
	}
}

// TestHeadersOfAnotherServer: a message may have been stored with headers of an answer
// of JetStream. They neither hide it nor lead the reader in a circle.
func TestHeadersOfAnotherServer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q, ctx := queuetest.Connect(t, srv), queuetest.Context(t)
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for i, header := range []nats.Header{
		{"Nats-Sequence": {"0"}, "Nats-Subject": {"elsewhere"}}, {"Status": {"404"}}, {"Status": {"503"}},
		{"Status": {"408"}, "Nats-Sequence": {"99"}},
	} {
		subject := store.Subjects{Tree: q.Conn.Tree()}.Verdict("acme", fmt.Sprint("forged", i), "k1")
		if _, err := nc.RequestMsg(&nats.Msg{Subject: subject, Header: header, Data: []byte("forged")}, queuetest.Patience); err != nil {
			t.Fatal(err)
		}
	}
	valid := func(data []byte) bool { return string(data) != "forged" }
	if data, _, err := store.On(q).Verdict(ctx, "acme", "k1", valid); data != nil || err != nil {
		t.Fatalf("Verdict = %q, %v, want none", data, err)
	}
	if _, err := store.On(q).Decide(ctx, "acme", "k1", []byte("true"), valid); err != nil {
		t.Fatal(err)
	}
	if data, seq, err := store.On(q).Verdict(ctx, "acme", "k1", valid); string(data) != "true" || seq != 5 || err != nil {
		t.Errorf("Verdict = %q at %d, %v, want the valid one at 5", data, seq, err)
	}
}

// TestVerdictOn: a call that was parked after the verdict is not among those that the process
// which carries the verdict out finds.
func TestVerdictOn(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	park := func(call string) *store.Parked {
		if err := s.Park(ctx, &store.Parked{ConsentID: "k1", Call: parcel("acme", call), Request: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
		p, err := s.Get(ctx, "acme", "k1", call)
		if err != nil || p == nil {
			t.Fatalf("Get = %v, %v", p, err)
		}
		return p
	}
	before := park("c1")
	if verdict, listed, err := s.VerdictOn(ctx, before, anyVerdict); verdict != nil || listed || err != nil {
		t.Errorf("VerdictOn an open consent = %q, %v, %v", verdict, listed, err)
	}
	if _, err := s.Decide(ctx, "acme", "k1", []byte("yes"), anyVerdict); err != nil {
		t.Fatal(err)
	}
	after := park("c2")
	for p, want := range map[*store.Parked]bool{before: true, after: false} {
		if verdict, listed, err := s.VerdictOn(ctx, p, anyVerdict); string(verdict) != "yes" || listed != want || err != nil {
			t.Errorf("VerdictOn %s = %q, %v, %v, want listed %v", p.Call.ID, verdict, listed, err, want)
		}
	}
}

// TestDecideTwice: a decision is not stored beside an earlier one, and a stored decision that
// is not valid is an error, never the verdict.
func TestDecideTwice(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	if _, err := s.Decide(ctx, "acme", "k1", []byte("yes"), anyVerdict); err != nil {
		t.Fatal(err)
	}
	if first, err := s.Decide(ctx, "acme", "k1", []byte("no"), anyVerdict); string(first) != "yes" || !errors.Is(err, natsio.ErrExists) {
		t.Errorf("a second decision = %q, %v, want the first and ErrExists", first, err)
	}
	if first, err := s.Decide(ctx, "acme", "k2", []byte("yes"), func([]byte) bool { return false }); first != nil ||
		!errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("a decision that is not valid = %q, %v, want ErrUnavailable", first, err)
	}
}
