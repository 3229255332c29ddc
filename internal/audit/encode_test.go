package audit

import (
	stdjson "encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/helve-dev/helve/protocol"
)

func fullRecord() protocol.AuditRecord {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678900000, time.UTC)
	return protocol.AuditRecord{
		ID: "a-1", Time: at, Phase: protocol.AuditFinished, TraceID: "t", CallID: "c", Tenant: "acme", User: "u", Agent: "a",
		Conversation: "k", By: "b", Tool: "files.read", ToolVersion: "1", ArgsHash: "sha256:00", ConsentID: "ci", TokenID: "ti", GrantID: "gi",
		Decision:   &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: "be\"cause\\ ä\n", Rule: "r"},
		Result:     &protocol.AuditResult{Status: "error", ErrorType: "timeout", Summary: "nothing"},
		AcceptedAt: &at, StartedAt: &at, EndedAt: &at, DurationMS: 1.25, Worker: "w", Attempt: 2, Detail: "d", Origin: "mcp", ResultSeq: 99,
	}
}

func TestEncodeIsWhatTheTypesSay(t *testing.T) {
	t.Parallel()
	full := fullRecord()
	for name, r := range map[string]protocol.AuditRecord{
		"full":  full,
		"small": {ID: "a", Time: full.Time, Phase: protocol.AuditStarted, Tenant: "acme"},
		"empty parts": {
			ID: "a", Time: full.Time, Phase: protocol.AuditStarted, Tenant: "acme",
			Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed}, Result: &protocol.AuditResult{Status: "success"},
		},
	} {
		r.Seq = 7 // is never stored
		data, err := Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		r.Seq = 0
		got, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("%s came back changed (-want +got):\n%s", name, diff)
		}
		want, err := stdjson.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		want = []byte(strings.ReplaceAll(string(want), ".6789Z", ".678900000Z"))
		if diff := cmp.Diff(string(want), string(data)); diff != "" {
			t.Errorf("%s is not what the struct's tags say (-want +got):\n%s", name, diff)
		}
	}
}

func TestEncodeFillsInWhatIsMissing(t *testing.T) {
	t.Parallel()
	r := protocol.AuditRecord{Tenant: "acme", Phase: protocol.AuditStarted}
	if _, err := Encode(&r); err != nil {
		t.Fatal(err)
	}
	if id, err := uuid.Parse(r.ID); err != nil || id.Version() != 7 || r.Time.IsZero() || r.Time.Location() != time.UTC {
		t.Errorf("filled in %q, %v, want a UUIDv7 and a time in UTC", r.ID, r.Time)
	}
	for _, bad := range []protocol.AuditRecord{{Tenant: "acme"}, {Phase: protocol.AuditStarted}} {
		if data, err := Encode(&bad); err == nil {
			t.Errorf("Encode(%+v) = %s, want an error", bad, data)
		}
	}
}

// TestEncodeTakesAnything: names come from callers, and a record must fit.
func TestEncodeTakesAnything(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 5000)
	r := protocol.AuditRecord{
		Tenant: "acme", Phase: protocol.AuditRefused, Tool: long, CallID: "a\xffb", Detail: "x" + long, Worker: "\u2028<&>\x00",
		DurationMS: math.NaN(), Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeBlocked, Reason: long, Rule: long},
	}
	data, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	if !jsontext.Value(data).IsValid() || !utf8.Valid(data) || len(data) > 8<<10 || strings.Contains(string(data), "\n") {
		t.Errorf("%d bytes, want one short line of valid JSON: %s", len(data), data)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Tool) > maxName || !strings.HasSuffix(got.Tool, "ä…") || got.CallID != "a\uFFFDb" || got.Worker != r.Worker ||
		got.DurationMS != 0 {
		t.Errorf("came back as %+v", got)
	}
}

func TestEncodeAllocatesLittle(t *testing.T) {
	r := fullRecord()
	r.Decision.Reason = "plain"
	got := testing.AllocsPerRun(100, func() {
		if _, err := Encode(&r); err != nil {
			t.Error(err)
		}
	})
	if got > 2 {
		t.Errorf("%v allocations, want at most 2", got)
	}
}

// TestSummaryHoldsNothingOfTheResult: every result is full of one word.
func TestSummaryHoldsNothingOfTheResult(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		``: "nothing", `null`: "null", `true`: "boolean", `false`: "boolean", `-12.5`: "number",
		`"secret"`: "string of 6 bytes", ` "" `: "string of 0 bytes",
		`{}`: "object with 0 members", `{"secret":{"a":1}}`: "object with 1 member", `{"a":[1,2],"secret":2}`: "object with 2 members",
		`[]`: "list of 0", `["secret",{"secret":"secret"},3]`: "list of 3",
		`{"secret"`: "object of 9 bytes", `["secret",`: "list of 10 bytes", `secret`: "number",
		`["` + strings.Repeat("secret", 20_000) + `"]`: "list of 120004 bytes",
	} {
		if got := Summarize([]byte(result)); got != want {
			t.Errorf("Summarize(%.40s) = %q, want %q", result, got, want)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	r := fullRecord()
	r.Decision.Reason = "plain"
	b.ReportAllocs()
	for b.Loop() {
		r.ID = ""
		if _, err := Encode(&r); err != nil {
			b.Fatal(err)
		}
	}
}
