package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// blob is a call that returns a string of n bytes.
func blob(callID string, n int) string {
	return fmt.Sprintf(`{"call_id": %q, "tool": "debug.blob", "arguments": {"bytes": %d}}`, callID, n)
}

// wantBlob checks a result that should be n times x, in JSON.
func wantBlob(t testing.TB, result []byte, n int) {
	t.Helper()
	if string(result) != `"`+strings.Repeat("x", n)+`"` {
		t.Errorf("got %d bytes, %.100q, want %d times x", len(result), result, n)
	}
}

// wantRef checks that an element names its result, and that the object bucket
// holds it.
func wantRef(t testing.TB, nc *nats.Conn, e element, n int) {
	t.Helper()
	if e.Status != "success" || e.ResultRef == nil || len(e.Result) > 0 {
		t.Fatalf("a result of %d bytes came as %v, want a result_ref", n, e)
	}
	wantBlob(t, object(t, nc, e.ResultRef), n)
}

// object fetches what a reference names.
func object(t testing.TB, nc *nats.Conn, ref *reference) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience) // without one, nats.go has its own
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	bucket, err := js.ObjectStore(ctx, "HELVE_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	data, err := bucket.GetBytes(ctx, ref.Object)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != ref.SHA256 || int64(len(data)) != ref.Size {
		t.Errorf("the object has %d bytes and sha256 %x, the reference says %d and %s", len(data), sum, ref.Size, ref.SHA256)
	}
	return data
}

func TestLargeResult(t *testing.T) {
	t.Parallel()
	const n = 8 << 20
	tenant := newTenant()
	wantBlob(t, one(t, shared.http(0), tenant, blob("c1", n)).Result, n)
	wantBlob(t, byID(t, shared.http(1), "calls.get", tenant, "c1").Result, n)
	wantRef(t, shared.nc, byID(t, shared.nats(), "calls.get", tenant, "c1"), n)
	wantRef(t, shared.nc, one(t, shared.nats(), tenant, blob("c1", n)), n)
	wantRef(t, shared.nc, one(t, shared.nats(), tenant, blob("c2", n)), n)

	for _, d := range []httpDoor{shared.http(0), shared.http(1)} {
		r := d.send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {tenant}})
		if r.status != 200 || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("result = %d %s, want 200 application/json", r.status, r.header.Get("Content-Type"))
		}
		wantBlob(t, r.body, n)
	}
	wantProblem(t, "another tenant's result", shared.http(0).send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {newTenant()}}), 404, "not_found")
}

// TestResultBeyondWhatHTTPInlines: over 16 MiB even HTTP gets a reference.
func TestResultBeyondWhatHTTPInlines(t *testing.T) {
	t.Parallel()
	const n = 17 << 20
	tenant := newTenant()
	wantRef(t, shared.nc, one(t, shared.http(0), tenant, blob("c1", n)), n)
	wantBlob(t, shared.http(0).send(t, "GET", "/v1/calls/c1/result", "", http.Header{"Helve-Tenant": {tenant}}).body, n)
}

// TestSmallResultByItsOwnPath: the result of any call is there, not only of
// those that needed a reference.
func TestSmallResultByItsOwnPath(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	one(t, shared.http(0), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": {"a": 1.50}}}`)
	r := shared.http(1).send(t, "GET", "/v1/calls/c1/result", "", http.Header{"Helve-Tenant": {tenant}})
	if r.status != 200 || string(r.body) != `{"a":1.50}` {
		t.Errorf("result = %d %q, want 200 {\"a\":1.50}", r.status, r.body)
	}
	one(t, shared.http(0), tenant, `{"call_id": "c2", "tool": "debug.fail", "arguments": {"how": "error"}}`)
	wantProblem(t, "result of a failed call", shared.http(1).send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {tenant}}), 404, "not_found")
}

// TestDefaultNATSServer runs on a server as it comes, whose messages hold 1 MiB:
// what does not fit still arrives.
func TestDefaultNATSServer(t *testing.T) {
	t.Parallel()
	s := launch(t, plan{url: plainServer(t, nil).ClientURL()})
	t.Run("large values", func(t *testing.T) {
		value := strings.Repeat("x", 1<<20-100)
		wantBlob(t, one(t, s.http(0), "default", echo(`"`+value+`"`)).Result, len(value))
		wantBlob(t, one(t, s.http(0), "default", blob("c1", 3<<20)).Result, 3<<20)
		wantRef(t, s.nc, one(t, s.nats(), "default", blob("c2", 1<<20)), 1<<20)
		wantBlob(t, one(t, s.nats(), "default", blob("c3", 900_000)).Result, 900_000)
	})
	t.Run("an answer larger than its transport", func(t *testing.T) { s.wantSomeByReference(t) })
	t.Run("texts", func(t *testing.T) { s.wantAllTexts(t) })
}

// wantSomeByReference has results that would each fit a message, and do not all.
func (s *system) wantSomeByReference(t *testing.T) {
	const n, calls = 200_000, 8
	var all []string
	for i := range calls {
		all = append(all, blob(fmt.Sprintf("some-%d", i), n))
	}
	inline, refs := 0, 0
	for _, e := range together(t, s.nats(), "default", all...) {
		if e.ResultRef == nil {
			wantBlob(t, e.Result, n)
			inline++
		} else {
			wantRef(t, s.nc, e, n)
			refs++
		}
	}
	if inline == 0 || refs == 0 {
		t.Errorf("%d results inline and %d by reference, want some of each", inline, refs)
	}
}

// wantAllTexts: what a model is shown leaves the answer with the result, and is
// named like it.
func (s *system) wantAllTexts(t *testing.T) {
	const calls = 8
	text := strings.Repeat("line\n", 20_000)
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if e := one(t, s.nats(), "default", `{"tool": "write_file", "arguments": {"path": "a.txt", "content": `+string(quoted)+`}}`); e.Status != "success" {
		t.Fatalf("%v", e)
	}
	moved := 0
	for _, e := range together(t, s.nats(), "default", slices.Repeat([]string{`{"tool": "read_file", "arguments": {"path": "a.txt"}}`}, calls)...) {
		got := e.Text
		if e.TextRef != nil {
			got = string(object(t, s.nc, e.TextRef))
			moved++
		}
		if got != text {
			t.Fatalf("%v has %d bytes of text, want %d", e, len(got), len(text))
		}
	}
	if moved == 0 {
		t.Errorf("%d files of %d bytes with their texts fit one message", calls, len(text))
	}
}
