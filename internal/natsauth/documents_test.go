package natsauth

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/backend/documents"
	"github.com/helve-dev/helve/internal/bus"
)

// TestDocuments: with a worker's credentials documents are kept, large ones too.
func TestDocuments(t *testing.T) {
	t.Parallel()
	b, err := bus.Connect(bus.Options{Context: User{Role: Worker}.ContextFile(shared.dir), Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	bucket, err := b.Bucket(t.Context(), bus.BucketDocuments)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := documents.New(bucket).For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	large := json.RawMessage(`"` + strings.Repeat("x", 2<<20-2) + `"`)
	for _, doc := range []json.RawMessage{json.RawMessage(`{}`), large} {
		if err := docs.Put(t.Context(), "c", "d", doc, time.Minute); err != nil {
			t.Fatalf("Put of %d bytes: %v", len(doc), err)
		}
		if got, err := docs.Get(t.Context(), "c", "d"); err != nil || len(got) != len(doc) {
			t.Errorf("Get = %d bytes, %v, want %d", len(got), err, len(doc))
		}
	}
	for _, want := range []bool{true, false} {
		if got, err := docs.Create(t.Context(), "c", "e", json.RawMessage(`1`), time.Minute); got != want || err != nil {
			t.Errorf("Create = %v, %v, want %v", got, err, want)
		}
	}
	if ids, err := docs.List(t.Context(), "c"); err != nil || strings.Join(ids, " ") != "d e" {
		t.Errorf("List = %q, %v", ids, err)
	}
	if err := docs.Delete(t.Context(), "c", "d"); err != nil {
		t.Error(err)
	}
	if ok, err := docs.Create(t.Context(), "c", "d", json.RawMessage(`1`), time.Minute); !ok || err != nil {
		t.Errorf("Create after Delete = %v, %v", ok, err)
	}
}
