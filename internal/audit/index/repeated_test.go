package index

import (
	"maps"
	"slices"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// TestPageBefore: a page comes with the last records on the pages before of which it
// may hold a second copy, and hides nothing itself.
func TestPageBefore(t *testing.T) {
	onEach(t, func(t *testing.T, where Options) {
		s, x := newStream(), open(t, where)
		final := func(callID, auditID, worker string) []byte {
			r := recordOf(1)
			r.CallID, r.ID, r.Worker, r.TraceID = callID, auditID, worker, "t"
			return encode(t, r)
		}
		s.store("acme",
			final("evil", "f-b-1", "w-0"), // somebody else's id
			final("a", "f-a-1", "w-1"),
			final("a", "f-a-1", "w-1"),
			final("b", "s-b-1", "w-1"), // a start
			final("b", "f-b-1", "w-1"),
			final("c", "f-c-1", "w-1"),
			final("b", "f-b-1", "w-2"),
			final("c", "f-c-2", "w-1"), // of another attempt
		)
		run(t, x, s)
		reached(t, x, s.last)
		want := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
		firsts := map[uint64]uint64{3: 2, 7: 5}
		for _, limit := range []int{100, 3, 2, 1} {
			for _, q := range []audit.Query{{Tenant: "acme"}, {Tenant: "acme", TraceID: "t"}} {
				q.Limit = limit
				var got []uint64
				found := map[uint64]uint64{}
				for more := true; more; more = q.Cursor != "" {
					page, err := x.Query(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range page.Records {
						got = append(got, r.Seq)
						for _, first := range append(slices.Clone(page.Records), before(page)...) {
							if first.Seq < r.Seq && audit.FinalOf(&r) != "" && audit.FinalOf(&first) == audit.FinalOf(&r) {
								found[r.Seq] = first.Seq
							}
						}
					}
					q.Cursor = page.Next
				}
				if !slices.Equal(got, want) {
					t.Errorf("pages of %d (trace %q) hold %v, want %v", limit, q.TraceID, got, want)
				}
				if !maps.Equal(found, firsts) {
					t.Errorf("pages of %d (trace %q): second copies and their first ones are %v, want %v", limit, q.TraceID, found, firsts)
				}
			}
		}
	})
}

func before(p audit.Page) []protocol.AuditRecord {
	if p.Before == nil {
		return nil
	}
	return p.Before.Records
}
