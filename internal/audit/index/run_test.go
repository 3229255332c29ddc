package index

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/protocol"
)

// holds fails the test unless x has the records of the tenant acme that s has,
// each once and in order.
func holds(t testing.TB, x *Index, s *stream) {
	t.Helper()
	s.mu.Lock()
	var want []protocol.AuditRecord
	for _, m := range s.kept {
		if m.Tenant != "acme" {
			continue
		}
		for part, data := range m.Records() {
			r := record{firstIn(m.Seq) + place(part), data}
			want = append(want, r.show(m.Tenant))
		}
	}
	s.mu.Unlock()
	if diff := cmp.Diff(want, all(t, x, audit.Query{Tenant: "acme", Limit: audit.MaxLimit})); diff != "" {
		t.Errorf("the index is not what the stream is (-stream +index):\n%.2000s", diff)
	}
}

// written copies all of s in one batch, so that it lies in the same chunks and segments each
// time, and merges what there is to merge.
func written(t testing.TB, x *Index, s *stream) {
	t.Helper()
	ctx := context.Background()
	c := newCopier(s, x.db.pool(), x.db)
	if err := c.begin(ctx); err != nil {
		t.Fatal(err)
	}
	var batch []audit.Message
	for _, m := range s.kept {
		if m.Seq > c.seq {
			batch = append(batch, m)
		}
	}
	if err := c.write(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(ctx, nil); err != nil {
		t.Fatal(err)
	}
}

func TestCopyGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 300)...)
		x := open(t, where)
		copied(t, x, s)
		s.store("acme", records(t, 100)...)
		copied(t, x, s)
		holds(t, x, s)

		again := open(t, where) // by another process, or the same one later
		s.store("acme", records(t, 3)...)
		copied(t, again, s)
		holds(t, again, s)
	})
}

func TestCopyFollows(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		x := open(t, where)
		run(t, x, s)
		for range 5 {
			reached(t, x, s.store("acme", records(t, 2)...))
			holds(t, x, s)
		}
	})
}

// A stream that fails in between, and gives some records twice, costs none.
func TestCopyThroughFailures(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 300)...)
		s.refuse = 120
		x := open(t, where)
		run(t, x, stutter{s})
		reached(t, x, 119)
		s.mu.Lock()
		s.refuse = 0
		s.mu.Unlock()
		reached(t, x, 300)
		holds(t, x, s)
	})
}

// stutter gives each record twice.
type stutter struct{ *stream }

func (s stutter) Follow(ctx context.Context, from uint64, each func(audit.Message) error) error {
	return s.stream.Follow(ctx, from, func(m audit.Message) error { return errors.Join(each(m), each(m)) })
}

// Two that copy into one index leave no gap and no double, and one goes on
// when the other ends.
func TestTwoCopy(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		x, y := open(t, where), open(t, where)
		stop := run(t, x, s)
		run(t, y, s)
		for range 20 {
			s.store("acme", records(t, 50)...)
		}
		reached(t, y, s.last)
		holds(t, x, s)
		stop()
		reached(t, x, s.store("acme", records(t, 10)...))
		holds(t, y, s)
	})
}

// A process that did not see another one move the cursor, or empty the index, must not
// write: the messages in between would be missing.
func TestLateCopierIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 4)...)
		db := open(t, where).db
		other, late := newCopier(s, db.pool(), db), newCopier(s, db.pool(), db)
		for _, c := range []*copier{other, late} {
			if err := c.begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.write(t.Context(), s.kept[:2]); err != nil {
			t.Fatal(err)
		}
		if err := late.write(t.Context(), s.kept[2:]); err == nil {
			t.Error("a copier at 0 writes into an index that is at 2")
		}
		if err := late.step(t.Context()); err == nil {
			t.Error("a copier at 0 merges in an index that is at 2")
		}
		late.seq = 2
		if err := other.clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := late.write(t.Context(), s.kept[2:]); err == nil {
			t.Error("a copier at 2 writes into an index that was emptied")
		}
	})
}

func TestManyOpenAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, where Options) {
		where.Log = zap.NewNop()
		opened := make(chan error)
		for range 8 {
			go func() {
				x, err := Open(context.Background(), where)
				if err == nil {
					err = x.Close()
				}
				opened <- err
			}()
		}
		for range 8 {
			if err := <-opened; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	x := open(t, Options{Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait for a record that nobody copies = %v", err)
	}
	if err := x.Wait(ctx, 0); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Wait for no record = %v", err)
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 10_010)...)
		x := open(t, where)
		run(t, x, s)
		reached(t, x, s.last)
		s.forget(10_005)
		if err := x.Prune(t.Context(), s.first); err != nil {
			t.Fatal(err)
		}
		holds(t, x, s)
		reached(t, x, s.store("acme", records(t, 1)...))
		holds(t, x, s)
	})
}

// The lag is that of the database, so it is told while nothing is copied, too.
func TestLag(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		lags := make(chan uint64)
		ctx, cancel := context.WithCancel(context.Background())
		where.Lag = func(n uint64) {
			select {
			case lags <- n:
			case <-ctx.Done():
			}
		}
		s := newStream()
		s.refuse = 8
		s.store("acme", records(t, 10)...)
		x := open(t, where)
		stop := run(t, x, s)
		t.Cleanup(cancel) // before the index is stopped, which may be telling
		until(t, lags, 3)
		s.mu.Lock()
		s.refuse = 0
		s.mu.Unlock()
		until(t, lags, 0)
		cancel()
		stop()
	})
}

func until(t testing.TB, lags <-chan uint64, want uint64) {
	t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case n := <-lags:
			if n == want {
				return
			}
		case <-timeout:
			t.Fatalf("the lag never was %d", want)
		}
	}
}
