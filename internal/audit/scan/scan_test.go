package scan_test

import (
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/scan"
	"github.com/helve-dev/helve/protocol"
)

// stored returns a record as it is stored, with every member.
func stored(t testing.TB) []byte {
	t.Helper()
	at := time.Date(2026, 7, 1, 2, 3, 4, 567_890_123, time.UTC)
	data, err := audit.Encode(&protocol.AuditRecord{
		ID: "f-c1-1", Time: at, Phase: protocol.AuditFinished, TraceID: "t1", CallID: "c1", Tenant: "acme", User: "ann", Agent: "a1",
		Conversation: "k1", By: "bob", Tool: "read_file", ToolVersion: "1", ArgsHash: "abc", ConsentID: "s1", TokenID: "n1", GrantID: "g1",
		Decision:  &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed, Reason: "a rule", Rule: "r1"},
		Result:    &protocol.AuditResult{Status: "error", ErrorType: "timeout", Summary: "late"},
		StartedAt: &at, EndedAt: &at, DurationMS: 12.345, Worker: "w1", Attempt: 2, Detail: "none", Origin: "schedule", ResultSeq: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compare fails if the scanner is sure of data and the library reads something else.
func compare(t *testing.T, data []byte) (ok bool) {
	t.Helper()
	f, ok := scan.Record(data)
	if !ok {
		return false
	}
	r, err := audit.Decode(data)
	if err != nil {
		t.Fatalf("%q is scanned and not decoded: %v", data, err)
	}
	var outcome, status, failed string
	if r.Decision != nil {
		outcome = r.Decision.Outcome
	}
	if r.Result != nil {
		status, failed = r.Result.Status, r.Result.ErrorType
	}
	for field, want := range map[scan.Field]string{
		scan.Trace: r.TraceID, scan.Call: r.CallID, scan.Tool: r.Tool, scan.User: r.User, scan.Agent: r.Agent,
		scan.Conversation: r.Conversation, scan.Status: status, scan.ErrorType: failed, scan.Phase: string(r.Phase),
		scan.Outcome: outcome, scan.ID: r.ID, scan.Tenant: r.Tenant,
	} {
		if got := string(f.Values[field]); got != want {
			t.Errorf("%q: field %d is %q, want %q", data, field, got, want)
		}
	}
	if f.Micros != r.Time.UnixMicro() {
		t.Errorf("%q: time %d, want %d", data, f.Micros, r.Time.UnixMicro())
	}
	return true
}

// TestRecordReadsWhatIsStored: the records that the trail writes need no library.
func TestRecordReadsWhatIsStored(t *testing.T) {
	if data := stored(t); !compare(t, data) {
		t.Errorf("%s is not scanned", data)
	}
}

// FuzzRecord: where the scanner is sure, it reads what the library reads.
func FuzzRecord(f *testing.F) {
	f.Add(stored(f))
	for _, odd := range []string{
		``, `{}`, `{} `, `[]`, `{"time":"2026-01-01T00:00:00Z"}`, `{"time":"2026-01-01T24:00:00Z"}`, `{"time":"0000-01-01T00:00:00.5Z"}`,
		`{"user":"a","user":"b"}`, `{"user":"a\\u0062"}`, `{"user":"zoë"}`, "{\"user\":\"\x7f\xff\"}", `{"user":1}`, `{"duration_ms":01}`,
		`{"duration_ms":-0.10,"attempt":1e3}`, `{"decision":{"outcome":"a"},"result":{"status":"b","error_type":"c"}}`, `{"decision":{}}`,
		`{"decision":null}`, `{"phase":"a",}`, `{"later":1,"tool":"x"}`, `{"started_at":"then"}`, `{"ended_at":"2026-01-01T1:00:00Z"}`,
		`{"attempt":1.5}`, `{"attempt":99999999999999999999}`, `{"attempt":-0}`, `{"time":"0001-01-01T00:00:00.0000001Z"}`,
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, data) })
}

func BenchmarkRecord(b *testing.B) {
	data := stored(b)
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if _, ok := scan.Record(data); !ok {
				b.Fatal("the library is needed")
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			if _, err := audit.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
