package natsauth

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
)

// queueOf returns a queue with the credential whose files have this name.
func (s *system) queueOf(t *testing.T, role Role, file string) *queue.Queue {
	t.Helper()
	cfg := config.Default()
	cfg.NATS.Context = s.dir + "/contexts/" + file + ".json"
	q, err := queue.Connect(queue.FromConfig(cfg, string(role), nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// TestDirectCall: a dispatcher hands a call to a worker of the pool, which may decline it.
func TestDirectCall(t *testing.T) {
	t.Parallel()
	d, w := shared.queueOf(t, Dispatcher, string(Dispatcher)), shared.queueOf(t, Worker, PoolWorker("gpu").Name)
	if err := d.Calls.EnsurePool(t.Context(), "gpu"); err != nil {
		t.Fatal(err)
	}
	c, err := w.Calls.Consume("gpu", 4, func(d *queue.Delivery) { d.Release(); d.Retry(0) }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in, err := d.Results.OpenInbox(func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the dispatcher knows that it may hand calls over", in.MaySendDirect)
	// Receivers of other tests share the pool and may take a call, so each attempt is another call.
	attempt := 0
	until(t, "a worker declines the call", func() bool {
		attempt++
		now := time.Now().UnixMilli()
		e := &call.Call{
			ID: fmt.Sprintf("direct-%d", attempt), TraceID: "t", Tool: "debug.echo", Origin: d.Conn.ID(), Tenant: "acme", Pool: "gpu",
			AcceptedMS: now, StartByMS: now + 60_000,
		}
		got, refused := make(chan []byte, 2), make(chan error, 1)
		in.Expect(e.Tenant, e.ID, e.Tool, e.Pool, nil, got, nil)
		if err := in.SendDirect(e, got, refused); err != nil {
			t.Fatal(err)
		}
		select {
		case why := <-refused:
			return why == queue.Unfit // of the handler above
		case <-time.After(time.Second):
			return false
		}
	})
}

// TestDirectCallsOfAPool: a worker's credential receives direct calls of its own pools, and
// only as one of their workers.
func TestDirectCallsOfAPool(t *testing.T) {
	t.Parallel()
	for pool, own := range map[string]bool{"default": false, "gpu": true} {
		c := shared.as(t, PoolWorker("gpu").Name)
		subject := "helve.v1.*.direct." + pool + ".>"
		_, err := c.QueueSubscribeSync(subject, queue.QueueDirect)
		if err := errors.Join(err, c.FlushTimeout(patience())); err != nil {
			t.Fatal(err)
		}
		if refused := c.wasRefused(subject); refused == own {
			t.Errorf("receiving direct calls of the pool %s: refused is %v, want %v", pool, refused, !own)
		}
		c.Close()
	}
}

// TestStolenWorkerHandsNothing: a message that the server was made to publish runs nothing.
func TestStolenWorkerHandsNothing(t *testing.T) {
	t.Parallel()
	thief := shared.as(t, string(Worker))
	thief.deputy(t, "hand", "helve.v1.acme.direct.default.quick.debug.guarded",
		`{"call_id": "t-hand", "trace_id": "t", "origin": "d", "tool": "debug.guarded", "arguments": {"key": "k"}, "accepted_ms": 1, "start_by_ms": 9999999999999}`)
	until(t, "the message is refused", func() bool {
		return strings.Contains(shared.logs.String(), "direct call refused: JetStream was made to publish it")
	})
}
