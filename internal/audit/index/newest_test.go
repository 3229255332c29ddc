package index

import (
	"testing"

	"github.com/helve-dev/helve/internal/audit"
)

// TestNewest: a page may end with the newest record, and is told from the oldest of
// those on, of a trace too.
func TestNewest(t *testing.T) {
	t.Parallel()
	const n = 120
	s := newStream()
	for i := range n {
		r := recordOf(i)
		r.Seq = s.store(r.Tenant, encode(t, r))
	}
	onEach(t, func(t *testing.T, where Options) {
		x := open(t, where)
		copied(t, x, s)
		all, err := x.Query(t.Context(), audit.Query{Tenant: "acme", Limit: audit.MaxLimit})
		if err != nil || len(all.Records) < 20 {
			t.Fatalf("%d records, %v", len(all.Records), err)
		}
		got, err := x.Query(t.Context(), audit.Query{Tenant: "acme", Limit: 7, Newest: true})
		if err != nil || len(got.Records) != 7 || got.Next != "" {
			t.Fatalf("the newest are %d records, next %q, %v; want 7 and no more", len(got.Records), got.Next, err)
		}
		for i, r := range got.Records {
			if want := all.Records[len(all.Records)-7+i].Seq; r.Seq != want {
				t.Errorf("record %d has the place %d, want %d", i, r.Seq, want)
			}
		}
		trace, err := x.Query(t.Context(), audit.Query{Tenant: "acme", TraceID: id("trace", 2), Limit: 1, Newest: true})
		whole, err2 := x.Query(t.Context(), audit.Query{Tenant: "acme", TraceID: id("trace", 2), Limit: audit.MaxLimit})
		if err != nil || err2 != nil || len(trace.Records) != 1 || trace.Records[0].Seq != whole.Records[len(whole.Records)-1].Seq {
			t.Errorf("the newest record of a trace is %+v, %v, %v; want its last", trace.Records, err, err2)
		}
		if none, err := x.Query(t.Context(), audit.Query{Tenant: "nobody", Newest: true}); err != nil || len(none.Records) != 0 {
			t.Errorf("nobody has %d records, %v", len(none.Records), err)
		}
	})
}
