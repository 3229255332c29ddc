package natsio_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// clustered starts three servers and returns their addresses.
func clustered(t *testing.T) string {
	t.Helper()
	testtime.Slow(t, "it starts a cluster of NATS servers")
	const n = 3
	var routes, urls []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, l.Addr().String())
		_ = l.Close()
	}
	for i := range routes {
		own := append([]string{routes[i]}, append(append([]string{}, routes[:i]...), routes[i+1:]...)...)
		srv, err := embedded.Start(embedded.Options{
			Addr:        "127.0.0.1:0",
			Dir:         t.TempDir(),
			Routes:      own,
			MaxStore:    queuetest.Store,
			LeaveGrace:  time.Millisecond,
			LeaveWithin: time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Stop)
		urls = append(urls, srv.URL())
	}
	return strings.Join(urls, ",")
}

// TestWalkReachesWhatIsStored reads, after each acknowledgement, a stream of three copies of
// which one may be behind.
func TestWalkReachesWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx := queuetest.Context(t)
	c, err := natsio.Connect(natsio.Options{URL: clustered(t), Name: t.Name(), Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	queuetest.Until(t, "a stream of three copies", func() bool {
		once, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := c.JetStream().CreateOrUpdateStream(once, jetstream.StreamConfig{Name: "S", Subjects: []string{"helve.v1.acme.s"}, Replicas: 3})
		return err == nil
	})
	for n := 1; n <= 100; n++ {
		if _, err := c.JetStream().Publish(ctx, "helve.v1.acme.s", fmt.Append(nil, n)); err != nil {
			t.Fatal(err)
		}
		read := 0
		w := natsio.Walk{
			Conn:   c,
			Stream: "S",
			Filter: "helve.v1.*.s",
			Next:   uint64(n),
			Batch:  10,
			Each:   func(*nats.Msg, *nats.MsgMetadata) error { read++; return nil },
		}
		if err := w.Run(ctx); err != nil || read != 1 {
			t.Fatalf("a walk from message %d on reads %d messages, %v, want that one", n, read, err)
		}
	}
}
