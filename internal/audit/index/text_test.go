package index

import (
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// TestText: records are found by a part of their texts, in any case. A page looks at a bounded
// number of records, and has the place where the next one goes on.
func TestText(t *testing.T) {
	t.Parallel()
	const n = audit.TextMost + 500
	s := newStream()
	named := map[int]string{3: "Invoice of March", 40: "the INVOICE", n - 2: "an invoice"}
	for i := range n {
		r := protocol.AuditRecord{ID: id("r", i), Phase: protocol.AuditFinished, Tenant: "acme", Tool: "read_file", Detail: named[i]}
		r.Seq = s.store(r.Tenant, encode(t, r))
	}
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		page := func(q audit.Query) audit.Page {
			t.Helper()
			q.Tenant, q.Text = "acme", "invoice"
			p, err := x.Query(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		first := page(audit.Query{})
		if len(first.Records) != 2 || first.Next == "" || first.Older != "" {
			t.Fatalf("the first page has %d records, next %q, older %q", len(first.Records), first.Next, first.Older)
		}
		if second := page(audit.Query{Cursor: first.Next}); len(second.Records) != 1 || second.Next != "" {
			t.Errorf("the second page has %d records, next %q", len(second.Records), second.Next)
		}
		newest := page(audit.Query{Newest: true})
		before, err := audit.ParsePlace(newest.Older)
		if err != nil || len(newest.Records) != 1 || newest.Records[0].Detail != "an invoice" {
			t.Fatalf("the newest are %d records, older %q", len(newest.Records), newest.Older)
		}
		if older := page(audit.Query{Newest: true, Before: before}); len(older.Records) != 2 || older.Older != "" {
			t.Errorf("the page before has %d records, older %q", len(older.Records), older.Older)
		}
		if one := page(audit.Query{Newest: true, Limit: 1, Before: before}); len(one.Records) != 1 || one.Records[0].Detail != "the INVOICE" ||
			one.Older == "" {
			t.Errorf("one record before is %+v, older %q", one.Records, one.Older)
		}
		if none := page(audit.Query{Phase: "refused"}); len(none.Records) != 0 || none.Next != "" {
			t.Errorf("of another phase are %d records, next %q", len(none.Records), none.Next)
		}
	})
}
