package kept_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/kept"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// stored writes a block of calls that ended now.
func stored(t *testing.T, s kept.Store, tenant, user, body string, calls ...string) {
	t.Helper()
	err := s.Write(queuetest.Context(t), &kept.Block{
		Tenant: tenant, User: user, Calls: calls, Since: time.Now(), TTL: time.Hour, Body: []byte(body),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bodies returns the bodies of the blocks in which a call may be.
func bodies(t *testing.T, s kept.Store, tenant, user, callID string, ended time.Time) (all []string) {
	t.Helper()
	err := s.Find(queuetest.Context(t), tenant, user, callID, ended, func(b *kept.Block) bool {
		if b.Until.Before(time.Now()) {
			t.Errorf("block %s was to expire at %v", b.Body, b.Until)
		}
		all = append(all, string(b.Body))
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFind: a call is found in the blocks of its person and near its time only.
func TestFind(t *testing.T) {
	t.Parallel()
	s := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn)
	stored(t, s, "acme", "ann", "1", "c1", "c2")
	stored(t, s, "acme", "ann", "2", "c3")
	stored(t, s, "acme", "ann", "3", "c1")
	stored(t, s, "acme", "bob", "4", "c1")
	stored(t, s, "beta", "ann", "5", "c1")
	stored(t, s, "acme", "", "6", "c9")
	now := time.Now()
	for _, tt := range []struct {
		tenant, user, call string
		ended              time.Time
		want               string
	}{
		{"acme", "ann", "c1", now, "1 3"},
		{"acme", "ann", "c3", now, "2"},
		{"acme", "bob", "c1", now, "4"},
		{"beta", "ann", "c1", now, "5"},
		{"acme", "", "c9", now, "6"},
		{"acme", "ann", "c9", now, ""},
		{"acme", "ann", "c1", now.Add(-time.Hour), ""},
		{"acme", "ann", "c1", now.Add(time.Hour), ""},
	} {
		if got := strings.Join(bodies(t, s, tt.tenant, tt.user, tt.call, tt.ended), " "); got != tt.want {
			t.Errorf("%s of %s in %s is in %q, want %q", tt.call, tt.user, tt.tenant, got, tt.want)
		}
	}
}

// TestErase: the calls of one person go, those of others stay.
func TestErase(t *testing.T) {
	t.Parallel()
	s := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn)
	stored(t, s, "acme", "ann", "1", "c1", "c2")
	stored(t, s, "acme", "ann", "2", "c3")
	stored(t, s, "acme", "bob", "3", "c4")
	stored(t, s, "beta", "ann", "4", "c5")
	if n, err := s.Erase(queuetest.Context(t), "acme", "ann"); n != 3 || err != nil {
		t.Errorf("erased %d calls, %v; want 3", n, err)
	}
	now := time.Now()
	if got := bodies(t, s, "acme", "ann", "c1", now); got != nil {
		t.Errorf("of ann is left %q", got)
	}
	if len(bodies(t, s, "acme", "bob", "c4", now))+len(bodies(t, s, "beta", "ann", "c5", now)) != 2 {
		t.Error("calls of others are gone")
	}
}

// TestTrim: beyond a bound the oldest calls of a tenant, or of all, are dropped and counted.
func TestTrim(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	s, ctx := kept.On(q.Conn), queuetest.Context(t)
	body := strings.Repeat("x", 1000)
	for i := range 10 {
		stored(t, s, "acme", "ann", body, fmt.Sprint("a", i), fmt.Sprint("b", i))
		stored(t, s, "beta", "ann", body, fmt.Sprint("c", i))
	}
	left, dropped, err := s.Trim(ctx, "acme", 1<<20)
	if err != nil || dropped != 0 || left < 10_000 {
		t.Fatalf("below the bound: %d bytes left, %d calls dropped, %v", left, dropped, err)
	}
	left, dropped, err = s.Trim(ctx, "acme", left/2)
	if err != nil || dropped < 10 || dropped > 12 || left > 6_000 {
		t.Errorf("at half: %d bytes left, %d calls dropped, %v", left, dropped, err)
	}
	now := time.Now()
	if len(bodies(t, s, "acme", "ann", "a0", now)) != 0 || len(bodies(t, s, "acme", "ann", "a9", now)) != 1 ||
		len(bodies(t, s, "beta", "ann", "c0", now)) != 1 {
		t.Error("it did not drop the oldest calls of the tenant alone")
	}
	if _, dropped, err = s.Trim(ctx, "*", 0); err != nil || dropped != 30-12 && dropped != 30-10 {
		t.Errorf("all were dropped: %d, %v", dropped, err)
	}
	if bytes, err := s.Bytes(ctx); bytes != 0 || err != nil {
		t.Errorf("%d bytes are left, %v", bytes, err)
	}
	if info := queuetest.ConfigOf(t, q, streams.Kept); !info.AllowMsgTTL {
		t.Error("blocks do not expire by themselves")
	}
}

// TestExpires: a block goes when its time is over.
func TestExpires(t *testing.T) {
	t.Parallel()
	s := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn)
	ctx := queuetest.Context(t)
	if err := s.Write(ctx, &kept.Block{Tenant: "acme", User: "ann", Calls: []string{"c1"}, Since: time.Now(), TTL: time.Second}); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the block has expired", func() bool {
		bytes, err := s.Bytes(ctx)
		return err == nil && bytes == 0
	})
}

// TestNotes: what is noted is read again; a place in another stream of results is none.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := kept.On(queuetest.Connect(t, queuetest.Server(t)).Conn)
	ctx := queuetest.Context(t)
	if _, ok, err := s.Place(ctx, "r1"); ok || err != nil {
		t.Errorf("a place is known before there is one, %v", err)
	}
	if d, err := s.LastDropped(ctx); !d.At.IsZero() || err != nil {
		t.Errorf("dropped %+v, %v", d, err)
	}
	if err := s.NotePlace(ctx, "r1", 17); err != nil {
		t.Fatal(err)
	}
	if seq, ok, err := s.Place(ctx, "r1"); seq != 17 || !ok || err != nil {
		t.Errorf("place %d %v, %v", seq, ok, err)
	}
	if _, ok, err := s.Place(ctx, "r2"); ok || err != nil {
		t.Errorf("the place of another stream counts, %v", err)
	}
	if err := s.Await(ctx, "r1", 17); err != nil {
		t.Error(err)
	}
	want := kept.Dropped{At: time.Now().UTC().Truncate(time.Second), Tenant: "acme", Calls: 3}
	if err := s.NoteDropped(ctx, want); err != nil {
		t.Fatal(err)
	}
	if d, err := s.LastDropped(ctx); d != want || err != nil {
		t.Errorf("dropped %+v, %v; want %+v", d, err, want)
	}
}
