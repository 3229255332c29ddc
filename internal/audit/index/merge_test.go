package index

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

// grown returns an index with segments of three levels, and loose records behind them. Some
// messages hold many records.
func grown(t testing.TB, where Options) (*Index, *stream) {
	testtime.Slow(t, "it indexes many records")
	s, x := newStream(), open(t, where)
	all := records(t, (fanout*fanout+fanout+2)*segmentRecords+100)
	for len(all) > 0 {
		n := min(len(all), segmentRecords)
		for i := 0; i < n; {
			if len(all)%7 == 0 {
				k := min(n-i, 100)
				s.storeBlock("acme", all[i:i+k]...)
				i += k
				continue
			}
			s.store("acme", all[i])
			i++
		}
		all = all[n:]
		written(t, x, s)
	}
	return x, s
}

// TestLevels: many segments are few, of higher levels, and everything is found in them.
func TestLevels(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		x, s := grown(t, where)
		levels := map[int64]int{}
		err := x.look(t.Context(), func(tx *tx) error {
			segments, err := tx.segments(t.Context(), "acme")
			for _, g := range segments {
				levels[g.level]++
			}
			return err
		})
		if want := map[int64]int{1: 2, 2: 1, 3: 1}; err != nil || !cmp.Equal(levels, want) {
			t.Errorf("there are segments of the levels %v (%v), want %v", levels, err, want)
		}
		for _, table := range []string{"audit_segment WHERE state <> 0", "audit_key WHERE segment NOT IN (SELECT id FROM audit_segment)"} {
			var n int
			if err := x.db.pool().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil || n != 0 {
				t.Errorf("%d rows are left in %s (%v)", n, table, err)
			}
		}
		finds(t, x, s, "acme")
		for _, q := range []audit.Query{
			{User: "user-3", Tool: "tool_4", Limit: 100}, {Status: "error", Conversation: "talk-3", Limit: 1000}, {Phase: "refused", Limit: 1000},
			{Outcome: "blocked", Agent: "agent-1", From: began.Add(50_000e9), To: began.Add(60_000e9), Limit: 300}, {CallID: id("call", 30_000)},
			{TraceID: id("trace", 17_000), User: "user-1"}, {CallID: "none"}, {From: began.Add(70_000e9), Limit: 1000}, {To: began.Add(100e9)},
		} {
			q.Tenant = "acme"
			want := expected(s, q)
			if diff := cmp.Diff(want, all(t, x, q)); diff != "" {
				t.Errorf("%+v: (-want +got)\n%.1000s", q, diff)
			}
			if q.CallID != "" || q.TraceID != "" {
				continue
			}
			q.Newest, q.Limit = true, 20
			page, err := x.Query(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[max(0, len(want)-20):], page.Records); diff != "" {
				t.Errorf("the newest of %+v: (-want +got)\n%.1000s", q, diff)
			}
		}
		if found, _ := compare(t, x, s, "acme", false); len(found) > 0 {
			t.Errorf("the comparison found %q", found)
		}
	})
}

// failing is a database on which the nth statement from now on fails, or the commit that
// follows, as if the process had died there.
type failing struct {
	database
	left *int
}

var errDied = errors.New("the process died")

func (f failing) adapt(ctx context.Context, statement string) (context.Context, string) {
	if *f.left--; *f.left == 0 {
		return f.database.adapt(ctx, "died")
	}
	return f.database.adapt(ctx, statement)
}

func (f failing) insertChunks(ctx context.Context, t *tx, tenant string, chunks []chunk) error {
	err := f.database.insertChunks(ctx, t, tenant, chunks)
	if *f.left--; *f.left == 0 {
		return errDied
	}
	return err
}

func (f failing) insertPages(ctx context.Context, t *tx, segment int64, pages []keyPage) error {
	err := f.database.insertPages(ctx, t, segment, pages)
	if *f.left--; *f.left == 0 {
		return errDied
	}
	return err
}

// TestDeathAtEachStep: a copier that dies at any statement of a copy or a merge leaves
// nothing out and nothing twice.
func TestDeathAtEachStep(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it indexes records once for each step")
	onEach(t, func(t *testing.T, where Options) {
		s, x := newStream(), open(t, where)
		all := records(t, (fanout+1)*segmentRecords)
		deaths := 0
		// One more statement each time, until a copy and its merges survive.
		for left := 1; len(all) > 0; left++ {
			n := min(len(all), segmentRecords/3)
			if len(all)%2 == 0 {
				n = min(len(all), segmentRecords)
			}
			s.store("acme", all[:n]...)
			s.store("other", all[0])
			all = all[n:]
			for survived := false; !survived; {
				count := left
				c := newCopier(s, x.db.pool(), failing{x.db, &count})
				err := c.begin(t.Context())
				if err == nil {
					err = c.write(t.Context(), s.behind(c.seq))
				}
				if err == nil {
					err = c.merge(t.Context(), nil)
				}
				if survived = err == nil; survived {
					break
				}
				if text := err.Error(); !errors.Is(err, errDied) && !strings.Contains(text, "died") {
					t.Fatal(err)
				}
				deaths++
				left++
			}
			left = 0
		}
		if deaths < 100 {
			t.Errorf("it died %d times only", deaths)
		}
		holds(t, x, s)
		finds(t, x, s, "acme")
		for _, tenant := range []string{"acme", "other"} {
			if found, _ := compare(t, x, s, tenant, false); len(found) > 0 {
				t.Errorf("the comparison found %q of %s", found, tenant)
			}
		}
	})
}

// behind returns the messages behind a place.
func (s *stream) behind(seq uint64) []audit.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.kept {
		if m.Seq > seq {
			return s.kept[i:]
		}
	}
	return nil
}

// TestFinals finds the final records of a call, in a segment or not, and none of a result
// that was superseded.
func TestFinals(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s, x := newStream(), open(t, where)
		final := func(callID, auditID string) []byte {
			r := recordOf(1)
			r.CallID, r.ID = callID, auditID
			return encode(t, r)
		}
		s.store("acme", records(t, segmentRecords)...)
		s.store("acme", final("a", "s-a-1"))
		want := map[string]audit.Place{"a": {Seq: s.store("acme", final("a", "f-a-1"))}}
		s.store("acme", final("a", "f-a-1"))
		want["b"] = audit.Place{Seq: s.storeBlock("acme", final("none", "f-a-1"), final("b", "s-b-1"), final("b", "f-b-2")), Part: 2}
		s.store("other", final("c", "f-c-1"))
		late := recordOf(1)
		late.CallID, late.ID, late.Phase = "b", "f-b-1", protocol.AuditSuperseded
		s.store("acme", encode(t, late))
		for range 2 {
			written(t, x, s)
			for _, callID := range []string{"a", "b", "c", "none", "d", ""} {
				all, err := x.Finals(t.Context(), "acme", callID)
				place, known := want[callID]
				if err != nil || known != (len(all) > 0) || known && (audit.Place{Seq: all[0].Seq, Part: all[0].Part}) != place ||
					callID == "b" && len(all) != 1 {
					t.Errorf("Finals of %q = %v, %v; want the first at %v, %v", callID, all, err, place, known)
				}
			}
			want["d"] = audit.Place{Seq: s.store("acme", final("d", "f-d-1"))} // it is loose, the others are not
		}
	})
}
