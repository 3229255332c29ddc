package dispatch

import (
	"context"
	"errors"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// TestEvents: a listener receives the events of the calls that it may see.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.d.Queue.Events.ServeReplay(); err != nil {
		t.Fatal(err)
	}
	req := request(sent("c1", "echo", `{}`))
	req.TraceID = "0af7651916cd43dd8448eb211c80319c"
	listen := func(ctx context.Context, seen chan Event) error {
		return w.d.Events(ctx, "acme", req.TraceID, "", func(e Event) error { seen <- e; return nil })
	}
	ctx, cancel := context.WithCancel(as(t, "ann"))
	defer cancel()
	own, theirs, all := make(chan Event, 100), make(chan Event, 100), make(chan Event, 100)
	ended := make(chan error, 3)
	go func() { ended <- listen(ctx, own) }()
	go func() { ended <- listen(identity.With(ctx, identity.Of(as(t, "bob"))), theirs) }()
	go func() { ended <- listen(identity.With(ctx, identity.Of(as(t, "eve", identity.Auditor))), all) }()
	w.execute(local(t), t, w.d, req)
	if e := queuetest.Receive(t, own, "event"); e.Type != protocol.EventQueued || e.ID == "" || len(e.Data) == 0 {
		t.Errorf("the first event is %+v", e)
	}
	queuetest.Receive(t, all, "event for the auditor")
	cancel()
	for range 3 {
		if err := queuetest.Receive(t, ended, "end"); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Events = %v", err)
		}
	}
	if len(theirs) > 0 {
		t.Errorf("somebody else receives %+v", <-theirs)
	}
}
