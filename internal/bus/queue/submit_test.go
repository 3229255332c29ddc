package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/call"
)

// newCall returns a call of tenant acme for the tool echo of the default pool.
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
	done := make(chan error, 2)
	q.Calls.Submit(e, func(err error) { done <- err })
	err := queuetest.Receive(t, done, "acknowledgement")
	if len(done) != 0 {
		t.Errorf("done was called again, with %v", <-done)
	}
	return err
}

func TestSubmitToAFullQueue(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t), func(o *queue.Options) { o.CallsMaxBytes = 4096 })
	const most = 100
	for i := range most {
		if err := submit(t, q, newCall(fmt.Sprint("c", i))); err != nil {
			if !errors.Is(err, natsio.ErrFull) {
				t.Errorf("Submit to a full queue = %v, want ErrFull", err)
			}
			return
		}
	}
	t.Errorf("a queue of 4096 bytes took %d calls", most)
}

func TestSubmitWithoutAStream(t *testing.T) {
	t.Parallel()
	q := queuetest.Open(t, queuetest.Server(t))
	if err := submit(t, q, newCall("c")); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Submit without a stream = %v, want ErrUnavailable", err)
	}
}

func TestSubmitOnAClosedBus(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	q.Close()
	if err := submit(t, q, newCall("c")); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Submit on a closed queue = %v, want ErrUnavailable", err)
	}
}

func TestSubmitOfWhatDoesNotEncode(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	e := newCall("c")
	e.Arguments = jsontext.Value(`{"broken`)
	if err := submit(t, q, e); err == nil {
		t.Error("Submit of broken arguments succeeded, want an error")
	}
}

// TestSubmitAgainIsOneCopyPerTenant: the id of duplicates contains the tenant, otherwise
// one tenant's repair would suppress another's call.
func TestSubmitAgainIsOneCopyPerTenant(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	for _, tenant := range []string{"acme", "acme", "other"} {
		e := newCall("c")
		e.Tenant, e.Copy = tenant, true
		if err := submit(t, q, e); err != nil {
			t.Fatal(err)
		}
	}
	s, err := q.Conn.JetStream().Stream(queuetest.Context(t), streams.Calls)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 2 {
		t.Errorf("%d calls are queued, want 2: one for each tenant", n)
	}
}

// TestAcksAreGivenUpWhenTheBusCloses: no goroutine waits for a closed connection.
func TestAcksAreGivenUpWhenTheBusCloses(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	srv.Stop()
	done := make(chan error, 1)
	q.Calls.Submit(newCall("c"), func(err error) { done <- err })
	q.Close()
	if err := queuetest.Receive(t, done, "answer"); !errors.Is(err, natsio.ErrUnavailable) {
		t.Errorf("Submit that was cut off = %v, want ErrUnavailable", err)
	}
}
