package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

func parcel(tenant, callID string) *bus.Envelope {
	return &bus.Envelope{
		CallID: callID, TraceID: strings.Repeat("a", 32), Tool: "echo", Origin: "d-1", User: "u1",
		Arguments: []byte(`{"n":1}`), Tenant: tenant, Pool: "default", Traceparent: "00-x-y-01",
	}
}

func TestParkedCallComesBackWhole(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	if p, err := b.ParkedCall(ctx, "acme", "c1"); p != nil || err != nil {
		t.Fatalf("ParkedCall of a call that was never parked = %v, %v, want nil, nil", p, err)
	}
	park := func(consent, call string) error {
		return b.Park(ctx, &bus.Parked{ConsentID: consent, Envelope: parcel("acme", call), Request: []byte(`{"q":1}`)})
	}
	for _, call := range []string{"c1", "c2"} {
		if err := park("k1", call); err != nil {
			t.Fatal(err)
		}
	}
	if err := park("k1", "c1"); !errors.Is(err, bus.ErrExists) {
		t.Errorf("parking a call twice = %v, want ErrExists", err)
	}
	p, err := b.ParkedCall(ctx, "acme", "c1")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Envelope
	if p.ConsentID != "k1" || e.Tenant != "acme" || e.Pool != "default" || e.Traceparent != "00-x-y-01" || string(e.Arguments) != `{"n":1}` || string(p.Request) != `{"q":1}` {
		t.Errorf("the call came back as %+v with %+v", p, e)
	}
	all, err := b.ParkedCalls(ctx, "acme", "k1")
	if err != nil || len(all) != 2 {
		t.Errorf("ParkedCalls = %d calls, %v, want both", len(all), err)
	}
	if p, err := b.ParkedCall(ctx, "beta", "c1"); p != nil || err != nil {
		t.Errorf("another tenant sees %v, %v", p, err)
	}
}

func TestParkedLargeArgumentsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	e := parcel("acme", "c1")
	e.ArgumentsRef = "acme/c1" // as a worker has it: fetched, and still in the store
	if err := b.Park(ctx, &bus.Parked{ConsentID: "k1", Envelope: e, Request: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	p, err := b.ParkedCall(ctx, "acme", "c1")
	if err != nil || len(p.Envelope.Arguments) != 0 || p.Envelope.ArgumentsRef != "acme/c1" {
		t.Errorf("parked with %d bytes of arguments and ref %q, %v; want the reference alone", len(p.Envelope.Arguments), p.Envelope.ArgumentsRef, err)
	}
	if len(e.Arguments) == 0 {
		t.Error("parking took the arguments from the call that runs here")
	}
}

func TestFirstVerdictStays(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two, ctx := bustest.Connect(t, srv), bustest.Connect(t, srv), bustest.Context(t)
	won := make([]error, 20)
	said := make([][]byte, 20)
	var all sync.WaitGroup
	for i := range won {
		all.Go(func() {
			b := []*bus.Bus{one, two}[i%2]
			said[i], won[i] = b.Decide(ctx, "acme", "k1", fmt.Appendf(nil, `{"by":%d}`, i))
		})
	}
	all.Wait()
	first, err := one.Verdict(ctx, "acme", "k1")
	if err != nil {
		t.Fatal(err)
	}
	winners := 0
	for i, err := range won {
		if err == nil {
			winners++
		} else if !errors.Is(err, bus.ErrExists) {
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

func TestInboxHoldsSoManyOfAUser(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.ConsentsPerUser = 2 }), bustest.Context(t)
	type told struct {
		seq     uint64
		request string
	}
	asked := make(chan told, 10)
	if err := b.FollowAsked(ctx, func(seq uint64, _ string, request []byte) { asked <- told{seq, string(request)} }); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := b.Ask(ctx, "acme", "u1", fmt.Sprint("k", i), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Ask(ctx, "acme", "u1", "k1", []byte("1")); err != nil {
		t.Errorf("asking the same twice = %v, want it taken for one", err)
	}
	if err := b.Ask(ctx, "acme", "u1", "k9", []byte("9")); !errors.Is(err, bus.ErrFull) {
		t.Errorf("a third request = %v, want ErrFull", err)
	}
	if err := b.Ask(ctx, "acme", "u2", "k10", []byte("10")); err != nil {
		t.Errorf("another user's request = %v", err)
	}
	first := bustest.Receive(t, asked, "request")
	for range 2 { // the second time it is gone already
		if err := b.Answered(ctx, first.seq); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Ask(ctx, "acme", "u1", "k11", []byte("11")); err != nil {
		t.Errorf("after one was answered: %v, want room", err)
	}
}

func TestSharedWorkIsDoneByOneAndAgainIfItFails(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two, ctx := bustest.Connect(t, srv), bustest.Connect(t, srv), bustest.Context(t)
	done := make(chan bus.Shared, 100)
	var mu sync.Mutex
	failed := false
	handle := func(_ context.Context, w bus.Shared) error {
		mu.Lock()
		defer mu.Unlock()
		if w.ID == "k3" && !failed {
			failed = true
			return errors.New("not now")
		}
		done <- w
		return nil
	}
	for _, b := range []*bus.Bus{one, two} {
		if err := b.ServeVerdicts(ctx, handle); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if _, err := one.Decide(ctx, "acme", fmt.Sprint("k", i), []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for range 10 {
		w := bustest.Receive(t, done, "verdict")
		seen[w.ID]++
		if w.Tenant != "acme" || w.Again != (w.ID == "k3") {
			t.Errorf("%+v, want tenant acme, and again only for the one that failed", w)
		}
	}
	if len(seen) != 10 {
		t.Errorf("done: %v, want each once", seen)
	}
}

func TestTimerFires(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	fired := make(chan bus.Shared, 3)
	if err := b.ServeTimers(ctx, func(_ context.Context, w bus.Shared) error { fired <- w; return nil }); err != nil {
		t.Fatal(err)
	}
	for id, in := range map[string]time.Duration{"past": -time.Hour, "soon": 50 * time.Millisecond, "later": time.Hour} {
		if err := b.SetTimer(ctx, "acme", id, time.Now().Add(in)); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]bool{}
	for range 2 {
		ids[bustest.Receive(t, fired, "timer").ID] = true
	}
	if !ids["past"] || !ids["soon"] {
		t.Errorf("fired: %v, want what was due", ids)
	}
}

func TestTokenIsSpentOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	buses, ctx := []*bus.Bus{bustest.Connect(t, srv), bustest.Connect(t, srv)}, bustest.Context(t)
	for race := range 50 {
		var all sync.WaitGroup
		var mu sync.Mutex
		won := []int{}
		for call := range 20 {
			all.Go(func() {
				ok, err := buses[call%2].Spend(ctx, "acme", fmt.Sprint("token", race), fmt.Sprint("call", call))
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				} else if ok {
					won = append(won, call)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("race %d: calls %v spent one token, want one of them", race, won)
		}
		if ok, err := buses[0].Spend(ctx, "acme", fmt.Sprint("token", race), fmt.Sprint("call", won[0])); !ok || err != nil {
			t.Errorf("the call that spent it asks again: %v, %v, want true", ok, err)
		}
	}
	if ok, err := buses[0].Spend(ctx, "acme", "not.a.name", "c"); ok || err != nil {
		t.Errorf("an id that cannot be one of ours: %v, %v, want false", ok, err)
	}
}

func TestBucketCreateAndReplace(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	k, err := b.Bucket(ctx, bus.BucketAsks)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Replace(ctx, "a.b", []byte("old"), []byte("new")); !errors.Is(err, bus.ErrExists) {
		t.Errorf("Replace of nothing = %v, want ErrExists", err)
	}
	if err := k.Create(ctx, "a.b", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := k.Create(ctx, "a.b", []byte("2")); !errors.Is(err, bus.ErrExists) {
		t.Errorf("Create of what is there = %v, want ErrExists", err)
	}
	if err := k.Replace(ctx, "a.b", []byte("2"), []byte("3")); !errors.Is(err, bus.ErrExists) {
		t.Errorf("Replace of another value = %v, want ErrExists", err)
	}
	if err := k.Replace(ctx, "a.b", []byte("1"), []byte("3")); err != nil {
		t.Errorf("Replace = %v", err)
	}
	if err := k.Put(ctx, "c.d", []byte("4")); err != nil {
		t.Fatal(err)
	}
	var found []string
	if err := k.LoadBelow(ctx, "a", func(key string, value []byte) { found = append(found, key+"="+string(value)) }); err != nil || len(found) != 1 || found[0] != "a.b=3" {
		t.Errorf("LoadBelow = %q, %v, want what lies below a", found, err)
	}
}

// TestSharedWorkGoesOnWithoutItsConsumer: NATS may come back without what it
// knew of who does the work.
func TestSharedWorkGoesOnWithoutItsConsumer(t *testing.T) {
	t.Parallel()
	b, ctx := bustest.Connect(t, bustest.Server(t)), bustest.Context(t)
	done := make(chan bus.Shared, 10)
	if err := b.ServeVerdicts(ctx, func(_ context.Context, w bus.Shared) error { done <- w; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := b.JetStream().DeleteConsumer(ctx, bus.StreamParked, "helve_verdicts"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Decide(ctx, "acme", "k1", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if w := bustest.Receive(t, done, "verdict"); w.ID != "k1" {
		t.Errorf("%+v was done, want k1", w)
	}
}
