package client

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAuditQuery(t *testing.T) {
	const one = `{"audit_id":"a1","seq":7,"part":2,"time":"2026-11-20T12:00:00.5Z","phase":"finished","trace_id":"` + trace +
		`","call_id":"c1","tenant":"default","user":"ada","by":"bob",` +
		`"tool":"read_file","decision":{"outcome":"allowed","reason":"r","rule":"x"},"result":{"status":"error","error_type":"timeout","summary":"s"},"started_at":"2026-11-20T12:00:00Z","duration_ms":1.5,"worker":"w-1","attempt":2}`
	begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := AuditPage{Next: "8", Records: []AuditRecord{{
		ID: "a1", Seq: 7, Part: 2, Time: begun.Add(500 * time.Millisecond), Phase: "finished", TraceID: trace, CallID: "c1",
		Tenant: "default", User: "ada", By: "bob", Tool: "read_file", Decision: &AuditDecision{Outcome: "allowed", Reason: "r", Rule: "x"},
		Result: &AuditResult{Status: "error", ErrorType: "timeout", Summary: "s"}, StartedAt: &begun, DurationMS: 1.5, Worker: "w-1",
		Attempt: 2,
	}}}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, always(`{"records":[`+one+`],"next":"8"}`))
			page, err := connect(t, f).AuditQuery(t.Context(), AuditFilter{
				TraceID: trace, CallID: "c1", Tool: "read_file", User: "ada", Agent: "notes", Conversation: "v1",
				Status: "error", ErrorType: "timeout", Outcome: "allowed", Phase: "finished",
				From: begun.In(time.FixedZone("", 3600)), To: begun.Add(time.Nanosecond), Limit: 5, Cursor: "6",
			})
			if diff := cmp.Diff(want, page); err != nil || diff != "" {
				t.Errorf("AuditQuery: %v (-want +got):\n%s", err, diff)
			}
			wantAsked(t, f, "audit.query", map[string]any{
				"trace_id": trace, "call_id": "c1", "tool": "read_file", "user": "ada", "agent": "notes", "conversation": "v1",
				"status": "error", "error_type": "timeout", "outcome": "allowed", "phase": "finished",
				"from": "2026-11-20T12:00:00Z", "to": "2026-11-20T12:00:00.000000001Z", "limit": "5", "cursor": "6",
			})
		})
	}
}

func TestAuditVerify(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t,
				always(`{"ok":false,"records":9,"sealed_to":8,"problems":[{"seq":3,"part":1,"kind":"changed","detail":"d"}],"problem_count":1}`))
			got, err := connect(t, f).AuditVerify(t.Context())
			want := AuditReport{Records: 9, SealedTo: 8, Problems: []AuditProblem{{Seq: 3, Part: 1, Kind: "changed", Detail: "d"}}, Found: 1}
			if diff := cmp.Diff(want, got); err != nil || diff != "" || f.last().op != "audit.verify" {
				t.Errorf("AuditVerify: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestAuditPublicKey(t *testing.T) {
	const pem = "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n"
	for name, body := range map[string]string{"http": pem, "nats": `{"pem":"-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n"}`} {
		f := transports[name](t, always(body))
		got, err := connect(t, f).AuditPublicKey(t.Context())
		if err != nil || string(got) != pem || f.last().op != "audit.public_key" {
			t.Errorf("AuditPublicKey over %s = %q, %v", name, got, err)
		}
	}
	f := farHTTP(t, always("<html>"))
	if _, err := connect(t, f).AuditPublicKey(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a page in place of a key: %v", err)
	}
}

func TestAuditExport(t *testing.T) {
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			pages := map[any]string{nil: `{"lines":["{\"seq\":1, \"x\":\"<é\"}","broken\u0000"],"next":"n2"}`, "n2": `{"lines":["end"]}`}
			f := start(t, func(a asked) reply {
				page := pages[a.body["cursor"]]
				delete(pages, a.body["cursor"]) // asked again, it is no answer
				return reply{body: page}
			})
			var out bytes.Buffer
			err := connect(t, f).AuditExport(t.Context(), AuditFilter{Tool: "read_file", Limit: 3, Cursor: "ignored"}, &out)
			if want := "{\"seq\":1, \"x\":\"<é\"}\nbroken\x00\nend\n"; err != nil || out.String() != want {
				t.Errorf("AuditExport writes %q, %v, want %q", out.String(), err, want)
			}
			wantAsked(t, f, "audit.export", map[string]any{"tool": "read_file", "limit": "1000", "cursor": "n2"})
		})
	}
}

func TestAuditExportEnds(t *testing.T) {
	full := errors.New("disk full")
	f := farHTTP(t, always(`{"lines":["a"],"next":"n"}`))
	if err := connect(t, f).AuditExport(t.Context(), AuditFilter{}, brokenWriter{full}); !errors.Is(err, full) || f.count() != 1 {
		t.Errorf("a disk that is full: %v after %d requests", err, f.count())
	}
	var out bytes.Buffer
	if err := connect(t, f).AuditExport(t.Context(), AuditFilter{}, &out); !errors.Is(err, errForeign) {
		t.Errorf("an export without an end: %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }
