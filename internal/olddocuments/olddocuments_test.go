package olddocuments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/queue/queuetest"
	"github.com/helve-dev/helve/tool"
)

// bucket returns a bucket as an earlier release made it.
func bucket(t *testing.T) *natsio.Bucket {
	t.Helper()
	q := queuetest.Connect(t, queuetest.Server(t))
	if err := (natsio.Topology{Conn: q.Conn}).Bucket(t.Context(), natsio.BucketSpec{Name: queue.BucketDocuments, KeyTTL: true}); err != nil {
		t.Fatal(err)
	}
	b, err := q.Conn.Bucket(t.Context(), queue.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put stores a document as an earlier release did.
func put(t *testing.T, b *natsio.Bucket, key, doc string) {
	t.Helper()
	value := []byte(doc)
	if len(value) > partSize {
		h := heading{Version: "V1", Parts: (len(doc) + partSize - 1) / partSize, Size: len(doc)}
		for n := range h.Parts {
			if err := b.PutFor(t.Context(), partKey(key, h.Version, n), value[n*partSize:min((n+1)*partSize, len(value))], time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		head, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		value = append([]byte{0}, head...)
	}
	if err := b.PutFor(t.Context(), key, value, time.Hour); err != nil {
		t.Fatal(err)
	}
}

func moved(t *testing.T, b Bucket, s Store, want Moved) {
	t.Helper()
	if got, err := Move(t.Context(), b, s, at); got != want || err != nil {
		t.Errorf("Move = %+v, %v, want %+v", got, err, want)
	}
}

// wantItem checks a document of the store.
func wantItem(t *testing.T, s *store.Store, user, collection, id, want string, created time.Time) {
	t.Helper()
	row, err := s.For("acme", user, "", 1).Get(t.Context(), &tool.Shape{Name: collection}, id)
	if err != nil || string(row.Doc) != want || !created.IsZero() && !row.CreatedAt.Equal(created) {
		t.Errorf("%s of %s is %.100s of %s, %v, want %.100s of %s", id, user, row.Doc, row.CreatedAt, err, want, created)
	}
}

func wantKeys(t *testing.T, b *natsio.Bucket, want ...string) {
	t.Helper()
	keys, err := b.Keys(t.Context(), ">")
	if err != nil || strings.Join(keys, " ") != strings.Join(want, " ") {
		t.Errorf("the bucket has %q, %v, want %q", keys, err, want)
	}
}

var (
	at       = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	created  = time.Date(2026, 2, 1, 2, 3, 4, 0, time.UTC)
	small    = `{"id":"019-a","createdAt":"2026-02-01T02:03:04Z","output":"done"}`
	large    = `{"output":"` + strings.Repeat("x", 3*partSize) + `"}`
	strange  = `["no object"]`
	anns     = "acme.ann.coding_results."
	nobodys  = "acme._.notes."
	annsSlot = "acme.ann.coding_slots.1"
)

// TestMove: documents get into the store with their ids and times, once; the store's own
// and those that it does not take stay as they are.
func TestMove(t *testing.T) {
	t.Parallel()
	b, s := bucket(t), opened(t)
	put(t, b, anns+"019-a", small)
	put(t, b, nobodys+"big", large)
	put(t, b, anns+"strange", strange)
	put(t, b, "acme.ann.Upper-Case.x", small)
	put(t, b, anns+"damaged", large)
	if err := b.Forget(t.Context(), partKey(anns+"damaged", "V1", 1)); err != nil {
		t.Fatal(err)
	}
	moved(t, b, s, Moved{Documents: 2, Refused: 3})
	wantItem(t, s, "ann", "coding_results", "019-a", small, created)
	wantItem(t, s, "", "notes", "big", large, time.Time{})
	moved(t, b, s, Moved{Refused: 3})
	for _, key := range []string{anns + "strange", "acme.ann.Upper-Case.x", anns + "damaged"} {
		if err := b.Forget(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	wantKeys(t, b, partKey(anns+"damaged", "V1", 0), partKey(anns+"damaged", "V1", 2), partKey(anns+"damaged", "V1", 3))
}

// TestMoveRunning: an agent that runs on a worker of an earlier release counts as long as
// it has its slot, and its result comes after it.
func TestMoveRunning(t *testing.T) {
	t.Parallel()
	b, s := bucket(t), opened(t)
	put(t, b, annsSlot, `{"call":"c9"}`)
	moved(t, b, s, Moved{Running: 1})
	wantItem(t, s, "ann", slots, "before-1", `{"call":"c9","until":"2026-03-04T05:07:07.000000000Z"}`, time.Time{})
	wantKeys(t, b, annsSlot)
	if _, err := Move(t.Context(), b, s, at.Add(15*time.Second)); err != nil {
		t.Fatal(err)
	}
	wantItem(t, s, "ann", slots, "before-1", `{"call":"c9","until":"2026-03-04T05:07:22.000000000Z"}`, time.Time{})
	put(t, b, anns+"019-a", small)
	if err := b.Forget(t.Context(), annsSlot); err != nil {
		t.Fatal(err)
	}
	moved(t, b, s, Moved{Documents: 1})
	wantItem(t, s, "ann", "coding_results", "019-a", small, created)
	wantKeys(t, b)
}

// broken fails at the nth access.
type broken struct {
	Bucket
	left int
}

var errBroken = errors.New("broken")

func (f *broken) fails() bool { f.left--; return f.left < 0 }

func (f *broken) Get(ctx context.Context, key string) ([]byte, error) {
	if f.fails() {
		return nil, errBroken
	}
	return f.Bucket.Get(ctx, key)
}

func (f *broken) Forget(ctx context.Context, key string) error {
	if f.fails() {
		return errBroken
	}
	return f.Bucket.Forget(ctx, key)
}

// TestMoveInterrupted: wherever a move ends, the next one completes it, and nothing is lost
// or stored twice.
func TestMoveInterrupted(t *testing.T) {
	t.Parallel()
	b := bucket(t)
	for n := 0; ; n++ {
		s := opened(t)
		put(t, b, anns+"a", large)
		put(t, b, anns+"b", small)
		_, err := Move(t.Context(), &broken{b, n}, s, at)
		if err != nil && !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		if _, again := Move(t.Context(), b, s, at); again != nil {
			t.Fatal(again)
		}
		wantItem(t, s, "ann", "coding_results", "a", large, time.Time{})
		wantItem(t, s, "ann", "coding_results", "b", small, created)
		if keys, err := b.Keys(t.Context(), "*.*.*.*"); err != nil || len(keys) > 0 {
			t.Errorf("after access %d the bucket has %q, %v", n, keys, err)
		}
		if err == nil {
			return
		}
	}
}

// TestMoveTogether: workers that move concurrently store each document once.
func TestMoveTogether(t *testing.T) {
	t.Parallel()
	b, s := bucket(t), opened(t)
	const documents = 10
	for n := range documents {
		put(t, b, fmt.Sprint(anns, n), fmt.Sprintf(`{"n":%d,"text":"%s"}`, n, strings.Repeat("x", partSize)))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := Move(t.Context(), b, s, at); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	page, err := s.For("acme", "ann", "", 1).Query(t.Context(), &tool.Shape{Name: "coding_results"}, tool.Query{Total: true})
	if err != nil || page.Total != documents {
		t.Errorf("%d documents are stored, %v, want %d", page.Total, err, documents)
	}
	wantKeys(t, b)
}
