package sandbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// TestReserve: a run uses the slot that was reserved for it, once, and an unused slot is
// freed.
func TestReserve(t *testing.T) {
	t.Parallel()
	p := newPool(t, sandbox.Options{Slots: 1})
	job := sandbox.Job{Tenant: "t", User: "u", Code: "return 1"}
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	slot, err := p.Reserve(t.Context(), "t", "u", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, busy := p.Stats(); busy != 1 {
		t.Errorf("%d slots are taken, want the reserved one", busy)
	}
	_, err = p.Run(short(), job)
	wants(t, err, tool.Overloaded, "was not started")
	_, err = p.Reserve(short(), "t", "u", 0)
	wants(t, err, tool.Overloaded, "was not started")
	other := job
	other.User = "v"
	_, err = p.Run(slot.With(short()), other) // it belongs to another user
	wants(t, err, tool.Overloaded, "was not started")

	if v, err := p.Run(slot.With(t.Context()), job); err != nil || string(v) != "1" {
		t.Errorf("Run = %s, %v, want 1", v, err)
	}
	slot.Release()
	if _, busy := p.Stats(); busy != 0 {
		t.Errorf("%d slots are taken after the run, want none", busy)
	}
	if v, err := p.Run(slot.With(t.Context()), job); err != nil || string(v) != "1" { // with a slot of its own
		t.Errorf("Run = %s, %v, want 1", v, err)
	}

	unused, err := p.Reserve(t.Context(), "t", "u", 0)
	if err != nil {
		t.Fatal(err)
	}
	unused.Release()
	unused.Release()
	if _, busy := p.Stats(); busy != 0 {
		t.Errorf("%d slots are taken after the release, want none", busy)
	}
}
