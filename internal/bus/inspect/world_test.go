package inspect_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
)

// connect returns a queue on srv that delivers no call again while a test runs.
func connect(t testing.TB, srv *embedded.Server) *queue.Queue {
	t.Helper()
	return queuetest.Connect(t, srv, func(o *queue.Options) { o.AckWait = time.Hour })
}

func newCall(id string) *call.Call {
	return &call.Call{
		ID: id, TraceID: strings.Repeat("a", 32), Tool: "echo", Origin: "d-1",
		Arguments: jsontext.Value(`{"n":1}`), AcceptedMS: time.Now().UnixMilli(), StartByMS: time.Now().Add(time.Hour).UnixMilli(),
		Tenant: "acme", Pool: "default",
	}
}

// submit puts a call onto the queue and returns the answer of NATS.
func submit(t testing.TB, q *queue.Queue, e *call.Call) error {
	t.Helper()
	done := make(chan error, 1)
	q.Calls.Submit(e, func(err error) { done <- err })
	return queuetest.Receive(t, done, "acknowledgement")
}

// consume takes calls of the default pool and passes them to the test.
func consume(t testing.TB, q *queue.Queue, slots int) (*queue.Consumer, <-chan *queue.Delivery) {
	t.Helper()
	taken := make(chan *queue.Delivery, 1000)
	if err := q.Calls.EnsurePool(queuetest.Context(t), "default"); err != nil {
		t.Fatal(err)
	}
	c, err := q.Calls.Consume("default", slots, func(d *queue.Delivery) { taken <- d }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return c, taken
}

// settled ends a call as a worker does.
func settled(d *queue.Delivery) { d.Release(); d.Ack() }
