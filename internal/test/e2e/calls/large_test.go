package calls

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

	"github.com/helve-dev/helve/internal/test/e2e/system"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// blob returns a call that returns a string of n bytes.
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
func wantRef(t testing.TB, nc *nats.Conn, e system.Element, n int) {
	t.Helper()
	if e.Status != "success" || e.ResultRef == nil || len(e.Result) > 0 {
		t.Fatalf("a result of %d bytes came as %v, want a result_ref", n, e)
	}
	wantBlob(t, object(t, nc, e.ResultRef), n)
}

// object reads a referenced object.
func object(t testing.TB, nc *nats.Conn, ref *system.Reference) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience()) // without one, nats.go uses its own
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
	tenant := system.NewTenant()
	wantBlob(t, system.One(t, shared.HTTP(0), tenant, blob("c1", n)).Result, n)
	wantBlob(t, system.ByID(t, shared.HTTP(1), "calls.get", tenant, "c1").Result, n)
	wantRef(t, shared.Conn, system.ByID(t, shared.NATS(), "calls.get", tenant, "c1"), n)
	wantRef(t, shared.Conn, system.One(t, shared.NATS(), tenant, blob("c1", n)), n)
	wantRef(t, shared.Conn, system.One(t, shared.NATS(), tenant, blob("c2", n)), n)

	for _, d := range []system.HTTPDoor{shared.HTTP(0), shared.HTTP(1)} {
		r := d.Send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {tenant}})
		if r.Status != 200 || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("result = %d %s, want 200 application/json", r.Status, r.Header.Get("Content-Type"))
		}
		wantBlob(t, r.Body, n)
	}
	system.WantProblem(t, "another tenant's result",
		shared.HTTP(0).Send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {system.NewTenant()}}), 404, "not_found")
}

// TestResultBeyondWhatHTTPInlines: over 16 MiB even HTTP gets a reference.
func TestResultBeyondWhatHTTPInlines(t *testing.T) {
	t.Parallel()
	const n = 17 << 20
	tenant := system.NewTenant()
	wantRef(t, shared.Conn, system.One(t, shared.HTTP(0), tenant, blob("c1", n)), n)
	wantBlob(t, shared.HTTP(0).Send(t, "GET", "/v1/calls/c1/result", "", http.Header{"Helve-Tenant": {tenant}}).Body, n)
}

// TestSmallResultByItsOwnPath: every result can be read at its own path, not only a
// referenced one.
func TestSmallResultByItsOwnPath(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	system.One(t, shared.HTTP(0), tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": {"a": 1.50}}}`)
	r := shared.HTTP(1).Send(t, "GET", "/v1/calls/c1/result", "", http.Header{"Helve-Tenant": {tenant}})
	if r.Status != 200 || string(r.Body) != `{"a":1.50}` {
		t.Errorf("result = %d %q, want 200 {\"a\":1.50}", r.Status, r.Body)
	}
	system.One(t, shared.HTTP(0), tenant, `{"call_id": "c2", "tool": "debug.fail", "arguments": {"how": "error"}}`)
	system.WantProblem(t, "result of a failed call",
		shared.HTTP(1).Send(t, "GET", "/v1/calls/c2/result", "", http.Header{"Helve-Tenant": {tenant}}), 404, "not_found")
}

// TestDefaultNATSServer runs on a server with default settings, whose messages hold 1 MiB:
// larger payloads still arrive.
func TestDefaultNATSServer(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{URL: system.PlainServer(t, nil).ClientURL()})
	t.Run("large values", func(t *testing.T) {
		value := strings.Repeat("x", 1<<20-100)
		wantBlob(t, system.One(t, s.HTTP(0), "default", system.EchoCall(`"`+value+`"`)).Result, len(value))
		wantBlob(t, system.One(t, s.HTTP(0), "default", blob("c1", 3<<20)).Result, 3<<20)
		wantRef(t, s.Conn, system.One(t, s.NATS(), "default", blob("c2", 1<<20)), 1<<20)
		wantBlob(t, system.One(t, s.NATS(), "default", blob("c3", 900_000)).Result, 900_000)
	})
	t.Run("an answer larger than its transport", func(t *testing.T) { wantSomeByReference(t, s) })
	t.Run("texts", func(t *testing.T) { wantAllTexts(t, s) })
}

// wantSomeByReference makes results that each fit a message, but not all together.
func wantSomeByReference(t *testing.T, s *system.System) {
	const n, calls = 200_000, 8
	var all []string
	for i := range calls {
		all = append(all, blob(fmt.Sprintf("some-%d", i), n))
	}
	inline, refs := 0, 0
	for _, e := range system.Together(t, s.NATS(), "default", all...) {
		if e.ResultRef == nil {
			wantBlob(t, e.Result, n)
			inline++
		} else {
			wantRef(t, s.Conn, e, n)
			refs++
		}
	}
	if inline == 0 || refs == 0 {
		t.Errorf("%d results inline and %d by reference, want some of each", inline, refs)
	}
}

// wantAllTexts checks that the text for a model is left out together with the result, and
// referenced alike.
func wantAllTexts(t *testing.T, s *system.System) {
	const calls = 8
	text := strings.Repeat("line\n", 20_000)
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if e := system.One(t, s.NATS(), "default",
		`{"tool": "write_file", "arguments": {"path": "a.txt", "content": `+string(quoted)+`}}`); e.Status != "success" {
		t.Fatalf("%v", e)
	}
	moved := 0
	for _, e := range system.Together(t, s.NATS(), "default",
		slices.Repeat([]string{`{"tool": "read_file", "arguments": {"path": "a.txt"}}`}, calls)...) {
		got := e.Text
		if e.TextRef != nil {
			got = string(object(t, s.Conn, e.TextRef))
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
