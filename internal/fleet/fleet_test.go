package fleet

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/tool"
)

func kind(t *testing.T, version string, names ...string) *Kind {
	t.Helper()
	defs := make([]tool.Definition, len(names))
	for i, name := range names {
		defs[i] = tool.Definition{Name: name, Version: version, Parameters: []byte(`{"type":"object"}`)}
	}
	k, err := NewKind(defs)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func worker(id string, slots int, k *Kind) Worker {
	w := Worker{ID: id, Workspace: "A", Slots: slots, Tools: k}
	if k != nil {
		w.Kind = k.Hash
	}
	return w
}

func TestPlace(t *testing.T) {
	t.Parallel()
	standard, own, old := kind(t, "1", "calculate", "use_tool"), kind(t, "1", "count_words"), (*Kind)(nil)
	newer := kind(t, "2", "calculate", "use_tool", "added")
	live := Live{
		"alike":   {worker("w1", 4, standard), worker("w2", 4, standard)},
		"unlike":  {worker("w1", 4, standard), worker("w2", 4, standard), worker("w3", 4, own)},
		"rolling": {worker("w1", 4, standard), worker("w2", 4, newer)},
		"old":     {worker("w1", 0, old), worker("w2", 0, old)},
		"mixed":   {worker("w1", 0, old), worker("w2", 4, newer)},
	}
	f := New()
	f.Set(live)
	for _, tt := range []struct {
		pool, name, via string
		workers, able   int
		kind            *Kind
		missing         string
	}{
		{"alike", "calculate", "", 2, 2, nil, ""},
		{"alike", "nope", "", 2, 0, nil, "none of the 2 workers of pool alike has this tool"},
		{"unlike", "calculate", "", 3, 2, standard, ""},
		{"unlike", "calculate", "use_tool", 3, 2, standard, ""},
		{"unlike", "count_words", "", 3, 1, own, ""},
		{"unlike", "count_words", "use_tool", 3, 0, nil, "none of the 3 workers of pool unlike has this tool"},
		{"unlike", "", "", 3, 3, nil, ""}, // run by any worker
		{"rolling", "added", "", 2, 1, newer, ""},
		{"rolling", "calculate", "", 2, 2, nil, ""},
		{"old", "anything", "", 2, 2, nil, ""},
		{"mixed", "added", "", 2, 2, nil, ""}, // the earlier version does not say what it lacks
		{"mixed", "removed", "", 2, 1, nil, ""},
		{"nobody", "calculate", "", 0, 0, nil, "no worker of pool nobody is running"},
	} {
		p := f.Place(tt.pool, tt.name, tt.via)
		hash := ""
		if tt.kind != nil {
			hash = tt.kind.Hash
		}
		if p.Workers != tt.workers || p.Able != tt.able || p.Kind != hash || p.Anybody() != (tt.able == tt.workers && tt.able > 0) {
			t.Errorf("Place(%s, %s, %s) = %+v, want %d workers, %d able, kind %q", tt.pool, tt.name, tt.via, p, tt.workers, tt.able, hash)
		}
		if got := p.Missing(tt.pool); tt.missing != "" && got != tt.missing {
			t.Errorf("%s of %s: %s, want %s", tt.name, tt.pool, got, tt.missing)
		}
	}
}

// TestPlaceSharesBySlots: of two kinds that have a tool each gets its part.
func TestPlaceSharesBySlots(t *testing.T) {
	t.Parallel()
	small, large, other := kind(t, "1", "a"), kind(t, "1", "a", "b"), kind(t, "1", "c")
	f := New()
	f.Set(Live{"p": {worker("w1", 10, small), worker("w2", 30, large), worker("w3", 40, other)}})
	got := map[string]int{}
	const calls = 4000
	for range calls {
		got[f.Place("p", "a", "").Kind]++
	}
	if n := got[small.Hash]; n < calls/8 || n > calls*3/8 || n+got[large.Hash] != calls {
		t.Errorf("of %d calls the kind with a quarter of the slots got %d, the other %d", calls, n, got[large.Hash])
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	one, two, more := kind(t, "1", "a"), kind(t, "2", "a"), kind(t, "1", "a", "b")
	f := New()
	f.Set(Live{"p": {worker("w1", 1, one), worker("w2", 1, two), worker("w3", 1, more), worker("w4", 1, nil)}})
	got := map[string]int{}
	for _, v := range f.Versions("p", "a") {
		got[v.Version] = v.Workers
	}
	if len(got) != 2 || got["1"] != 2 || got["2"] != 1 {
		t.Errorf("versions of a = %v, want two workers with 1 and one with 2", got)
	}
	if v := f.Versions("p", "nope"); v != nil {
		t.Errorf("versions of an unknown tool = %v", v)
	}
	if f.Versions("nobody", "a") != nil {
		t.Error("a pool without workers has versions")
	}
}

// TestFleetChanged: a goroutine that waits for a worker is woken when one comes.
func TestFleetChanged(t *testing.T) {
	t.Parallel()
	f := New()
	changed := f.Changed()
	select {
	case <-changed:
		t.Fatal("changed before anything was")
	default:
	}
	f.Set(Live{})
	<-changed
}

// TestKindTravels: followers learn which tools a worker has, and that they changed; a
// list that is not what its key says counts for nothing.
func TestKindTravels(t *testing.T) {
	t.Parallel()
	srv, ctx := queuetest.Server(t), queuetest.Context(t)
	one, dispatcher := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	fleet, err := Open(ctx, dispatcher, nil, nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for {
			changed := fleet.Changed()
			if ok() {
				return
			}
			queuetest.Receive(t, changed, what)
		}
	}
	first, second := kind(t, "1", "a"), kind(t, "1", "a", "b")
	bucket, err := one.Conn.Bucket(ctx, streams.BucketWorkers)
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Put(ctx, "p."+kindMark+second.Hash, []byte(`[{"name":"forged"}]`)); err != nil {
		t.Fatal(err)
	}
	a, err := Announce(ctx, one, Worker{ID: "w1", Workspace: "A", Since: time.Now(), Slots: 3}, map[string]*Kind{"p": first},
		func(string) queue.Load { return queue.Load{Busy: 2} }, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	until("the worker has a", func() bool { return fleet.Place("p", "a", "").Anybody() })
	if p := fleet.Place("p", "b", ""); p.Able != 0 || p.Workers != 1 {
		t.Errorf("Place of a tool that it lacks = %+v", p)
	}
	if w := fleet.Live()["p"][0]; w.Busy != 2 || w.Slots != 3 || w.Kind != first.Hash {
		t.Errorf("the worker is known as %+v", w)
	}
	if err := a.Offer(ctx, map[string]*Kind{"p": second}); err != nil {
		t.Fatal(err)
	}
	until("the worker has b", func() bool { return fleet.Place("p", "b", "").Kind == "" && fleet.Place("p", "b", "").Able == 1 })
	if names := toolNames(fleet.Live()["p"][0].Tools); !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("its tools are %q", names)
	}
	// A fleet that starts later knows them too.
	late, err := Open(ctx, one, nil, nil, zap.NewNop())
	if err != nil || !late.Place("p", "b", "").Anybody() || late.Place("p", "c", "").Able != 0 {
		t.Errorf("a late follower: %v, %+v", err, late.Place("p", "c", ""))
	}
	a.Leave(ctx)
	until("the worker has left", func() bool { return fleet.Place("p", "a", "").Workers == 0 })
}

func toolNames(k *Kind) []string {
	var names []string
	for _, t := range k.Tools() {
		names = append(names, t.Name)
	}
	return names
}
