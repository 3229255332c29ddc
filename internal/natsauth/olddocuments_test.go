package natsauth

import (
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/olddocuments"
	"github.com/helve-dev/helve/internal/queue"
)

// TestOldDocuments: with a worker's credentials the documents of an earlier release are
// moved into the store.
func TestOldDocuments(t *testing.T) {
	t.Parallel()
	connect := func(role Role) *queue.Queue {
		q, err := queue.Connect(queue.Options{Options: natsio.Options{Context: User{Role: role}.ContextFile(shared.dir), Name: t.Name()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	if err := (natsio.Topology{Conn: connect(Dispatcher).Conn}).Bucket(t.Context(), natsio.BucketSpec{Name: queue.BucketDocuments, KeyTTL: true}); err != nil {
		t.Fatal(err)
	}
	bucket, err := connect(Worker).Conn.Bucket(t.Context(), queue.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"acme.u1.coding_slots.1", "acme.u1.coding_results.r1"} {
		if err := bucket.PutFor(t.Context(), key, []byte(`{"call":"c1"}`), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if got, err := olddocuments.Move(t.Context(), bucket, s, time.Now()); err != nil || got.Documents != 1 || got.Running != 1 {
		t.Errorf("Move = %+v, %v", got, err)
	}
	if keys, err := bucket.Keys(t.Context(), "*.*.*.*"); err != nil || strings.Join(keys, " ") != "acme.u1.coding_slots.1" {
		t.Errorf("the bucket has %q, %v", keys, err)
	}
}
