package syscheck

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/server/natsauth"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/protocol"
)

// proxy passes bytes between clients and a NATS server. It can delay what the server sends,
// and replace a text in it by another of the same length.
type proxy struct {
	url string

	mu       sync.Mutex
	delay    time.Duration
	old, new []byte
}

func newProxy(t *testing.T, srv *embedded.Server) *proxy {
	t.Helper()
	to, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{url: "nats://" + l.Addr().String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to.Host)
			if err != nil {
				_ = client.Close()
				return
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { p.answers(client, server); _ = client.Close() }()
		}
	}()
	return p
}

func (p *proxy) answers(client io.Writer, server io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		p.mu.Lock()
		delay, text := p.delay, buffer[:n]
		if len(p.old) > 0 {
			text = bytes.ReplaceAll(text, p.old, p.new)
		}
		p.mu.Unlock()
		<-time.After(delay)
		if _, failed := client.Write(text); err != nil || failed != nil {
			return
		}
	}
}

func (p *proxy) set(delay time.Duration, old, now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay, p.old, p.new = delay, []byte(old), []byte(now)
}

// through returns a checker whose connection to NATS is the proxy's.
func through(t *testing.T, p *proxy, srv *embedded.Server) *Checker {
	t.Helper()
	c, _, _ := checker(t)
	c.Queue = queuetest.Connect(t, srv, func(o *queue.Options) { o.URL = p.url })
	if err := c.Queue.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOldServer: the server announces an earlier version.
func TestOldServer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	p := newProxy(t, srv)
	now := queuetest.Connect(t, srv).Conn.NATS().ConnectedServerVersion()
	old := "2.11." + strings.Repeat("9", max(len(now)-len("2.11."), 1))
	p.set(0, `"version":"`+now, `"version":"`+old[:len(now)])
	c, _, _ := checker(t)
	c.Queue = queuetest.Open(t, srv, func(o *queue.Options) { o.URL = p.url })
	queuetest.Until(t, "connected", c.Queue.Conn.Connected)
	const says = "NATS has version 2.11.9, but 2.12 is needed"
	wants(t, c, "nats", protocol.FindingError, says)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := c.Queue.Prepare(ctx); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("Prepare on an old server = %v, want its version", err)
	}
	if err := c.Queue.Check(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("Check on an old server = %v, want its version", err)
	}
}

// TestSlowServer: the network to the server gets slow, and quick again.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	testtime.Slow(t, "it slows the network down")
	srv := queuetest.Server(t)
	p := newProxy(t, srv)
	c := through(t, p, srv)
	p.set(200*time.Millisecond, "", "")
	wants(t, c, "nats", protocol.FindingWarning, "NATS took ")
}

// TestClockOfServer: the clock of the NATS server is a year late.
func TestClockOfServer(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	p := newProxy(t, srv)
	c := through(t, p, srv)
	year := time.Now().UTC().Year()
	p.set(0, fmt.Sprintf(`"ts":"%d`, year), fmt.Sprintf(`"ts":"%d`, year-1))
	wants(t, c, "clocks", protocol.FindingError, "the clock of NATS differs by -8")
}

// TestNearlyFullStream: calls fill the stream of calls to more than 80 % of its bound.
func TestNearlyFullStream(t *testing.T) {
	t.Parallel()
	c, srv, _ := checker(t)
	c.Queue = queuetest.Connect(t, srv)
	js := c.Queue.Conn.JetStream()
	stream, err := js.Stream(t.Context(), streams.Dead)
	if err != nil {
		t.Fatal(err)
	}
	settings := stream.CachedInfo().Config
	settings.MaxBytes = 10 << 10
	if _, err := js.UpdateStream(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "helve.v1.acme.dead.default", make([]byte, 9<<10)); err != nil {
		t.Fatal(err)
	}
	wants(t, c, "streams", protocol.FindingWarning, "stream HELVE_DEAD is filled to 9")
}

// TestFullStream: calls are refused because a stream is at its bound, so that is an error, with
// the bound that is reached and the time that it is enough for.
func TestFullStream(t *testing.T) {
	t.Parallel()
	c, srv, _ := checker(t)
	const most = 20
	c.Queue = queuetest.Connect(t, srv, func(o *queue.Options) { o.Accepts, o.OnceMaxMessages = true, most })
	for i := range most {
		if _, err := c.Queue.Calls.Fence(t.Context(), "acme", fmt.Sprint("c", i), call.Fence{By: "w"}); err != nil {
			t.Fatal(err)
		}
	}
	queuetest.Until(t, "calls are refused", func() bool { return c.Queue.Full() != nil })
	wants(t, c, "streams", protocol.FindingError,
		"calls are refused: the stream of once-only records is full (20 of 20 messages: HELVE_ONCE holds ")
}

// TestUnusableStream: a bucket that Helve does not make again is deleted.
func TestUnusableStream(t *testing.T) {
	t.Parallel()
	c, _, q := checker(t)
	queuetest.Until(t, "the streams were looked at", func() bool { return len(q.Conditions()) > 0 })
	if err := q.Conn.JetStream().DeleteStream(t.Context(), "KV_helve_grants"); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the bucket is found missing", func() bool {
		return slices.ContainsFunc(q.Conditions(), func(s streams.Condition) bool { return s.Problem != "" })
	})
	wants(t, c, "streams", protocol.FindingError, "stream KV_helve_grants is missing: something deleted it. It held grants")
	for _, f := range c.Check(t.Context()).Findings {
		if strings.Contains(f.Message, "KV_helve_grants") && !strings.HasPrefix(f.Advice, "restore it from a backup") {
			t.Errorf("the advice is %q", f.Advice)
		}
	}
}

