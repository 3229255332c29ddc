package index

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
	"go.uber.org/zap/zaptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// postgresEnv names a server on which the tests may make databases.
const postgresEnv = "HELVE_TEST_POSTGRES"

// onEach runs a test, or a benchmark, on each database there is. Where gives it
// the options of an empty one.
func onEach[T interface {
	testing.TB
	Run(name string, f func(T)) bool
}](t T, f func(t T, where Options)) {
	t.Run("sqlite", func(t T) { f(t, Options{Dir: t.TempDir()}) })
	t.Run("postgres", func(t T) { f(t, Options{URL: postgres(t)}) })
}

// postgres makes a database, and removes it after the test.
func postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(postgresEnv)
	if server == "" {
		t.Log("NOT RUN on PostgreSQL: set " + postgresEnv + " to a server on which databases may be made; .ci/run starts one")
		t.Skip("without PostgreSQL")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	name := "helve_test_" + strings.ToLower(rand.Text())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
		conn.Close(ctx)
	})
	where, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	where.Path = "/" + name
	return where.String()
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
