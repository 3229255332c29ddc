package api

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/audit"
)

var everyAuditParam = map[string]string{
	"trace_id": someTrace, "call_id": "c1", "tool": "read_file", "user": "ada", "agent": "notes", "conversation": "k1",
	"status": "error", "error_type": "timeout", "phase": "finished", "outcome": "allowed",
	"from": "2026-11-20T12:00:00+01:00", "to": "1796000000.5", "text": "Invoice", "limit": "1000", "cursor": "41",
}

func TestAuditQuery(t *testing.T) {
	s, o := gated(t)
	reply, err := do(s, "audit.query", Input{Tenant: "t2", Params: everyAuditParam})
	if err != nil || string(reply.Body) != `{"records":[],"next":"7"}` {
		t.Errorf("audit.query = %s, %v", reply.Body, err)
	}
	want := audit.Query{
		Tenant: "t2", TraceID: someTrace, CallID: "c1", Tool: "read_file", User: "ada", Agent: "notes", Conversation: "k1",
		Status: "error", ErrorType: "timeout", Phase: "finished", Outcome: "allowed", Text: "Invoice",
		From: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC), To: time.Unix(1796000000, 5e8).UTC(), Limit: 1000, Cursor: "41",
	}
	if diff := gocmp.Diff(want, o.query); diff != "" {
		t.Errorf("audit.query asks (-want +got):\n%s", diff)
	}
	if _, err := do(s, "audit.query", Input{}); err != nil || o.query != (audit.Query{Tenant: "default", Limit: 100}) {
		t.Errorf("audit.query without parameters asks %+v, %v", o.query, err)
	}
}

// TestAuditQueryOfInnerCalls: calls that tools made have ids that no caller can
// choose, and can be asked for.
func TestAuditQueryOfInnerCalls(t *testing.T) {
	s, o := gated(t)
	for _, id := range []string{"c1~1", "c1~50~3~7"} {
		if _, err := do(s, "audit.query", Input{Params: map[string]string{"call_id": id}}); err != nil || o.query.CallID != id {
			t.Errorf("audit.query of %s asks %q, %v", id, o.query.CallID, err)
		}
	}
	for _, id := range []string{"~1", "c1~", "c1~x", "c1~1~", "c1~1~2~3~4~5~6~7"} {
		_, err := do(s, "audit.query", Input{Params: map[string]string{"call_id": id}})
		failure(t, err, "bad_request", 400, "call_id")
	}
}

func TestAuditQueryRefuses(t *testing.T) {
	s, o := gated(t)
	for _, op := range []string{"audit.query", "audit.export"} {
		for _, tt := range []struct{ name, value, want string }{
			{"trace_id", "xyz", "trace_id must be 32"},
			{"call_id", "a.b", "call_id must match"},
			{"tool", "a b", `"a b" is not a tool's name`},
			{"user", "a.b", "user must match"},
			{"agent", "a.b", "agent must match"},
			{"conversation", "a.b", "conversation must match"},
			{"phase", "begun", `phase must be one of "started", "finished", "refused",`},
			{"outcome", "yes", `outcome must be one of "allowed", "blocked", "confirmation_required", but it is "yes"`},
			{"text", strings.Repeat("x", 201), "text must have at most 200 bytes"},
			{"limit", "0", "limit must be 1 to 1000"},
			{"from", "yesterday", "from must be a time like"},
		} {
			_, err := do(s, op, Input{Params: map[string]string{tt.name: tt.value}})
			failure(t, err, "bad_request", 400, tt.want)
		}
		o.fail = audit.ErrCursor
		_, err := do(s, op, Input{})
		failure(t, err, "bad_request", 400, "cursor")
		o.fail = nil
	}
}

func TestMoments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands still
		now := time.Now()
		for text, want := range map[string]time.Time{
			"":                        {},
			"2026-11-20T12:00:00.25Z": time.Date(2026, 11, 20, 12, 0, 0, 25e7, time.UTC),
			"0":                       time.Unix(0, 0),
			"1795000000":              time.Unix(1795000000, 0),
			"1.795e9":                 time.Unix(1795000000, 0),
			"1h":                      now.Add(-time.Hour),
			"1h30m":                   now.Add(-90 * time.Minute),
			"0s":                      now,
		} {
			s, o := gated(t)
			if _, err := do(s, "audit.query", Input{Params: map[string]string{"from": text}}); err != nil || !o.query.From.Equal(want) {
				t.Errorf("from %q is %v, %v, want %v", text, o.query.From, err, want)
			}
		}
		s, _ := gated(t)
		for _, text := range []string{"-1h", "-5", "NaN", "Inf", "1e300", "2026-11-20", "now", "12:00", "1d"} {
			_, err := do(s, "audit.query", Input{Params: map[string]string{"to": text}})
			failure(t, err, "bad_request", 400, "to must be a time like")
		}
		_, err := do(s, "audit.query", Input{Params: map[string]string{"from": "1h", "to": "2h"}})
		failure(t, err, "bad_request", 400, "from is after to")
		if _, err := do(s, "audit.query", Input{Params: map[string]string{"from": "2h", "to": "1h"}}); err != nil {
			t.Error(err)
		}
	})
}

