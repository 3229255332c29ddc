package dispatch

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/protocol"
)

// groupPlaces answers from a table of places, as the audit index does.
type groupPlaces struct {
	places map[string][]uint64
	err    error
	// late is the error of a search that waits for the index.
	late error
	upTo []uint64
	// over are the calls that have ended.
	over map[string]bool
}

func (g *groupPlaces) Find(_ context.Context, _, callID string, upTo uint64, await bool) ([]uint64, error) {
	if await {
		g.upTo = append(g.upTo, upTo)
		if g.late != nil && len(g.places[callID]) == 0 {
			return nil, g.late
		}
	}
	return g.places[callID], g.err
}

func (g *groupPlaces) Over(_ context.Context, _, callID string) (bool, error) {
	return g.over[callID], g.err
}

// TestOver: a call that has ended is unknown once its result has expired, however long its
// acceptance is known. It is not ended again.
func TestOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Groups = &groupPlaces{over: map[string]bool{"c1": true}} })
	long := time.Now().Add(-time.Hour).UnixMilli()
	_, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "c1", queue.Acceptance{Tool: "echo", Pool: "default", StartByMS: long})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.d.Get(local(t), "acme", "c1")
	wantKind(t, "Get of a call that is over", err, NotFound)
	if stored, err := w.d.Queue.Results.Result(t.Context(), "acme", "c1"); stored != nil || err != nil {
		t.Errorf("its second result is %+v, %v", stored, err)
	}
}

// group stores the results of calls in one message and returns its place.
func (w *world) group(t *testing.T, pool string, calls ...string) uint64 {
	t.Helper()
	var all []queue.GroupedResult
	for _, id := range calls {
		data, err := call.EncodeResult(&protocol.Result{
			CallID: id,
			Tool:   "echo",
			Status: protocol.StatusSuccess,
			State:  protocol.StateDone,
			Result: []byte(`"` + id + `"`),
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, queue.GroupedResult{CallID: id, Element: data, Record: []byte(`{"call_id":"` + id + `"}`)})
	}
	done := make(chan error, 1)
	w.worker.Results.FinishGroup("acme", pool, "d-1", "g-"+calls[0], all, func(err error) { done <- err })
	if err := queuetest.Receive(t, done, "acknowledgement"); err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); ; seq++ {
		got, err := w.d.Queue.Results.ResultAt(t.Context(), "acme", calls[0], seq)
		if err != nil {
			t.Fatal(err)
		}
		if got != nil && got.Pool == pool {
			return seq
		}
	}
}

// TestStoredInGroups: a result in a group is found by its place, that of the pool the call
// was accepted for; without an index the search fails rather than to find nothing.
func TestStoredInGroups(t *testing.T) {
	t.Parallel()
	g := &groupPlaces{places: map[string][]uint64{}}
	w := newWorld(t, func(o *Options) { o.Groups = g })
	foreign, own := w.group(t, "other", "c1"), w.group(t, "default", "c1", "c2")
	g.places["c1"], g.places["c2"] = []uint64{foreign, own}, []uint64{own}
	if _, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "c1", queue.Acceptance{Tool: "echo", Pool: "default"}); err != nil {
		t.Fatal(err)
	}
	for _, pool := range []string{"", "default"} {
		got, err := w.d.results.Find(t.Context(), results.Named("acme", "c1").In(pool))
		if err != nil || got == nil || got.Seq != own {
			t.Errorf("Find(pool %q) = %+v, %v, want the result at %d", pool, got, err, own)
		}
	}
	waits := w.d.results.Await(&call.Call{Tenant: "acme", ID: "c2", Tool: "echo", Pool: "default", Grouped: true})
	defer waits.Forget()
	if got, err := waits.Look(t.Context(), false); got != nil || err != nil {
		t.Errorf("the first look = %s, %v, want nothing: it asks no index", got, err)
	}
	if got, err := waits.Look(t.Context(), true); got == nil || err != nil {
		t.Errorf("a late look = %s, %v, want the result", got, err)
	}
	if got, err := w.d.results.FindLatest(t.Context(), results.Named("acme", "c3")); got != nil || err != nil || len(g.upTo) != 1 || g.upTo[0] != 0 {
		t.Errorf("an unknown call = %+v, %v, waited for %v, want one wait for all results", got, err, g.upTo)
	}
	if held := w.d.results.Done("acme", "c2"); held == nil || held.State != protocol.StateDone {
		t.Errorf("a worker that asks about c2 gets %+v, want done", held)
	}
	if held := w.d.results.Done("acme", "c3"); held != nil {
		t.Errorf("a worker that asks about c3 gets %+v, want nothing", held)
	}
	if data, err := w.d.Get(local(t), "acme", "c2"); err != nil || string(elements(t, data)[0].Result) != `"c2"` {
		t.Errorf("Get = %s, %v", data, err)
	}
	g.err = errors.New("the index is behind")
	_, err := w.d.Get(local(t), "acme", "c2")
	wantKind(t, "Get without the index", err, Unavailable)
	if got, err := w.d.results.Find(t.Context(), results.Named("acme", "c2")); got != nil || !errors.Is(err, g.err) {
		t.Errorf("without the index = %+v, %v, want its error", got, err)
	}
}

// TestHiddenCallTellsNothing: while the index is behind, a call of somebody else is answered
// as an id that no call has, and so it is once the index is complete.
func TestHiddenCallTellsNothing(t *testing.T) {
	t.Parallel()
	g := &groupPlaces{places: map[string][]uint64{}}
	w := newWorld(t, func(o *Options) { o.Groups = g })
	g.places["theirs"] = []uint64{w.group(t, "default", "theirs")}
	if _, err := w.d.Queue.Calls.Accept(t.Context(), "acme", "queued", queue.Acceptance{
		Tool: "echo",
		Pool: "default",
		User: "bob",
	}); err != nil {
		t.Fatal(err)
	}
	ids := []string{"theirs", "queued", "nobody's"}
	for _, id := range ids {
		_, err := w.d.Get(as(t, "ann"), "acme", id)
		wantKind(t, "calls.get of "+id, err, NotFound)
	}
	g.late = errors.New("the index is behind")
	for _, id := range ids {
		_, err := w.d.Get(as(t, "ann"), "acme", id)
		wantKind(t, "calls.get of "+id+" without the index", err, Unavailable)
		_, err = w.d.Cancel(as(t, "ann"), "acme", id)
		wantKind(t, "calls.cancel of "+id+" without the index", err, Unavailable)
	}
}

// TestUnread: the message names the index if it is the cause.
func TestUnread(t *testing.T) {
	t.Parallel()
	if a, b := readError(natsio.ErrUnavailable), readError(errors.New("x")); a.Msg == b.Msg || a.Kind != Unavailable || b.Kind != Unavailable ||
		b.RetryAfter == 0 {
		t.Errorf("unread = %v and %v", a, b)
	}
}
