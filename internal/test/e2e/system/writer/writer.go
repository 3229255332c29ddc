// Package writer is a process that writes audit records and results by hand, for tests of what
// the system makes of them.
//
// It promises that its records are proven as those of a worker are. It runs no call.
package writer

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/audit/proof"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// New returns a process that proves its records to the dispatchers of a system, as any program
// that may connect to its NATS can be one.
func New(t testing.TB, s *system.System) *proof.Process {
	t.Helper()
	p, err := proof.NewWorker()
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(s.Conn)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.KeyValue(t.Context(), streams.BucketKeys)
	if err != nil {
		t.Fatal(err)
	}
	names, err := bucket.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		entry, err := bucket.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var made struct {
			Key ed25519.PublicKey `json:"key"`
		}
		if !strings.HasPrefix(name, "record.") {
			continue
		}
		if err := json.Unmarshal(entry.Value(), &made); err != nil {
			t.Fatal(err)
		}
		if err := p.Put(token.KeyID(made.Key), made.Key); err != nil {
			t.Fatal(err)
		}
	}
	if !p.Known() {
		t.Fatal("no dispatcher has made a key known")
	}
	return p
}
