package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/nats-io/nats.go"
)

func parcel(tenant, callID string) *call.Call {
	return &call.Call{
		ID: callID, TraceID: strings.Repeat("a", 32), Tool: "echo", Origin: "d-1", User: "u1",
		Arguments: []byte(`{"n":1}`), Tenant: tenant, Pool: "default", Traceparent: "00-x-y-01",
	}
}

func TestParkedCallComesBackWhole(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	if p, err := store.On(q).ByCall(ctx, "acme", "c1"); p != nil || err != nil {
		t.Fatalf("ParkedCall of a call that was never parked = %v, %v, want nil, nil", p, err)
	}
	park := func(consent, call string) error {
		return store.On(q).Park(ctx, &store.Parked{ConsentID: consent, Call: parcel("acme", call), Request: []byte(`{"q":1}`)})
	}
	for _, call := range []string{"c1", "c2"} {
		if err := park("k1", call); err != nil {
			t.Fatal(err)
		}
	}
	if err := park("k1", "c1"); !errors.Is(err, natsio.ErrExists) {
		t.Errorf("parking a call twice = %v, want ErrExists", err)
	}
	p, err := store.On(q).ByCall(ctx, "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Call
	if p.ConsentID != "k1" || e.Tenant != "acme" || e.Pool != "default" || e.Traceparent != "00-x-y-01" || string(e.Arguments) != `{"n":1}` ||
		string(p.Request) != `{"q":1}` {
		t.Errorf("the call came back as %+v with %+v", p, e)
	}
	all, err := store.On(q).ListByConsent(ctx, "acme", "k1")
	if err != nil || len(all) != 2 {
		t.Errorf("ParkedCalls = %d calls, %v, want both", len(all), err)
	}
	if p, err := store.On(q).ByCall(ctx, "beta", "c1"); p != nil || err != nil {
		t.Errorf("another tenant sees %v, %v", p, err)
	}
}

func TestParkedLargeArgumentsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	e := parcel("acme", "c1")
	e.ArgumentsRef = "acme/c1" // as a worker has it: fetched, and still in the store
	if err := store.On(q).Park(ctx, &store.Parked{ConsentID: "k1", Call: e, Request: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	p, err := store.On(q).ByCall(ctx, "acme", "c1")
	if err != nil || len(p.Call.Arguments) != 0 || p.Call.ArgumentsRef != "acme/c1" {
		t.Errorf("parked with %d bytes of arguments and ref %q, %v; want the reference alone",
			len(p.Call.Arguments), p.Call.ArgumentsRef, err)
	}
	if len(e.Arguments) == 0 {
		t.Error("parking took the arguments from the call that runs here")
	}
}

func TestParkedUnderAConsent(t *testing.T) {
	t.Parallel()
	q, ctx := queuetest.Connect(t, queuetest.Server(t)), queuetest.Context(t)
	s := store.On(q)
	if p, err := s.OpenerOf(ctx, "acme", "k1"); p != nil || err != nil {
		t.Errorf("OpenerOf of a consent without calls = %v, %v, want nil, nil", p, err)
	}
	if err := s.Park(ctx, &store.Parked{ConsentID: "k1", Call: parcel("acme", "c1"), Request: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.OpenerOf(ctx, "acme", "k1"); err != nil || p == nil || p.Call.ID != "c1" {
		t.Errorf("OpenerOf = %+v, %v, want c1", p, err)
	}
	if p, err := s.Get(ctx, "acme", "k1", "c1"); err != nil || p == nil || p.Call.Pool != "default" {
		t.Errorf("Get = %+v, %v, want the call", p, err)
	}
	for _, other := range [][3]string{{"beta", "k1", "c1"}, {"acme", "k2", "c1"}, {"acme", "k1", "c2"}} {
		if p, err := s.Get(ctx, other[0], other[1], other[2]); p != nil || err != nil {
			t.Errorf("Get(%v) = %v, %v, want nil, nil", other, p, err)
		}
	}
}

// TestParkedUnreadable: a message that is no parked call is an error, and a pointer that is
// no name leads nowhere.
func TestParkedUnreadable(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q, ctx := queuetest.Connect(t, srv), queuetest.Context(t)
	s, subjects := store.On(q), store.Subjects{Tree: q.Conn.Tree()}
	for call, data := range map[string]string{"c1": `{`, "c2": `{"consent_id": "k1"}`} {
		if err := q.Conn.PublishWait(ctx, &nats.Msg{Subject: subjects.Parked("acme", "k1", call), Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Get(ctx, "acme", "k1", call); err == nil || !strings.Contains(err.Error(), "parked call") {
			t.Errorf("Get of %s = %v, %v, want an error", data, p, err)
		}
	}
	if all, err := s.ListByConsent(ctx, "acme", "k1"); err == nil {
		t.Errorf("ListByConsent = %v, want an error", all)
	}
	if err := q.Conn.PublishWait(ctx, &nats.Msg{Subject: subjects.Joined("acme", "c3"), Data: []byte("a.b")}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.ByCall(ctx, "acme", "c3"); p != nil || err != nil {
		t.Errorf("ByCall by a pointer that is no name = %v, %v, want nil, nil", p, err)
	}
}
