package bus_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// holds makes b answer that it has the call acme/c in state.
func holds(t *testing.T, b *bus.Bus, state string) *bus.Held {
	t.Helper()
	h := &bus.Held{State: state, Origin: "d-1", Tool: "echo", By: b.ID()}
	find := func(tenant, callID string) *bus.Held {
		if tenant != "acme" || callID != "c" {
			return nil
		}
		return h
	}
	if err := b.ServeProbe(find); err != nil {
		t.Fatal(err)
	}
	if err := b.ServeCancel(find); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(bustest.Context(t)); err != nil { // the server knows of it now
		t.Fatal(err)
	}
	return h
}

func TestHolderAnswers(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	asks, dispatcher, worker := bustest.Connect(t, srv), bustest.Connect(t, srv), bustest.Connect(t, srv)
	ctx := bustest.Context(t)
	if got := asks.Probe(ctx, "acme", "c"); got != nil {
		t.Errorf("Probe with nobody there = %+v, want nil", got)
	}
	waits := holds(t, dispatcher, bus.StateQueued)
	if diff := cmp.Diff(waits, asks.Probe(ctx, "acme", "c")); diff != "" {
		t.Errorf("Probe of a call somebody waits for (-want +got):\n%s", diff)
	}
	runs := holds(t, worker, bus.StateRunning)
	for name, got := range map[string]*bus.Held{
		"Probe":                  asks.Probe(ctx, "acme", "c"),
		"Cancel":                 asks.Cancel(ctx, "acme", "c"),
		"ProbeOthers":            asks.ProbeOthers(ctx, "acme", "c"),
		"the dispatcher's Probe": dispatcher.Probe(ctx, "acme", "c"),
	} {
		if diff := cmp.Diff(runs, got); diff != "" {
			t.Errorf("%s: a worker that runs the call settles it (-want +got):\n%s", name, diff)
		}
	}
	for name, got := range map[string]*bus.Held{
		"another call":             asks.Probe(ctx, "acme", "c2"),
		"another tenant":           asks.Probe(ctx, "other", "c"),
		"cancel of another call":   asks.Cancel(ctx, "acme", "c2"),
		"cancel of another tenant": asks.Cancel(ctx, "other", "c"),
	} {
		if got != nil {
			t.Errorf("%s: %+v, want nil", name, got)
		}
	}
}

func TestProbeOthersSkipsItself(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	one, two := bustest.Connect(t, srv), bustest.Connect(t, srv)
	mine := holds(t, one, bus.StateRunning)
	if got := one.ProbeOthers(bustest.Context(t), "acme", "c"); got != nil {
		t.Errorf("ProbeOthers = %+v, want nil: only this process has the call", got)
	}
	if diff := cmp.Diff(mine, two.ProbeOthers(bustest.Context(t), "acme", "c")); diff != "" {
		t.Errorf("another process's ProbeOthers (-want +got):\n%s", diff)
	}
}

func TestProbeOnAClosedBus(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	b.Close()
	if got := b.Probe(t.Context(), "acme", "c"); got != nil {
		t.Errorf("Probe on a closed bus = %+v, want nil", got)
	}
}
