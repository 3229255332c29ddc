package audit

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/helve-dev/helve/protocol"
)

func TestQueryAfter(t *testing.T) {
	for _, at := range []Place{{}, {1, 0}, {100, 0}, {100, 999}, {math.MaxInt64, 0}} {
		q := Query{Cursor: CursorAt(at)}
		if got, err := q.After(); got != at || err != nil {
			t.Errorf("After of the cursor at %v = %v, %v", at, got, err)
		}
	}
	if got, err := new(Query).After(); got != (Place{}) || err != nil {
		t.Errorf("After without a cursor = %v, %v", got, err)
	}
	// A cursor that a version without parts gave.
	if got, err := (&Query{Cursor: "100"}).After(); got != (Place{Seq: 100}) || err != nil {
		t.Errorf("After of an old cursor = %v, %v", got, err)
	}
	for _, cursor := range []string{"x", " 1", "+1", "-1", "007", "0x1", "1e3", "1_000", "9223372036854775808", "7.", "7.0", "7.1000"} {
		q := Query{Cursor: cursor}
		if _, err := q.After(); !errors.Is(err, ErrCursor) {
			t.Errorf("After of cursor %q = %v, want ErrCursor", cursor, err)
		}
	}
}

// TestMissed: of a trail that is behind, an empty page about a call says nothing.
func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		q      Query
		found  int
		behind bool
		want   error
	}{
		{Query{CallID: "c"}, 0, true, ErrBehind},
		{Query{TraceID: "t"}, 0, true, ErrBehind},
		{Query{CallID: "c"}, 0, false, nil},
		{Query{CallID: "c"}, 1, true, nil},
		{Query{Tool: "x"}, 0, true, nil},
	} {
		page := Page{}
		for range tt.found {
			page.Records = append(page.Records, protocol.AuditRecord{})
		}
		if err := tt.q.Missed(&page, tt.behind); !errors.Is(err, tt.want) {
			t.Errorf("%+v with %d records, behind %v: %v, want %v", tt.q, tt.found, tt.behind, err, tt.want)
		}
	}
}

func TestQueryPageSize(t *testing.T) {
	for limit, want := range map[int]int{-1: 100, 0: 100, 1: 1, 1000: 1000, 1001: 1000, math.MaxInt: 1000} {
		q := Query{Limit: limit}
		if got := q.PageSize(); got != want {
			t.Errorf("PageSize with limit %d = %d, want %d", limit, got, want)
		}
	}
}

func TestQueryMatches(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := protocol.AuditRecord{
		Time: at, Phase: protocol.AuditFinished, Tenant: "acme", TraceID: "t", CallID: "c", Tool: "read_file", User: "u", Agent: "a",
		Conversation: "v", Decision: &protocol.AuditDecision{Outcome: protocol.OutcomeAllowed},
		Result: &protocol.AuditResult{Status: "error", ErrorType: "timeout"},
	}
	whole := Query{
		Tenant: "acme", TraceID: "t", CallID: "c", Tool: "read_file", User: "u", Agent: "a", Conversation: "v",
		Status: "error", ErrorType: "timeout", Phase: "finished", Outcome: "allowed", From: at, To: at.Add(time.Microsecond),
	}
	if !whole.Matches(&r) {
		t.Error("a query for all that the record says does not match it")
	}
	bare := Query{Tenant: "acme"}
	if !bare.Matches(&protocol.AuditRecord{Tenant: "acme"}) {
		t.Error("a query for a tenant does not match its barest record")
	}
	for name, change := range map[string]func(*Query){
		"tenant":       func(q *Query) { q.Tenant = "" },
		"trace":        func(q *Query) { q.TraceID = "T" },
		"call":         func(q *Query) { q.CallID = "x" },
		"tool":         func(q *Query) { q.Tool = "read" },
		"user":         func(q *Query) { q.User = "x" },
		"agent":        func(q *Query) { q.Agent = "x" },
		"conversation": func(q *Query) { q.Conversation = "x" },
		"status":       func(q *Query) { q.Status = "success" },
		"error type":   func(q *Query) { q.ErrorType = "internal" },
		"phase":        func(q *Query) { q.Phase = "started" },
		"outcome":      func(q *Query) { q.Outcome = "blocked" },
		"from":         func(q *Query) { q.From = at.Add(time.Microsecond) },
		"to":           func(q *Query) { q.To = at },
	} {
		q := whole
		change(&q)
		if q.Matches(&r) {
			t.Errorf("a query with another %s matches", name)
		}
	}
}
