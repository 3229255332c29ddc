package e2e

import (
	"fmt"
	"sync"
	"testing"
)

func TestCallIDRunsOnce(t *testing.T) {
	t.Parallel()
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		first := one(t, d, tenant, call)
		wantResult(t, first, `{"written":true}`)
		for name, again := range map[string]door{"same": d, "second dispatcher": shared.http(1), "nats": shared.nats()} {
			if e := one(t, again, tenant, call); e.String() != first.String() || e.Worker != first.Worker {
				t.Errorf("%s: sent again, the call ended as %v, want the stored %v", name, e, first)
			}
		}
		// The same arguments in another spelling are the same arguments.
		wantResult(t, one(t, d, tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": "{ \"key\" : \"k\" }"}`), `{"written":true}`)
		shared.wantLedger(t, tenant, "k c1")
	})
}

func TestCallIDWithSomethingElse(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		wantResult(t, one(t, d, tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`), `{"written":true}`)
		for _, other := range []string{
			`{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "other"}}`,
			`{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 1}}`,
			`{"call_id": "c1", "tool": "debug.echo", "arguments": {"key": "k"}}`,
		} {
			for _, door := range []door{d, shared.http(1)} {
				wantError(t, one(t, door, tenant, other), "validation_error", "'c1' was already used")
			}
		}
		shared.wantLedger(t, tenant, "k c1")
	})
}

// TestCallIDJoinsTheRunningCall sends one call_id to both dispatchers, over
// both doors, while it runs.
func TestCallIDJoinsTheRunningCall(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	events := shared.listen(t, tenant)
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 700}}`
	queue(t, shared.http(0), tenant, call)
	events.until("started", "c1")

	got := make([]element, 9)
	var all sync.WaitGroup
	for i := range got {
		d := []door{shared.http(0), shared.http(1), shared.nats()}[i%3]
		all.Go(func() { got[i] = one(t, d, tenant, call) })
	}
	other := one(t, shared.http(1), tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "other"}}`)
	wantError(t, other, "validation_error", "'c1' was already used")
	all.Wait()
	for _, e := range got {
		wantResult(t, e, `{"written":true}`)
	}
	events.until("done", "c1")
	if n := events.count("started", "c1"); n != 1 {
		t.Errorf("the call started %d times, want once", n)
	}
	shared.wantLedger(t, tenant, "k c1")
}

// TestCallIDRace sends one new call_id many times at once.
func TestCallIDRace(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
	got := make([]element, 30)
	var all sync.WaitGroup
	for i := range got {
		d := []door{shared.http(0), shared.http(1), shared.nats()}[i%3]
		all.Go(func() { got[i] = one(t, d, tenant, call) })
	}
	all.Wait()
	for _, e := range got {
		wantResult(t, e, `{"written":true}`)
	}
	shared.wantLedger(t, tenant, "k c1")
}

func TestCallIDTwiceInOneRequest(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
		for _, e := range together(t, d, tenant, call, call, call) {
			wantResult(t, e, `{"written":true}`)
		}
		shared.wantLedger(t, tenant, "k c1")
	})
}

// TestMadeCallIDCanBeSentAgain uses the call_id that a dispatcher made, once
// the call is done and while it is pending.
func TestMadeCallIDCanBeSentAgain(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		for name, first := range map[string]func(tenant, call string) element{
			"done":    func(tenant, call string) element { return one(t, d, tenant, call) },
			"pending": func(tenant, call string) element { return queue(t, d, tenant, call) },
		} {
			tenant := newTenant()
			made := first(tenant, `{"tool": "debug.effect", "arguments": {"key": "k", "before_ms": 50}}`).CallID
			again := fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 50}}`, made)
			for _, door := range []door{d, shared.http(1)} {
				wantResult(t, one(t, door, tenant, again), `{"written":true}`)
			}
			wantError(t, one(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.echo"}`, made)), "validation_error", "was already used")
			shared.wantLedger(t, tenant, "k "+made)
			if t.Failed() {
				t.Fatalf("first call %s", name)
			}
		}
	})
}

// TestRefusedCallIDIsFree: what was never accepted does not take its call_id.
func TestRefusedCallIDIsFree(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		wantError(t, one(t, d, tenant, `{"call_id": "c1", "tool": "nope"}`), "tool_not_found", "nope")
		wantResult(t, one(t, d, tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	})
}
