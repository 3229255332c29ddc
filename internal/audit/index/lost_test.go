package index

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// lose takes all of an index away, as an operator may.
func lose(t testing.TB, where Options) {
	t.Helper()
	if where.URL == "" {
		if err := os.Remove(filepath.Join(where.Dir, "audit.db")); err != nil {
			t.Fatal(err)
		}
		return
	}
	x := open(t, where)
	if _, err := x.db.pool().Exec("DROP TABLE audit_chunk, audit_segment, audit_key, audit_span, audit_cursor, " +
		"audit_index_version"); err != nil {
		t.Fatal(err)
	}
}

func TestLostIndexIsBuiltAnew(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 300)...)
		x := open(t, where)
		copied(t, x, s)
		lose(t, where)
		y := open(t, where)
		if got := all(t, y, audit.Query{Tenant: "acme"}); len(got) != 0 {
			t.Fatalf("the lost index still holds %d records", len(got))
		}
		copied(t, y, s)
		holds(t, y, s)
	})
}

// What the stream does not keep any longer is not waited for.
func TestLostIndexOfAnEmptyStream(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 10)...)
		s.forget(11)
		x := open(t, where)
		run(t, x, s)
		reached(t, x, 10)
		reached(t, x, s.store("acme", records(t, 1)...))
		holds(t, x, s)
	})
}

func TestReplacedStream(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"shorter": 4, "as long": 10, "longer": 300} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, where Options) {
				s := newStream()
				s.store("acme", records(t, 10)...)
				x := open(t, where)
				copied(t, x, s)
				s.replace("acme", records(t, 400)[400-others:]...)
				run(t, x, s)
				same(t, x, s)
			})
		})
	}
}

// The watch sees that a stream was replaced while it was followed.
func TestReplacedStreamWhileFollowed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 10)...)
		x := open(t, where)
		run(t, x, s)
		reached(t, x, 10)
		s.replace("acme", records(t, 40)[30:33]...)
		same(t, x, s)
	})
}

// same waits until x has as many records as s, of which nothing else may tell
// while the stream is shorter than the index.
func same(t testing.TB, x *Index, s *stream) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testtime.Patience())
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for ; ; <-look.C {
		at, err := x.copied(ctx)
		if err != nil {
			t.Fatal(err)
		}
		page, err := x.Query(ctx, audit.Query{Tenant: "acme", Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if at == s.last && len(page.Records) == 1 && page.Records[0].ID == oldest(s) {
			break
		}
	}
	holds(t, x, s)
}

// oldest is the audit id of the first record that s keeps.
func oldest(s *stream) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range s.kept[0].Records() {
		r := record{data: data}
		return r.show("").ID
	}
	return ""
}
