package calls

import (
	"fmt"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestCallIDRunsOnce(t *testing.T) {
	t.Parallel()
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		first := system.One(t, d, tenant, call)
		system.WantResult(t, first, `{"written":true}`)
		for name, again := range map[string]system.Door{"same": d, "second dispatcher": shared.HTTP(1), "nats": shared.NATS()} {
			if e := system.One(t, again, tenant, call); e.String() != first.String() || e.Worker != first.Worker {
				t.Errorf("%s: sent again, the call ended as %v, want the stored %v", name, e, first)
			}
		}
		// The same arguments in another notation are the same arguments.
		system.WantResult(t, system.One(t, d, tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": "{ \"key\" : \"k\" }"}`),
			`{"written":true}`)
		shared.WantLedger(t, tenant, "k c1")
	})
}

func TestCallIDWithSomethingElse(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		system.WantResult(t, system.One(t, d, tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`), `{"written":true}`)
		for _, other := range []string{
			`{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "other"}}`,
			`{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 1}}`,
			`{"call_id": "c1", "tool": "debug.echo", "arguments": {"key": "k"}}`,
		} {
			for _, door := range []system.Door{d, shared.HTTP(1)} {
				system.WantError(t, system.One(t, door, tenant, other), "validation_error", "'c1' was already used")
			}
		}
		shared.WantLedger(t, tenant, "k c1")
	})
}

// TestCallIDWithAnotherNumber sends different numbers with the same 64-bit float.
func TestCallIDWithAnotherNumber(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		const call = `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": %s}}`
		system.WantResult(t, system.One(t, d, tenant, fmt.Sprintf(call, "9007199254740993")), `9007199254740993`)
		system.WantResult(t, system.One(t, d, tenant, fmt.Sprintf(call, "9007199254740993.0")), `9007199254740993`) // the same number
		system.WantError(t, system.One(t, d, tenant, fmt.Sprintf(call, "9007199254740992")), "validation_error", "'c1' was already used")
	})
}

// TestCallIDJoinsTheRunningCall sends one call_id to both dispatchers, through both doors,
// while it runs.
func TestCallIDJoinsTheRunningCall(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	events := shared.Listen(t, tenant)
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 700}}`
	system.Enqueue(t, shared.HTTP(0), tenant, call)
	events.Until("started", "c1")

	got := make([]system.Element, 9)
	var all sync.WaitGroup
	for i := range got {
		d := []system.Door{shared.HTTP(0), shared.HTTP(1), shared.NATS()}[i%3]
		all.Go(func() { got[i] = system.One(t, d, tenant, call) })
	}
	other := system.One(t, shared.HTTP(1), tenant, `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "other"}}`)
	system.WantError(t, other, "validation_error", "'c1' was already used")
	system.Await(t, "every caller has an answer", all.Wait)
	for _, e := range got {
		system.WantResult(t, e, `{"written":true}`)
	}
	events.Until("done", "c1")
	if n := events.Count("started", "c1"); n != 1 {
		t.Errorf("the call started %d times, want once", n)
	}
	shared.WantLedger(t, tenant, "k c1")
}

// TestCallIDRace sends one new call_id many times concurrently.
func TestCallIDRace(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
	got := make([]system.Element, 30)
	var all sync.WaitGroup
	for i := range got {
		d := []system.Door{shared.HTTP(0), shared.HTTP(1), shared.NATS()}[i%3]
		all.Go(func() { got[i] = system.One(t, d, tenant, call) })
	}
	system.Await(t, "every caller has an answer", all.Wait)
	for _, e := range got {
		system.WantResult(t, e, `{"written":true}`)
	}
	shared.WantLedger(t, tenant, "k c1")
}

func TestCallIDTwiceInOneRequest(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		const call = `{"call_id": "c1", "tool": "debug.effect", "arguments": {"key": "k"}}`
		for _, e := range system.Together(t, d, tenant, call, call, call) {
			system.WantResult(t, e, `{"written":true}`)
		}
		shared.WantLedger(t, tenant, "k c1")
	})
}

// TestMadeCallIDCanBeSentAgain uses the call_id that a dispatcher generated, once the call
// is done and while it is pending.
func TestMadeCallIDCanBeSentAgain(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		for name, first := range map[string]func(tenant, call string) system.Element{
			"done":    func(tenant, call string) system.Element { return system.One(t, d, tenant, call) },
			"pending": func(tenant, call string) system.Element { return system.Enqueue(t, d, tenant, call) },
		} {
			tenant := system.NewTenant()
			made := first(tenant, `{"tool": "debug.effect", "arguments": {"key": "k", "before_ms": 50}}`).CallID
			again := fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 50}}`, made)
			for _, door := range []system.Door{d, shared.HTTP(1)} {
				system.WantResult(t, system.One(t, door, tenant, again), `{"written":true}`)
			}
			system.WantError(t, system.One(t, d, tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.echo"}`, made)), "validation_error",
				"was already used")
			shared.WantLedger(t, tenant, "k "+made)
			if t.Failed() {
				t.Fatalf("first call %s", name)
			}
		}
	})
}

// TestRefusedCallIDIsFree: a refused call does not use up its call_id.
func TestRefusedCallIDIsFree(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		system.WantError(t, system.One(t, d, tenant, `{"call_id": "c1", "tool": "nope"}`), "tool_not_found", "nope")
		system.WantResult(t, system.One(t, d, tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
	})
}
