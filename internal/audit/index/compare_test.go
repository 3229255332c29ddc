package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// compare returns the differences as "place kind", and how far it was looked.
func compare(t testing.TB, x *Index, s *stream, tenant string, repair bool) (found []string, to uint64) {
	t.Helper()
	to, err := x.Compare(context.Background(), s, tenant, repair, func(p protocol.AuditProblem) {
		found = append(found, fmt.Sprint(p.Seq, " ", p.Kind))
		if !strings.Contains(p.Detail, fmt.Sprint("record ", p.Seq)) {
			t.Errorf("the detail %q does not name record %d", p.Detail, p.Seq)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found, to
}

// edit changes the records of the chunk of acme that holds a message.
func edit(seq uint64, f func([]record) []record) func(t *testing.T, x *Index) {
	return func(t *testing.T, x *Index) {
		t.Helper()
		err := x.change(t.Context(), func(tx *tx) error {
			r := reader{t: tx, tenant: "acme"}
			c, err := r.find(t.Context(), firstIn(seq))
			if err != nil {
				return err
			}
			records, err := c.open()
			if err != nil {
				return err
			}
			if _, err := tx.exec(t.Context(), `DELETE FROM audit_chunk WHERE tenant = 'acme' AND first = ?`, int64(c.first)); err != nil {
				return err
			}
			return x.db.insertChunks(t.Context(), tx, "acme", chunksOf(f(records)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// nth returns which of the records is that of a message.
func nth(records []record, seq uint64) int {
	return slices.IndexFunc(records, func(r record) bool { return r.at == firstIn(seq) })
}

// change returns what runs a statement on the database.
func change(statement string) func(t *testing.T, x *Index) {
	return func(t *testing.T, x *Index) {
		t.Helper()
		if _, err := x.db.pool().Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompareFindsAndRepairs changes the index behind its back in every way, beside
// another tenant that must not be touched.
func TestCompareFindsAndRepairs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*testing.T, *Index)
		want   []string
	}{
		{"nothing", func(*testing.T, *Index) {}, nil},
		{"a record", edit(5, func(r []record) []record {
			r[4].data = []byte("{}")
			return r
		}), []string{"5 index_changed"}},
		{"the tenant", change("UPDATE audit_chunk SET tenant = 'other' WHERE first = 1024"), missing(1, 129)},
		{"the first is gone", edit(1, func(r []record) []record { return r[1:] }), []string{"1 index_missing"}},
		{"the last is gone", edit(600, func(r []record) []record { return r[:len(r)-1] }), []string{"600 index_missing"}},
		{"another place", edit(300, func(r []record) []record {
			r[nth(r, 300)].at = firstIn(305)
			return r
		}), []string{"300 index_missing", "305 index_extra"}},
		{"one twice", edit(300, func(r []record) []record {
			i := nth(r, 300)
			return slices.Insert(r, i+1, record{firstIn(300) + 1, r[i].data})
		}), []string{"300 index_extra"}},
		{"many", change("DELETE FROM audit_chunk WHERE tenant = 'acme' AND first <= 130 * 1024"), missing(1, 257)},
		{"all", change("DELETE FROM audit_chunk WHERE tenant = 'acme'"), append(missing(1, 301), missing(310, 601)...)},
		{"no records", change("UPDATE audit_chunk SET data = '' WHERE tenant = 'acme' AND first = 1024"), missing(1, 129)},
		{"the bounds", change("UPDATE audit_chunk SET last = 0 WHERE tenant = 'acme' AND first = 1024"), missing(1, 129)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, where Options) {
				s := newStream()
				s.store("acme", records(t, 300)...) // 1 to 300
				s.store("other", records(t, 3)...)  // 301 to 303
				s.skip(310)
				s.store("acme", records(t, 291)...) // 310 to 600
				x := open(t, where)
				written(t, x, s)
				tt.change(t, x)
				slices.Sort(tt.want)
				for _, repair := range []bool{false, true} {
					if found, to := compare(t, x, s, "acme", repair); !slices.Equal(found, tt.want) || to != 600 {
						t.Errorf("repair %v found %q up to %d, want %q up to 600", repair, found, to, tt.want)
					}
				}
				compare(t, x, s, "other", true) // whose records may have been ours for a while
				for tenant, n := range map[string]int{"acme": 591, "other": 3} {
					if found, _ := compare(t, x, s, tenant, false); len(found) > 0 {
						t.Errorf("after the repair it found %q of %s", found, tenant)
					}
					if got := all(t, x, audit.Query{Tenant: tenant}); len(got) != n {
						t.Errorf("after the repair %s has %d records, want %d", tenant, len(got), n)
					}
				}
			})
		})
	}
}

func missing(from, to int) (want []string) {
	for seq := from; seq < to; seq++ {
		want = append(want, fmt.Sprint(seq, " index_missing"))
	}
	return want
}

// TestCompareFindsAndRepairsKeys changes what records are found by.
func TestCompareFindsAndRepairsKeys(t *testing.T) {
	t.Parallel()
	const lastPage = "(SELECT max(hash) FROM audit_key WHERE segment IN (SELECT id FROM audit_segment WHERE tenant = 'acme'))"
	for name, statement := range map[string]string{
		"a page is gone":      "DELETE FROM audit_key WHERE hash = " + lastPage,
		"a page is nonsense":  "UPDATE audit_key SET data = '' WHERE hash = " + lastPage,
		"pages of another":    "UPDATE audit_key SET data = (SELECT data FROM audit_key ORDER BY segment, hash, place LIMIT 1)",
		"the first is gone":   "DELETE FROM audit_segment WHERE id = (SELECT min(id) FROM audit_segment)",
		"the times":           "UPDATE audit_span SET from_time = 0, to_time = 1 WHERE first = (SELECT min(first) FROM audit_span)",
		"the times are gone":  "DELETE FROM audit_span WHERE first = (SELECT min(first) FROM audit_span)",
		"all times are gone":  "DELETE FROM audit_span",
		"the bounds are less": "UPDATE audit_segment SET first = first + 1024 WHERE id = (SELECT min(id) FROM audit_segment)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, where Options) {
				s := newStream()
				x := open(t, where)
				for range 3 {
					s.store("acme", records(t, segmentRecords)...)
					s.store("other", records(t, segmentRecords/2)...)
					written(t, x, s)
				}
				change(statement)(t, x)
				if found, _ := compare(t, x, s, "acme", false); len(found) == 0 {
					t.Error("the comparison found nothing")
				}
				for _, tenant := range []string{"acme", "other"} {
					compare(t, x, s, tenant, true)
				}
				finds(t, x, s, "acme")
				s.store("acme", records(t, 1)...)
				copied(t, x, s)
				finds(t, x, s, "acme")
				for _, tenant := range []string{"acme", "other"} {
					if found, _ := compare(t, x, s, tenant, false); len(found) > 0 {
						t.Errorf("after the repair it found %q of %s", found, tenant)
					}
				}
			})
		})
	}
}

// finds checks that queries find what s holds by each field.
func finds(t *testing.T, x *Index, s *stream, tenant string) {
	t.Helper()
	for _, q := range []audit.Query{
		{CallID: id("call", 3)}, {TraceID: id("trace", 1)}, {Tool: "tool_3", User: "user-6"}, {Status: "error"},
		{Phase: "refused", Agent: "agent-1"},
		{From: began.Add(900 * time.Second), To: began.Add(905 * time.Second)},
		{User: "user-1", From: began.Add(time.Second), To: began.Add(100 * time.Second)},
	} {
		q.Tenant, q.Limit = tenant, audit.MaxLimit
		if diff := cmp.Diff(expected(s, q), all(t, x, q)); diff != "" {
			t.Errorf("%+v: (-want +got)\n%.1000s", q, diff)
		}
	}
}

// expected returns the records of s that q asks for.
func expected(s *stream, q audit.Query) (want []protocol.AuditRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.kept[len(s.shown):] {
		var some []protocol.AuditRecord
		for part, data := range m.Records() {
			r := record{firstIn(m.Seq) + place(part), data}
			some = append(some, r.show(m.Tenant))
		}
		s.shown = append(s.shown, some)
	}
	for _, some := range s.shown {
		for i := range some {
			if q.Matches(&some[i]) {
				want = append(want, some[i])
			}
		}
	}
	return want
}

// TestCompareIgnoresWhatRetentionTook checks that records which left the stream are
// no differences, whether the index still holds them or not.
func TestCompareIgnoresWhatRetentionTook(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 20)...)
		x := open(t, where)
		written(t, x, s)
		s.forget(8)
		if found, _ := compare(t, x, s, "acme", true); len(found) > 0 {
			t.Errorf("found %q in an index that remembers more", found)
		}
		// They go while the comparison reads.
		edit(8, func(r []record) []record { return r[14:] })(t, x)
		var found []protocol.AuditProblem
		_, err := x.Compare(t.Context(), forgetful{s}, "acme", false, func(p protocol.AuditProblem) { found = append(found, p) })
		if err != nil || len(found) > 0 {
			t.Errorf("found %+v, %v", found, err)
		}
	})
}

// forgetful drops records while they are read.
type forgetful struct{ *stream }

func (f forgetful) Read(ctx context.Context, from, to uint64, tenant string, each func(audit.Message) error) error {
	defer f.forget(15)
	return f.stream.Read(ctx, from, to, tenant, each)
}

// TestCompareAnIndexThatIsBehind checks that only what was copied is compared.
func TestCompareAnIndexThatIsBehind(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 10)...)
		x := open(t, where)
		copied(t, x, s)
		s.store("acme", records(t, 10)...)
		if found, to := compare(t, x, s, "acme", false); len(found) > 0 || to != 10 {
			t.Errorf("found %q up to %d, want nothing up to 10", found, to)
		}
	})
}
