package embedded_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// TestCluster stores a message in three servers, stops one, and reads it from the others.
func TestCluster(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it starts a cluster of NATS servers")
	const n = 3
	var routes []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, l.Addr().String())
		l.Close()
	}
	var all []*embedded.Server
	var urls []string
	for i := range routes {
		own := append([]string{routes[i]}, append(append([]string{}, routes[:i]...), routes[i+1:]...)...)
		srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), Routes: own})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Stop)
		all, urls = append(all, srv), append(urls, srv.URL())
	}
	nc, err := nats.Connect(strings.Join(urls, ","), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testtime.Patience())
	defer cancel()
	again := func(what string, do func(context.Context) error) {
		t.Helper()
		var err error
		for ctx.Err() == nil {
			once, stop := context.WithTimeout(ctx, time.Second) // without a leader nobody answers
			err = do(once)
			stop()
			if err == nil {
				return
			}
		}
		t.Fatalf("%s: %v", what, err)
	}
	again("make a stream of three copies", func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: n})
		return err
	})
	again("store", func(ctx context.Context) error { _, err := js.Publish(ctx, "s", []byte("kept")); return err })
	all[0].Stop()
	again("read from the others", func(ctx context.Context) error {
		s, err := js.Stream(ctx, "S")
		if err != nil {
			return err
		}
		_, err = s.GetLastMsgForSubject(ctx, "s")
		return err
	})
}

func TestRouteThatIsNone(t *testing.T) {
	for _, route := range []string{"127.0.0.1", "127.0.0.1:x"} {
		if srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), Routes: []string{route}}); err == nil {
			srv.Stop()
			t.Errorf("a server with the route %q starts", route)
		}
	}
}
