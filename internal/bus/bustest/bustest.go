// Package bustest gives tests a real bus: a NATS server inside the test, with
// file storage in a directory of the test, and connections to it.
//
// It promises that what it started is stopped when the test ends, connections
// before servers. It is for tests only and offers no fakes.
package bustest

import (
	"context"
	"flag"
	"strconv"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/embedded"
)

// Patience is how long a test waits for what must happen: long enough for a
// busy machine, short enough to name the test that hangs.
const Patience = 30 * time.Second

// SideBySide is for TestMain, once flags are parsed: it lets n tests run at once
// that wait more than they compute, unless the command line says how many.
func SideBySide(n int) error {
	p := flag.Lookup("test.parallel")
	if p.Value.String() != p.DefValue {
		return nil
	}
	return p.Value.Set(strconv.Itoa(n))
}

// Server starts a server on a free port of the loopback.
func Server(t testing.TB) *embedded.Server {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("start nats: %v", err)
	}
	t.Cleanup(srv.Stop)
	return srv
}

// Connect returns a bus on srv whose streams and buckets are there. Each tune
// that is not nil may change the options first.
func Connect(t testing.TB, srv *embedded.Server, tune ...func(*bus.Options)) *bus.Bus {
	t.Helper()
	b := Open(t, srv, tune...)
	if err := b.Prepare(Context(t)); err != nil {
		t.Fatalf("prepare the bus: %v", err)
	}
	return b
}

// Open is Connect without setting up JetStream.
func Open(t testing.TB, srv *embedded.Server, tune ...func(*bus.Options)) *bus.Bus {
	t.Helper()
	opts := bus.Options{URL: srv.URL(), Name: t.Name()}
	for _, change := range tune {
		if change != nil {
			change(&opts)
		}
	}
	b, err := bus.Connect(opts)
	if err != nil {
		t.Fatalf("connect to nats: %v", err)
	}
	t.Cleanup(b.Close)
	return b
}

// Context returns a context that ends with the test, or after Patience.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Receive returns the next value of ch; the test fails if none comes.
func Receive[T any](t testing.TB, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(Patience):
		t.Fatalf("no %s came in %v", what, Patience)
		panic("unreachable")
	}
}

// Until looks again and again until ok; the test fails if it never is.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(Patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after %v still not: %s", Patience, what)
		}
	}
}
