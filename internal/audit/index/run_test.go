package index

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
)

// holds fails the test unless x has the records of the tenant acme that s has,
// each once and in order.
func holds(t testing.TB, x *Index, s *stream) {
	t.Helper()
	s.mu.Lock()
	var want []audit.Record
	for _, m := range s.kept {
		r := rowOf(m)
		want = append(want, r.record(m.Tenant))
	}
	s.mu.Unlock()
	if diff := cmp.Diff(want, all(t, x, audit.Query{Tenant: "acme", Limit: audit.MaxLimit})); diff != "" {
		t.Errorf("the index is not what the stream is (-stream +index):\n%.2000s", diff)
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

func (s stutter) Follow(ctx context.Context, from uint64, each func(Message) error) error {
	return s.stream.Follow(ctx, from, func(m Message) error { return errors.Join(each(m), each(m)) })
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

// Whoever did not see the other move the cursor, or empty the index, must not
// write: what came in between would be left out.
func TestLateCopierIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := newStream()
		s.store("acme", records(t, 4)...)
		db := open(t, where).db
		late := copier{src: s, conn: db.pool(), db: db}
		other := late
		rows := func(from, to int) (res []row) {
			for _, m := range s.kept[from:to] {
				res = append(res, rowOf(m))
			}
			return res
		}
		if err := other.write(t.Context(), rows(0, 2)); err != nil {
			t.Fatal(err)
		}
		if err := late.write(t.Context(), rows(2, 4)); err == nil {
			t.Error("a copier at 0 writes into an index that is at 2")
		}
		late.at = 2
		if err := other.clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := late.write(t.Context(), rows(2, 4)); err == nil {
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
		s.store("acme", records(t, pruneRecords+10)...)
		x := open(t, where)
		run(t, x, s)
		reached(t, x, s.last)
		s.forget(pruneRecords + 5)
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
