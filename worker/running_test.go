package worker

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/internal/engine"
)

// TestCancel: a call that runs is stopped, and may come again: it can be on its
// way to a person. One that does not run is remembered.
func TestCancel(t *testing.T) {
	t.Parallel()
	w := &Worker{bus: bustest.Open(t, bustest.Server(t))}
	w.running.calls = map[string]*attempt{}
	ctx, stop := context.WithCancelCause(t.Context())
	run := &attempt{delivery: &bus.Delivery{Envelope: &bus.Envelope{Tenant: "acme", CallID: "runs", Tool: "look", Origin: "d-1"}}, stop: stop}
	w.running.add(run)

	if h := w.cancel("acme", "runs"); h == nil || !reflect.DeepEqual(*h, bus.Held{State: bus.StateRunning, Origin: "d-1", Tool: "look", By: w.ID()}) {
		t.Errorf("cancel of a running call = %+v, want who has it", h)
	}
	if !errors.Is(context.Cause(ctx), engine.ErrCancelled) {
		t.Errorf("a cancelled call goes on: %v", context.Cause(ctx))
	}
	if w.refused.has(key("acme", "runs")) {
		t.Error("the next delivery of a call that ran would be refused")
	}
	if h := w.cancel("acme", "queued"); h != nil {
		t.Errorf("cancel of a call that is not here = %+v, want nothing", h)
	}
	if !w.refused.has(key("acme", "queued")) || w.refused.has(key("other", "queued")) {
		t.Error("only the call that was cancelled before it came here is to be remembered")
	}
}
