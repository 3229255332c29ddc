package index

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

// all follows the pages of q to the end.
func all(t testing.TB, x *Index, q audit.Query) []protocol.AuditRecord {
	t.Helper()
	var res []protocol.AuditRecord
	for {
		page, err := x.Query(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) > q.PageSize() || page.Next != "" && len(page.Records) < q.PageSize() {
			t.Fatalf("a page of %d records with next %q, want %d", len(page.Records), page.Next, q.PageSize())
		}
		res = append(res, page.Records...)
		if page.Next == "" {
			return res
		}
		q.Cursor = page.Next
	}
}

// copied copies all of s, and stops.
func copied(t testing.TB, x *Index, s *stream) {
	t.Helper()
	stop := run(t, x, s)
	reached(t, x, s.last)
	stop()
}

func reached(t testing.TB, x *Index, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testtime.Patience())
	defer cancel()
	if err := x.Wait(ctx, seq); err != nil {
		t.Fatalf("the records up to %d are not copied: %v", seq, err)
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	const n = 120
	s := newStream()
	var want []protocol.AuditRecord
	for i := range n {
		r := recordOf(i)
		if i%5 == 4 {
			r.Tenant = "other"
		}
		r.Seq = s.store(r.Tenant, encode(t, r))
		want = append(want, r)
	}
	at := func(i int) time.Time { return began.Add(time.Duration(i) * time.Second) }
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		for _, tt := range []struct {
			name  string
			query audit.Query
			some  bool // whether there is anything to find
		}{
			{"all of a tenant", audit.Query{}, true},
			{"the other tenant", audit.Query{Tenant: "other"}, true},
			{"no such tenant", audit.Query{Tenant: "nobody"}, false},
			{"trace", audit.Query{TraceID: id("trace", 2)}, true},
			{"a trace of the other tenant's too", audit.Query{Tenant: "other", TraceID: id("trace", 2)}, true},
			{"call", audit.Query{CallID: id("call", 3)}, true},
			{"tool", audit.Query{Tool: "tool_3"}, true},
			{"user", audit.Query{User: "user-6"}, true},
			{"agent", audit.Query{Agent: "agent-1"}, true},
			{"conversation", audit.Query{Conversation: "talk-2"}, true},
			{"status", audit.Query{Status: "error"}, true},
			{"error type", audit.Query{ErrorType: "timeout"}, true},
			{"phase", audit.Query{Phase: "refused"}, true},
			{"outcome", audit.Query{Outcome: "blocked"}, true},
			{"a little late", audit.Query{Late: 1}, true},
			{"late, and failed", audit.Query{Late: 1, Status: "error"}, true},
			{"latest", audit.Query{Late: 4}, true},
			{"from", audit.Query{From: at(110)}, true},
			{"to", audit.Query{To: at(5)}, true},
			{"a window", audit.Query{From: at(100), To: at(103)}, true},
			{"an empty window", audit.Query{From: at(100), To: at(100)}, false},
			{"all at once", audit.Query{
				TraceID: id("trace", 0), CallID: id("call", 1), Tool: "tool_3", User: "user-3", Agent: "agent-0",
				Conversation: "talk-3", Status: "error", ErrorType: "timeout", Phase: "finished", Outcome: "allowed",
				From: at(3), To: at(4),
			}, true},
			{"all but one", audit.Query{TraceID: id("trace", 0), Tool: "tool_9"}, false},
			{"no pattern", audit.Query{Tool: "tool%"}, false},
		} {
			if tt.query.Tenant == "" {
				tt.query.Tenant = "acme"
			}
			var expect []protocol.AuditRecord
			for _, r := range want {
				if tt.query.Matches(&r) {
					expect = append(expect, r)
				}
			}
			if (len(expect) > 0) != tt.some {
				t.Fatalf("%s: the test expects %d records", tt.name, len(expect))
			}
			for _, limit := range []int{0, 1, 7, 5000} {
				tt.query.Limit = limit
				if diff := cmp.Diff(expect, all(t, x, tt.query)); diff != "" {
					t.Errorf("%s, %d to a page: (-want +got)\n%s", tt.name, limit, diff)
				}
			}
		}
	})
}