// TestRefusedCredential: the server has permissions of another version of Helve, without
// those for orders to workers.
func TestRefusedCredential(t *testing.T) {
	t.Parallel()
	local := natsauth.Local{Dir: t.TempDir(), Prefix: "helve.v1", Pools: []string{"default"}}
	credentials, err := local.Users()
	if err != nil {
		t.Fatal(err)
	}
	var users []embedded.User
	for _, u := range credentials {
		u.May.Publish = slices.DeleteFunc(u.May.Publish, func(s string) bool { return strings.HasPrefix(s, "$KV.helve_orders.") })
		users = append(users, embedded.User{Key: u.Key, Publish: u.May.Publish, Subscribe: u.May.Subscribe, Answer: u.May.Answer})
	}
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), MaxStore: queuetest.Store, Users: users})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	if err := local.Write(srv.URL()); err != nil {
		t.Fatal(err)
	}
	c, _, _ := checker(t)
	c.Queue = queuetest.Connect(t, srv, func(o *queue.Options) { o.URL, o.Context = "", local.DispatcherContext() })
	// The client library makes the consumer of a watch again so after an outage.
	for _, stream := range []string{"KV_" + natsio.BucketLeases, "KV_" + streams.BucketWorkers, streams.Consent} {
		ask := fmt.Sprintf(`{"stream_name":%q,"config":{"ack_policy":"none","inactive_threshold":1000000000}}`, stream)
		if _, err := c.Queue.Conn.NATS().Request("$JS.API.CONSUMER.CREATE."+stream, []byte(ask), queuetest.Patience); err != nil {
			t.Errorf("a consumer of %s without a name: %v", stream, err)
		}
	}
	wants(t, c, "permissions", protocol.FindingOK, "nothing was refused")
	bucket, err := c.Queue.Conn.Bucket(t.Context(), streams.BucketOrders)
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context()) // a refused write gets no answer
	defer cancel()
	go func() { refused <- bucket.Put(ctx, "pool.default", []byte("{}")) }()
	queuetest.Until(t, "the refusal is found", func() bool { return c.permissions(t.Context())[0].Level == protocol.FindingError })
	wants(t, c, "permissions", protocol.FindingError, "$KV.helve_orders.pool.default")
	if err := natsio.Forbidden(c.Queue.Conn, time.Now().Add(time.Hour)); err != nil {
		t.Errorf("an hour later the refusal still counts: %v", err)
	}
	cancel()
	if err := queuetest.Receive(t, refused, "end of the request"); err == nil {
		t.Error("the order was stored")
	}
}

// TestReplicas: of three NATS servers one stops, then a second one.
func TestReplicas(t *testing.T) {
	t.Parallel()
	servers := cluster(t)
	c, _, _ := checker(t)
	q := queuetest.Connect(t, servers[0], func(o *queue.Options) { o.Replicas = 3 })
	c.Queue = q
	// As long as a part may take: a request to a server that has just stopped gets no answer.
	look := func(part func(context.Context) []protocol.Finding) protocol.Finding {
		ctx, cancel := context.WithTimeout(t.Context(), partTimeout)
		defer cancel()
		return part(ctx)[0]
	}
	current := func() bool { return look(c.replicas).Level == protocol.FindingOK }
	queuetest.Until(t, "all copies are current", current)
	wants(t, c, "replicas", protocol.FindingOK, "each stream is on 3 of the NATS servers")
	servers[2].Stop()
	queuetest.Until(t, "the copies of the stopped server are found", func() bool {
		return strings.Contains(look(c.replicas).Message, "are away or behind: s2")
	})
	servers[1].Stop()
	queuetest.Until(t, "streams without a quorum are found", func() bool {
		found := look(c.streams)
		return found.Level == protocol.FindingError && strings.Contains(found.Message, "stream HELVE_") &&
			strings.Contains(found.Advice, "start th")
	})
}

// cluster starts three servers, s0, s1 and s2.
func cluster(t *testing.T) (servers [3]*embedded.Server) {
	t.Helper()
	testtime.Slow(t, "it starts a cluster of NATS servers")
	var routes []string
	for range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, l.Addr().String())
		_ = l.Close()
	}
	var starting sync.WaitGroup
	for i := range servers {
		own := append([]string{routes[i]}, slices.Concat(routes[:i], routes[i+1:])...)
		starting.Go(func() {
			srv, err := embedded.Start(embedded.Options{
				Addr: "127.0.0.1:0", Dir: filepath.Join(t.TempDir(), "nats"), MaxStore: queuetest.Store, Name: fmt.Sprint("s", i), Routes: own,
			})
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = srv
		})
	}
	starting.Wait()
	for _, srv := range servers {
		if srv == nil {
			t.FailNow()
		}
		t.Cleanup(srv.Stop)
	}
	return servers
}
