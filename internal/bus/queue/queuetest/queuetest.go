// Package queuetest provides tests with a real NATS server: a NATS server inside the test,
// with file storage in a directory of the test, and connections to it.
//
// It promises that everything it started is stopped when the test ends, connections before
// servers. It is for tests only and offers no fakes.
package queuetest

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// Patience is the time for which a test waits for a required event: long enough for a busy machine,
// short enough to name the test that hangs.
const Patience = 2 * time.Minute

// SideBySide lets n tests that wait more than they compute run concurrently, unless the
// command line sets a number. A TestMain calls it once flags are parsed.
func SideBySide(n int) error {
	p := flag.Lookup("test.parallel")
	if p.Value.String() != p.DefValue {
		return nil
	}
	return p.Value.Set(strconv.Itoa(n))
}

// Store is the bound for the streams of a test: enough, whatever room other tests have left
// on the device.
const Store = 1 << 40

// Server starts a server on a free port of the loopback.
func Server(t testing.TB) *embedded.Server {
	t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), MaxStore: Store})
	if err != nil {
		t.Fatalf("start nats: %v", err)
	}
	t.Cleanup(srv.Stop)
	return srv
}

// Connect returns a queue on srv with all its streams and buckets. Each tune that is not
// nil may change the options first.
func Connect(t testing.TB, srv *embedded.Server, tune ...func(*queue.Options)) *queue.Queue {
	t.Helper()
	q := Open(t, srv, tune...)
	if err := q.Prepare(Context(t)); err != nil {
		t.Fatalf("prepare NATS: %v", err)
	}
	return q
}

// Open is Connect without setting up JetStream.
func Open(t testing.TB, srv *embedded.Server, tune ...func(*queue.Options)) *queue.Queue {
	t.Helper()
	opts := queue.Options{Options: streams.Options{Options: natsio.Options{URL: srv.URL(), Name: t.Name()}}}
	for _, change := range tune {
		if change != nil {
			change(&opts)
		}
	}
	q, err := queue.Connect(opts)
	if err != nil {
		t.Fatalf("connect to nats: %v", err)
	}
	t.Cleanup(q.Close)
	return q
}

// Addr returns an address without a listener, which stays free until a server is started on
// it. A free port of 127.0.0.1 may be taken a moment later; on systems where all of
// 127.0.0.0/8 is local, each address gets a host of its own.
func Addr(t testing.TB) string {
	t.Helper()
	host := "127.0.0.1"
	if runtime.GOOS == "linux" {
		var b [3]byte
		rand.Read(b[:])
		host = fmt.Sprintf("127.%d.%d.%d", 1+b[0]%254, b[1], 1+b[2]%254)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Context returns a context that ends with the test, or after [testtime.Patience].
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	t.Cleanup(cancel)
	return ctx
}

// Receive returns the next value of ch; the test fails if none comes.
func Receive[T any](t testing.TB, ch <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(testtime.Patience()):
		t.Fatalf("no %s came in %v", what, testtime.Patience())
		panic("unreachable")
	}
}

// Until calls ok repeatedly until it returns true; the test fails if it never does.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(testtime.Patience())
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after %v still not: %s", testtime.Patience(), what)
		}
	}
}
