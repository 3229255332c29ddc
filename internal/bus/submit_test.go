package bus_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// call returns a call of tenant acme for the tool echo of the default pool.
func call(id string) *bus.Envelope {
	return &bus.Envelope{
		CallID: id, TraceID: strings.Repeat("a", 32), Tool: "echo", Origin: "d-1",
		Arguments: jsontext.Value(`{"n":1}`), AcceptedMS: time.Now().UnixMilli(), StartByMS: time.Now().Add(time.Hour).UnixMilli(),
		Tenant: "acme", Pool: "default",
	}
}

// submit puts a call onto the queue and returns what the bus said of it.
func submit(t testing.TB, b *bus.Bus, e *bus.Envelope) error {
	t.Helper()
	done := make(chan error, 2)
	b.Submit(e, func(err error) { done <- err })
	err := bustest.Receive(t, done, "acknowledgement")
	if len(done) != 0 {
		t.Errorf("done was called again, with %v", <-done)
	}
	return err
}

func TestSubmitToAFullQueue(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t), func(o *bus.Options) { o.CallsMaxBytes = 4096 })
	const most = 100
	for i := range most {
		if err := submit(t, b, call(fmt.Sprint("c", i))); err != nil {
			if !errors.Is(err, bus.ErrFull) {
				t.Errorf("Submit to a full queue = %v, want ErrFull", err)
			}
			return
		}
	}
	t.Errorf("a queue of 4096 bytes took %d calls", most)
}

func TestSubmitWithoutAStream(t *testing.T) {
	t.Parallel()
	b := bustest.Open(t, bustest.Server(t))
	if err := submit(t, b, call("c")); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Submit without a stream = %v, want ErrUnavailable", err)
	}
}

func TestSubmitOnAClosedBus(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	b.Close()
	if err := submit(t, b, call("c")); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Submit on a closed bus = %v, want ErrUnavailable", err)
	}
}

func TestSubmitOfWhatDoesNotEncode(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	e := call("c")
	e.Arguments = jsontext.Value(`{"broken`)
	if err := submit(t, b, e); err == nil {
		t.Error("Submit of broken arguments succeeded, want an error")
	}
}

// TestSubmitAgainIsOneCopyPerTenant: the id of duplicates holds the tenant, or
// one tenant's repair would swallow another's call.
func TestSubmitAgainIsOneCopyPerTenant(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	for _, tenant := range []string{"acme", "acme", "other"} {
		e := call("c")
		e.Tenant, e.Again = tenant, true
		if err := submit(t, b, e); err != nil {
			t.Fatal(err)
		}
	}
	s, err := b.JetStream().Stream(bustest.Context(t), bus.StreamCalls)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 2 {
		t.Errorf("%d calls are queued, want 2: one for each tenant", n)
	}
}

// TestAcksAreGivenUpWhenTheBusCloses: nobody waits for a closed connection.
func TestAcksAreGivenUpWhenTheBusCloses(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	srv.Stop()
	done := make(chan error, 1)
	b.Submit(call("c"), func(err error) { done <- err })
	b.Close()
	if err := bustest.Receive(t, done, "answer"); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("Submit that was cut off = %v, want ErrUnavailable", err)
	}
}
