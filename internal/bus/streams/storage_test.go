package streams_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/testtime"
)

const gigabyte = 1_000_000_000

// small is a cluster of servers with little storage; each is started on its own.
type small struct {
	t               *testing.T
	routes, clients []string
	dirs            []string
	servers         []*embedded.Server
}

func newSmall(t *testing.T, n int) *small {
	t.Helper()
	testtime.Slow(t, "it starts NATS servers, several times")
	c := &small{t: t, servers: make([]*embedded.Server, n)}
	for range n {
		c.routes, c.clients, c.dirs = append(c.routes, queuetest.Addr(t)), append(c.clients, queuetest.Addr(t)), append(c.dirs, t.TempDir())
	}
	return c
}

// start starts a server with so much storage, or starts it again.
func (c *small) start(i int, bytes int64) {
	c.t.Helper()
	if c.servers[i] != nil {
		c.servers[i].Stop()
	}
	o := embedded.Options{Addr: c.clients[i], Dir: c.dirs[i], MaxStore: bytes}
	if len(c.routes) > 1 {
		o.Routes = slices.Concat([]string{c.routes[i]}, c.routes[:i], c.routes[i+1:])
	}
	srv, err := embedded.Start(o)
	if err != nil {
		c.t.Fatal(err)
	}
	c.servers[i] = srv
	c.t.Cleanup(c.servers[i].Stop)
}

// process returns a dispatcher of the cluster.
func (c *small) process(tune ...func(*queue.Options)) *queue.Queue {
	c.t.Helper()
	return queuetest.Open(c.t, c.servers[0], append([]func(*queue.Options){func(o *queue.Options) {
		o.URL, o.Replicas, o.Accepts = "nats://"+strings.Join(c.clients, ",nats://"), len(c.clients), true
	}}, tune...)...)
}

// all starts so many processes at the same time and returns the first when each is prepared.
func (c *small) all(n int, tune ...func(*queue.Options)) *queue.Queue {
	c.t.Helper()
	var first *queue.Queue
	var started sync.WaitGroup
	for range n {
		q := c.process(tune...)
		if first == nil {
			first = q
		}
		started.Go(func() {
			if err := q.Prepare(queuetest.Context(c.t)); err != nil {
				c.t.Error(err)
			}
		})
	}
	started.Wait()
	return first
}

// boundsOf returns the bounds of the streams whose storage is planned.
func boundsOf(t *testing.T, q *queue.Queue) string {
	t.Helper()
	var all []string
	for _, stream := range []string{streams.Results, streams.Once, streams.Callbacks, streams.Dead} {
		all = append(all, fmt.Sprintf("%s %d", stream, queuetest.ConfigOf(t, q, stream).MaxBytes))
	}
	return strings.Join(all, ", ")
}

// TestStorageOfACluster starts four processes on a new cluster of three small servers at the
// same time. Each stream gets its share, and processes that start later change nothing.
func TestStorageOfACluster(t *testing.T) {
	t.Parallel()
	c := newSmall(t, 3)
	for i := range c.servers {
		c.start(i, 4*gigabyte)
	}
	q := c.all(4)
	got := boundsOf(t, q)
	if want := streams.PlanFor(4*gigabyte, streams.Options{}); got != want {
		t.Errorf("the bounds are %s, want %s", got, want)
	}
	c.all(2)
	if again := boundsOf(t, q); again != got {
		t.Errorf("after another start the bounds are %s, want %s", again, got)
	}
}

// TestStorageOfALateServer starts processes while one of three servers is away: they wait. It
// joins with less storage than the others, and the bounds are those that it has room for. When it has
// as much as the others, running processes raise them.
func TestStorageOfALateServer(t *testing.T) {
	t.Parallel()
	c := newSmall(t, 3)
	c.start(0, 4*gigabyte)
	c.start(1, 4*gigabyte)
	q := c.process()
	prepared := make(chan error, 1)
	go func() { prepared <- q.Prepare(queuetest.Context(t)) }()
	queuetest.Until(t, "the reason why the process waits", func() bool {
		err := q.Check(t.Context())
		return err != nil && strings.Contains(err.Error(), "not set up yet: ")
	})
	c.start(2, gigabyte)
	if err := queuetest.Receive(t, prepared, "end of the preparation"); err != nil {
		t.Fatal(err)
	}
	grown := func(storage int64) {
		t.Helper()
		want := streams.PlanFor(storage, streams.Options{})
		queuetest.Until(t, "bounds that use the storage", func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_ = q.Grow(ctx) // refused until all copies are there
			got := boundsOf(t, q)
			if got != want {
				t.Logf("the bounds are %s, want %s", got, want)
			}
			return got == want
		})
	}
	grown(gigabyte)
	c.start(2, 4*gigabyte)
	grown(4 * gigabyte)
}

// TestStorageOfOneServer: one server with little storage, whichever process is first; a stream
// that is deleted gets its share again; and where another stream has set storage aside, the
// bounds are raised once that is gone.
func TestStorageOfOneServer(t *testing.T) {
	t.Parallel()
	c := newSmall(t, 1)
	c.start(0, gigabyte)
	js := queuetest.Outsider(t, c.servers[0].URL())
	ctx := queuetest.Context(t)
	hoard := jetstream.StreamConfig{Name: "HOARD", MaxBytes: gigabyte / 2, Storage: jetstream.FileStorage}
	if _, err := js.CreateStream(ctx, hoard); err != nil {
		t.Fatal(err)
	}
	q := c.all(3)
	if got, want := boundsOf(t, q), streams.PlanFor(gigabyte/2, streams.Options{}); got != want {
		t.Errorf("beside another stream the bounds are %s, want %s", got, want)
	}
	if err := js.DeleteStream(ctx, hoard.Name); err != nil {
		t.Fatal(err)
	}
	if err := q.Grow(ctx); err != nil {
		t.Fatal(err)
	}
	want := streams.PlanFor(gigabyte, streams.Options{})
	if got := boundsOf(t, q); got != want {
		t.Errorf("with all storage the bounds are %s, want %s", got, want)
	}
	if err := js.DeleteStream(ctx, streams.Callbacks); err != nil {
		t.Fatal(err)
	}
	c.all(1)
	if got := boundsOf(t, q); got != want {
		t.Errorf("after a stream was deleted the bounds are %s, want %s", got, want)
	}
}

// TestStorageTooSmall: a server with less than the streams cannot do without is an error with the
// bytes, and the place; with more storage the process goes on.
func TestStorageTooSmall(t *testing.T) {
	t.Parallel()
	c := newSmall(t, 1)
	c.start(0, 48<<20)
	q := c.process()
	prepared := make(chan error, 1)
	go func() { prepared <- q.Prepare(queuetest.Context(t)) }()
	queuetest.Until(t, "the reason why the process waits", func() bool {
		err := q.Check(t.Context())
		return err != nil && strings.Contains(err.Error(), "need 64 MiB on each server") && strings.Contains(err.Error(), "max_file_store")
	})
	c.start(0, 64<<20)
	if err := queuetest.Receive(t, prepared, "end of the preparation"); err != nil {
		t.Fatal(err)
	}
}
