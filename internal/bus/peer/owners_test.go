package peer_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/protocol"
)

// holds makes q answer that it has the call acme/c in state.
func holds(t *testing.T, q *queue.Queue, state string) *call.Owner {
	t.Helper()
	h := &call.Owner{State: state, Origin: "d-1", Tool: "echo", By: q.Conn.ID()}
	find := func(tenant, callID string) *call.Owner {
		if tenant != "acme" || callID != "c" {
			return nil
		}
		return h
	}
	if err := q.Owners.ServeProbe(find); err != nil {
		t.Fatal(err)
	}
	if err := q.Owners.ServeCancel(find); err != nil {
		t.Fatal(err)
	}
	if err := q.Check(queuetest.Context(t)); err != nil { // the server has processed it now
		t.Fatal(err)
	}
	return h
}

func TestHolderAnswers(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	asks, dispatcher, worker := queuetest.Connect(t, srv), queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	ctx := queuetest.Context(t)
	if got := asks.Owners.Find(ctx, "acme", "c"); got != nil {
		t.Errorf("Probe with nobody there = %+v, want nil", got)
	}
	waits := holds(t, dispatcher, protocol.StateQueued)
	if diff := cmp.Diff(waits, asks.Owners.Find(ctx, "acme", "c")); diff != "" {
		t.Errorf("Probe of a call somebody waits for (-want +got):\n%s", diff)
	}
	runs := holds(t, worker, protocol.StateRunning)
	for name, got := range map[string]*call.Owner{
		"Probe":                  asks.Owners.Find(ctx, "acme", "c"),
		"Cancel":                 asks.Owners.Cancel(ctx, "acme", "c"),
		"ProbeOthers":            asks.Owners.FindOther(ctx, "acme", "c"),
		"the dispatcher's Probe": dispatcher.Owners.Find(ctx, "acme", "c"),
	} {
		if diff := cmp.Diff(runs, got); diff != "" {
			t.Errorf("%s: a worker that runs the call settles it (-want +got):\n%s", name, diff)
		}
	}
	for name, got := range map[string]*call.Owner{
		"another call":             asks.Owners.Find(ctx, "acme", "c2"),
		"another tenant":           asks.Owners.Find(ctx, "other", "c"),
		"cancel of another call":   asks.Owners.Cancel(ctx, "acme", "c2"),
		"cancel of another tenant": asks.Owners.Cancel(ctx, "other", "c"),
	} {
		if got != nil {
			t.Errorf("%s: %+v, want nil", name, got)
		}
	}
}

func TestProbeOthersSkipsItself(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	one, two := queuetest.Connect(t, srv), queuetest.Connect(t, srv)
	mine := holds(t, one, protocol.StateRunning)
	if got := one.Owners.FindOther(queuetest.Context(t), "acme", "c"); got != nil {
		t.Errorf("ProbeOthers = %+v, want nil: only this process has the call", got)
	}
	if diff := cmp.Diff(mine, two.Owners.FindOther(queuetest.Context(t), "acme", "c")); diff != "" {
		t.Errorf("another process's ProbeOthers (-want +got):\n%s", diff)
	}
}

func TestProbeOnAClosedBus(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	q.Close()
	if got := q.Owners.Find(t.Context(), "acme", "c"); got != nil {
		t.Errorf("Probe on a closed queue = %+v, want nil", got)
	}
}

// TestCancelOfWhatACallMade: processes receive the cancellation of the nested calls of the
// cancelled call, and of no others, whatever its owner answers.
func TestCancelOfWhatACallMade(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	holder, q := queuetest.Open(t, srv), queuetest.Open(t, srv)
	if err := holder.Owners.ServeCancel(func(_, callID string) *call.Owner {
		if callID != "c1" {
			return nil
		}
		return &call.Owner{State: protocol.StateRunning, By: "w", Inner: []string{"c1~1~2", "c2~1", "c1~>", "c1~a", "c1"}}
	}); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	heard := make(chan *nats.Msg, 10)
	if _, err := nc.ChanSubscribe("helve.v1.acme.cancel.>", heard); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(nc.Flush(), holder.Conn.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if h := q.Owners.Cancel(queuetest.Context(t), "acme", "c1"); h == nil || h.By != "w" {
		t.Fatalf("Cancel = %+v", h)
	}
	q.Owners.Cancel(queuetest.Context(t), "acme", "end")
	for _, want := range []string{"c1", "c1~1~2", "end"} {
		if got := queuetest.Receive(t, heard, "cancellation").Subject; got != "helve.v1.acme.cancel."+want {
			t.Errorf("a process heard %s, want %s", got, want)
		}
	}
}