// TestAuditExport sends lines as text, so that the bytes that seals cover are
// not touched on the way.
func TestAuditExport(t *testing.T) {
	s, o := gated(t)
	reply, err := do(s, "audit.export", Input{Params: everyAuditParam})
	var page struct {
		Lines []string `json:"lines"`
		Next  string   `json:"next"`
	}
	if err != nil || json.Unmarshal(reply.Body, &page) != nil {
		t.Fatalf("audit.export = %s, %v", reply.Body, err)
	}
	if diff := gocmp.Diff([]string{`{"seq":1, "x":"<é"}`, "broken\x00"}, page.Lines); diff != "" || page.Next != "next-of-default" {
		t.Errorf("the next page is %q, the lines (-want +got):\n%s", page.Next, diff)
	}
	if o.cursor != "41" || o.limit != 1000 || o.query.Cursor != "" || o.query.Limit != 0 || o.query.Tool != "read_file" {
		t.Errorf("audit.export asks for %d lines after %q of %+v", o.limit, o.cursor, o.query)
	}
}

func TestAuditVerify(t *testing.T) {
	s, o := gated(t)
	reply, err := do(s, "audit.verify", Input{Tenant: "t2"})
	if want := `{"ok":true,"records":3,"sealed_to":2,"problems":[]`; err != nil || !strings.HasPrefix(string(reply.Body), want) ||
		o.query.Tenant != "t2" {
		t.Errorf("audit.verify of %q = %s, %v, want %s", o.query.Tenant, reply.Body, err, want)
	}
}

// TestAuditVerifyRange: places are passed on, and what makes no sense is refused.
func TestAuditVerifyRange(t *testing.T) {
	s, _ := gated(t)
	reply, err := do(s, "audit.verify", Input{Params: map[string]string{"from_seq": "7", "to_seq": "9"}})
	if err != nil || !strings.Contains(string(reply.Body), `"from_seq":7,"to_seq":9`) {
		t.Errorf("audit.verify = %s, %v, want the range", reply.Body, err)
	}
	for _, tt := range []struct{ from, to, index, want string }{
		{"0", "", "", "from_seq must be the seq of a record"},
		{"", "x", "", "to_seq must be the seq of a record"},
		{"9", "7", "", "from_seq is after to_seq"},
		{"9", "", "true", "leave out from_seq and to_seq"},
	} {
		_, err := do(s, "audit.verify", Input{Params: map[string]string{"from_seq": tt.from, "to_seq": tt.to, "index": tt.index}})
		failure(t, err, "bad_request", 400, tt.want)
	}
}

// TestAuditBefore: older pages of the newest records.
func TestAuditBefore(t *testing.T) {
	s, o := gated(t)
	if _, err := do(s, "audit.query", Input{Params: map[string]string{"newest": "true", "before": "41.2"}}); err != nil ||
		o.query.Before != (audit.Place{Seq: 41, Part: 2}) {
		t.Errorf("audit.query asks %+v, %v", o.query, err)
	}
	for before, want := range map[string]string{"x": "before was not returned", "41": "before goes with newest"} {
		_, err := do(s, "audit.query", Input{Params: map[string]string{"before": before}})
		failure(t, err, "bad_request", 400, want)
	}
}

func TestAuditVerifyIndex(t *testing.T) {
	s, o := gated(t)
	for _, tt := range []struct{ index, ok string }{{"true", "false"}, {"false", "true"}, {"", "true"}} {
		reply, err := do(s, "audit.verify", Input{Params: map[string]string{"index": tt.index}})
		if err != nil || !strings.HasPrefix(string(reply.Body), `{"ok":`+tt.ok) {
			t.Errorf("audit.verify with index %q = %s, %v, want ok %s", tt.index, reply.Body, err, tt.ok)
		}
	}
	_, err := do(s, "audit.verify", Input{Params: map[string]string{"index": "yes"}})
	failure(t, err, "bad_request", 400, "index must be true or false")
	reply, err := do(s, "audit.rebuild", Input{Tenant: "t2"})
	if want := `{"repaired":[{"seq":2,"kind":"index_extra","detail":""}],"repaired_count":1}`; err != nil || string(reply.Body) != want ||
		o.query.Tenant != "t2" {
		t.Errorf("audit.rebuild of %q = %s, %v, want %s", o.query.Tenant, reply.Body, err, want)
	}
}

func TestAuditPublicKey(t *testing.T) {
	s, _ := gated(t)
	reply, err := do(s, "audit.public_key", Input{})
	if err != nil || string(reply.Body) != `{"pem":"-----BEGIN PUBLIC KEY-----\n"}` ||
		string(reply.Plain) != "-----BEGIN PUBLIC KEY-----\n" || reply.ContentType != "application/x-pem-file" {
		t.Errorf("audit.public_key = %+v, %v", reply, err)
	}
}
