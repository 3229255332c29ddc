package documents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/tool"
)

func open(t *testing.T) (*Documents, *bus.Bucket) {
	t.Helper()
	bucket, err := bustest.Connect(t, bustest.Server(t)).Bucket(t.Context(), bus.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	return New(bucket), bucket
}

func of(t *testing.T, d *Documents, tenant, user string) tool.Documents {
	t.Helper()
	docs, err := d.For(tenant, user)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func wantDoc(t *testing.T, docs tool.Documents, id, want string) {
	t.Helper()
	got, err := docs.Get(t.Context(), "notes", id)
	if err != nil || string(got) != want {
		t.Errorf("Get(%s) = %.80q (%d bytes), %v, want %.80q", id, got, len(got), err, want)
	}
}

func put(t *testing.T, docs tool.Documents, id, doc string) {
	t.Helper()
	if err := docs.Put(t.Context(), "notes", id, json.RawMessage(doc), time.Hour); err != nil {
		t.Fatalf("Put(%s): %v", id, err)
	}
}

func wantIDs(t *testing.T, docs tool.Documents, want ...string) {
	t.Helper()
	got, err := docs.List(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	docs := of(t, d, "acme", "ann")
	wantDoc(t, docs, "a", "")
	wantIDs(t, docs)
	put(t, docs, "b", `{"n":1}`)
	put(t, docs, "a", `[]`)
	put(t, docs, "b", `{"n":2}`)
	wantDoc(t, docs, "b", `{"n":2}`)
	wantIDs(t, docs, "a", "b")
	for range 2 {
		if err := docs.Delete(t.Context(), "notes", "a"); err != nil {
			t.Errorf("Delete = %v", err)
		}
	}
	wantDoc(t, docs, "a", "")
	wantIDs(t, docs, "b")
	for _, want := range []bool{true, false} { // also after a delete
		if got, err := docs.Create(t.Context(), "notes", "a", json.RawMessage(`1`), time.Hour); got != want || err != nil {
			t.Errorf("Create = %v, %v, want %v", got, err, want)
		}
	}
	if ids, err := docs.List(t.Context(), "other"); len(ids) > 0 || err != nil {
		t.Errorf("List of another collection = %q, %v", ids, err)
	}
}

func TestOneOfManyCreates(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	var won atomic.Int32
	var all sync.WaitGroup
	for range 10 {
		docs := of(t, d, "acme", "ann")
		all.Go(func() {
			if ok, err := docs.Create(t.Context(), "slots", "s1", json.RawMessage(`{}`), time.Minute); err != nil {
				t.Errorf("Create: %v", err)
			} else if ok {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d created the same id, want 1", won.Load())
	}
}

func large(n int, fill string) string {
	return `"` + strings.Repeat(fill, n-2) + `"`
}

func TestLargeDocuments(t *testing.T) {
	t.Parallel()
	d, bucket := open(t)
	docs := of(t, d, "acme", "ann")
	for _, size := range []int{partSize, partSize + 1, 3*partSize + 7, maxSize} {
		put(t, docs, "big", large(size, "x"))
		wantDoc(t, docs, "big", large(size, "x"))
		wantIDs(t, docs, "big")
	}
	put(t, docs, "big", large(maxSize, "y"))
	wantDoc(t, docs, "big", large(maxSize, "y"))
	if ok, err := docs.Create(t.Context(), "notes", "big", json.RawMessage(large(maxSize, "z")), time.Hour); ok || err != nil {
		t.Errorf("Create of what is there = %v, %v", ok, err)
	}
	if keys, err := bucket.Keys(t.Context(), ">"); err != nil || len(keys) != 9 {
		t.Errorf("the bucket holds %d keys, %v; want the head and 8 parts, none of what was replaced", len(keys), err)
	}
	if err := docs.Delete(t.Context(), "notes", "big"); err != nil {
		t.Fatal(err)
	}
	if keys, err := bucket.Keys(t.Context(), ">"); err != nil || len(keys) != 0 {
		t.Errorf("after Delete the bucket holds %q, %v", keys, err)
	}
}

// A reader sees one document or the other, never a mixture and never none.
func TestReadWhileReplaced(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	docs := of(t, d, "acme", "ann")
	put(t, docs, "big", large(600<<10, "a"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			if err := docs.Put(t.Context(), "notes", "big", json.RawMessage(large(600<<10, string("ab"[i%2]))), time.Hour); err != nil {
				t.Errorf("Put: %v", err)
			}
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got, err := docs.Get(t.Context(), "notes", "big")
		if text := string(got); err != nil || text != large(600<<10, "a") && text != large(600<<10, "b") {
			t.Fatalf("Get while it is replaced = %.40q (%d bytes), %v", got, len(got), err)
		}
	}
}

func TestForgottenInTime(t *testing.T) {
	t.Parallel()
	d, bucket := open(t)
	docs := of(t, d, "acme", "ann")
	if ok, err := docs.Create(t.Context(), "notes", "slot", json.RawMessage(`1`), time.Second); !ok || err != nil {
		t.Fatalf("Create = %v, %v", ok, err)
	}
	if err := docs.Put(t.Context(), "notes", "short", json.RawMessage(`1`), 300*time.Millisecond+time.Second); err != nil {
		t.Fatal(err)
	}
	put(t, docs, "short2", `1`)
	if err := docs.Put(t.Context(), "notes", "short2", json.RawMessage(`2`), time.Second); err != nil { // a new time counts
		t.Fatal(err)
	}
	put(t, docs, "long", `1`)
	bustest.Until(t, "the short ones are forgotten", func() bool {
		ids, err := docs.List(t.Context(), "notes")
		return err == nil && len(ids) == 1
	})
	wantIDs(t, docs, "long")
	wantDoc(t, docs, "slot", "")
	wantDoc(t, docs, "long", "1")
	if ok, err := docs.Create(t.Context(), "notes", "slot", json.RawMessage(`2`), time.Minute); !ok || err != nil {
		t.Errorf("Create of what was forgotten = %v, %v, want true", ok, err)
	}
	wantDoc(t, docs, "slot", "2")
	if keys, err := bucket.Keys(t.Context(), "acme.*.*.*"); err != nil || len(keys) != 2 {
		t.Errorf("the bucket holds %q, %v", keys, err)
	}
}

func TestNobodyElses(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	put(t, of(t, d, "acme", "ann"), "a", `"ann"`)
	put(t, of(t, d, "acme", ""), "a", `"nobody"`)
	for _, who := range [][2]string{{"acme", "bob"}, {"other", "ann"}, {"acme", "An"}, {"ACME", "ann"}, {"acme", "ann-"}, {"other", ""}} {
		docs := of(t, d, who[0], who[1])
		wantDoc(t, docs, "a", "")
		wantIDs(t, docs)
		if err := docs.Delete(t.Context(), "notes", "a"); err != nil {
			t.Error(err)
		}
	}
	wantDoc(t, of(t, d, "acme", "ann"), "a", `"ann"`)
	wantDoc(t, of(t, d, "acme", ""), "a", `"nobody"`)
}

var hostile = []string{"", "*", ">", ".", "..", "a.b", "a.>", "*.a", "a b", "a/b", "a\x00", "a\n", "ä", "$KV", strings.Repeat("a", 65), "notes.ann", "a*"}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	docs := of(t, d, "acme", "ann")
	put(t, docs, "a", `1`)
	wantInvalid := func(what, n string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != tool.ValidationError {
			t.Errorf("%s(%q) = %v, want validation_error", what, n, err)
		}
	}
	for _, n := range hostile {
		_, err := d.For(n, "ann")
		wantInvalid("tenant", n, err)
		if n != "" {
			_, err = d.For("acme", n)
			wantInvalid("user", n, err)
		}
		for _, place := range [][2]string{{n, "a"}, {"notes", n}} {
			_, err := docs.Get(t.Context(), place[0], place[1])
			wantInvalid("Get", n, err)
			wantInvalid("Put", n, docs.Put(t.Context(), place[0], place[1], json.RawMessage(`1`), time.Hour))
			wantInvalid("Delete", n, docs.Delete(t.Context(), place[0], place[1]))
			_, err = docs.Create(t.Context(), place[0], place[1], json.RawMessage(`1`), time.Hour)
			wantInvalid("Create", n, err)
		}
		_, err = docs.List(t.Context(), n)
		wantInvalid("List", n, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	d, bucket := open(t)
	docs := of(t, d, "acme", "ann")
	for name, c := range map[string]struct {
		doc  string
		ttl  time.Duration
		kind tool.Kind
	}{
		"too large": {large(maxSize+1, "x"), time.Hour, tool.ValidationError},
		"no JSON":   {`{`, time.Hour, tool.Internal},
		"empty":     {``, time.Hour, tool.Internal},
		"no time":   {`1`, 0, tool.Internal},
		"for ever":  {`1`, 1 << 62, tool.Internal},
	} {
		if e := tool.AsError(docs.Put(t.Context(), "notes", "a", json.RawMessage(c.doc), c.ttl)); e == nil || e.Kind != c.kind {
			t.Errorf("%s: Put = %v, want %s", name, e, c.kind)
		}
	}
	// A part that is gone is damage, not another document.
	put(t, docs, "big", large(600<<10, "x"))
	keys, err := bucket.Keys(t.Context(), "acme.ann.notes.big.*.*")
	if err != nil || len(keys) != 3 {
		t.Fatalf("parts %q, %v", keys, err)
	}
	if err := bucket.Forget(t.Context(), keys[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := docs.Get(t.Context(), "notes", "big"); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Internal {
		t.Errorf("Get of a damaged document = %v, want internal", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := docs.Get(ended, "notes", "a"); tool.AsError(err) == nil || tool.AsError(err).Kind != tool.Cancelled {
		t.Errorf("Get after the call = %v, want cancelled", err)
	}
}

func TestWithoutServer(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	bucket, err := bustest.Connect(t, srv).Bucket(t.Context(), bus.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	srv.Stop()
	_, err = of(t, New(bucket), "acme", "ann").Get(t.Context(), "notes", "a")
	if e := tool.AsError(err); e == nil || e.Kind != tool.Internal || strings.Contains(e.Msg, "nats") {
		t.Errorf("Get without a server = %v, want internal and nothing of the server in its message", err)
	}
}