func TestQueryBadCursor(t *testing.T) {
	t.Parallel()
	x := open(t, Options{Dir: t.TempDir()})
	for _, cursor := range []string{
		"x", "-1", "+1", "01", "1.0", "1 OR 1=1", "1; DROP TABLE audit_record", "9223372036854775808", "\x00", "٣",
	} {
		if _, err := x.Query(t.Context(), audit.Query{Tenant: "acme", Cursor: cursor}); !errors.Is(err, audit.ErrCursor) {
			t.Errorf("cursor %q: %v, want ErrCursor", cursor, err)
		}
	}
}

// Values that a database would take for something else, or not at all, are
// found as they are, and only they.
func TestOddValues(t *testing.T) {
	t.Parallel()
	odd := []string{
		`'; DROP TABLE audit_record; --`, `" OR ""="`, `a\'b`, `\`, `?`, `$1`, `%`, `_`, "NULL", "nul\x00byte", "line\nbreak",
		"zoë", "ελιά", "\u202egnp.exe", "a", "a ", " a", "A",
		strings.Repeat("x", 5000), strings.Repeat("x", 5001), strings.Repeat("'", longestKey),
	}
	s := newStream()
	for _, value := range odd {
		r := recordOf(0)
		r.User, r.TraceID, r.Tool = value, value, value
		s.store("acme", encode(t, r))
		s.store(value, encode(t, r))
	}
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		for _, value := range odd {
			for _, q := range []audit.Query{{Tenant: "acme", User: value}, {Tenant: "acme", TraceID: value, Tool: value}, {Tenant: value}} {
				got := all(t, x, q)
				if len(got) != 1 || got[0].User != value || got[0].Tenant != q.Tenant {
					t.Errorf("%.60q: found %d records: %+v", value, len(got), got)
				}
			}
		}
		if got := all(t, x, audit.Query{Tenant: "acme", User: "not\xffutf8"}); len(got) != 0 {
			t.Errorf("what no record holds is found: %v", got)
		}
	})
}

func TestUnreadableRecords(t *testing.T) {
	t.Parallel()
	unreadable := [][]byte{
		nil, {}, []byte("\x00\xff"), []byte(`{"tenant":"acme","user":`), []byte(`[]`), []byte(`{"tool":"half","time":"yesterday"}`),
	}
	s := newStream()
	s.store("acme", unreadable...)
	last := s.store("acme", encode(t, recordOf(1)))
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		got := all(t, x, audit.Query{Tenant: "acme"})
		if len(got) != len(unreadable)+1 {
			t.Fatalf("%d records, want all", len(got))
		}
		for i, r := range got[:len(unreadable)] {
			if r.Seq != uint64(i+1) || r.Tenant != "acme" || !strings.Contains(r.Detail, "cannot be read") {
				t.Errorf("record %d = %+v, want that it says it cannot be read", i, r)
			}
		}
		if got[len(unreadable)].Seq != last || got[len(unreadable)].TraceID != recordOf(1).TraceID {
			t.Errorf("the readable one = %+v", got[len(unreadable)])
		}
		if got := all(t, x, audit.Query{Tenant: "acme", From: time.Unix(0, 0)}); len(got) != 1 {
			t.Errorf("%d records have a time, want 1", len(got))
		}
		if got := all(t, x, audit.Query{Tenant: "acme", Tool: "half"}); len(got) != 0 {
			t.Errorf("a record nobody can read is found by what was read of it: %v", got)
		}
	})
}

// A record is its subject's tenant's, whatever it says.
func TestTenantOfTheSubject(t *testing.T) {
	t.Parallel()
	s := newStream()
	s.store("mallory", encode(t, recordOf(0))) // says acme
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		if got := all(t, x, audit.Query{Tenant: "acme"}); len(got) != 0 {
			t.Errorf("acme is shown %v", got)
		}
		got := all(t, x, audit.Query{Tenant: "mallory"})
		if !slices.ContainsFunc(got, func(r protocol.AuditRecord) bool { return r.Tenant == "mallory" }) {
			t.Errorf("mallory is shown %v", got)
		}
	})
}
