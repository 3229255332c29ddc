package index

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/test/testpostgres"
	"go.uber.org/goleak"
	"go.uber.org/zap/zaptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onEach runs a test, or a benchmark, on each database there is. Where gives it
// the options of an empty one.
func onEach[T interface {
	testing.TB
	Run(name string, f func(T)) bool
}](t T, f func(t T, where Options)) {
	t.Run("sqlite", func(t T) { f(t, Options{Dir: t.TempDir()}) })
	t.Run("postgres", func(t T) { f(t, Options{URL: testpostgres.New(t)}) })
}

// open opens an index and closes it after the test.
func open(t testing.TB, o Options) *Index {
	t.Helper()
	if o.Log == nil {
		o.Log = zaptest.NewLogger(t)
	}
	x, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// run lets x copy from s until stop is called, or the test ends.
func run(t testing.TB, x *Index, s Source) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Run(ctx, s) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Run = %v, want that it was cancelled", err)
		}
	}
	t.Cleanup(stop)
	return stop
}
