package calls

import (
	"fmt"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestCancelWhileRunning(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]system.Door{"http": shared.HTTP(0), "second dispatcher": shared.HTTP(1), "nats": shared.NATS()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tenant := system.NewTenant()
			events := shared.Listen(t, tenant)
			const call = `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`
			system.Enqueue(t, shared.HTTP(0), tenant, call)
			events.Until("started", "c1")
			system.WantError(t, system.ByID(t, d, "calls.cancel", tenant, "c1"), "cancelled", "")
			system.WantError(t, system.ByID(t, d, "calls.cancel", tenant, "c1"), "cancelled", "")
			system.WantError(t, system.ByID(t, d, "calls.get", tenant, "c1"), "cancelled", "")
			system.WantError(t, system.One(t, d, tenant, call), "cancelled", "")
			events.Until("done", "c1")
		})
	}
}

func TestCancelAfterTheEnd(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		system.WantResult(t, system.One(t, d, tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
		for range 2 {
			e := system.ByID(t, d, "calls.cancel", tenant, "c1")
			system.WantResult(t, e, "1")
			if e.State != "done" {
				t.Errorf("state = %q, want done", e.State)
			}
		}
	})
}

// TestCancelWithoutReply: a cancel can be a plain message, without a request to an API.
func TestCancelWithoutReply(t *testing.T) {
	t.Parallel()
	tenant := system.NewTenant()
	events := shared.Listen(t, tenant)
	system.Enqueue(t, shared.HTTP(0), tenant, `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	events.Until("started", "c1")
	if err := shared.Conn.Publish("helve.v1."+tenant+".cancel.c1", nil); err != nil {
		t.Fatal(err)
	}
	system.WantError(t, system.Settled(t, shared.HTTP(0), tenant, "c1"), "cancelled", "")
}

// TestCancelOfEffect: before the tool wrote, it did nothing, but only the tool could report
// that; after it wrote, its own outcome counts.
func TestCancelOfEffect(t *testing.T) {
	t.Parallel()
	system.EveryDoor(t, shared, func(t *testing.T, d system.Door) {
		tenant := system.NewTenant()
		events := shared.Listen(t, tenant)
		system.Enqueue(t, d, tenant, `{"call_id": "before", "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 600000}}`)
		events.Until("started", "before")
		// Interrupted after its fence the call is unknown, before it cancelled; the event
		// does not show which it is.
		e := system.ByID(t, d, "calls.cancel", tenant, "before")
		if e.Status != "error" || e.ErrorType != "outcome_unknown" && e.ErrorType != "cancelled" {
			t.Errorf("cancelled in front of its effect the call ended as %v, want outcome_unknown or cancelled", e)
		}

		system.Enqueue(t, d, tenant, `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 600000}}`)
		system.Eventually(t, "the effect is there", func() bool { return len(shared.Ledger(t, tenant)) == 1 })
		system.WantResult(t, system.ByID(t, d, "calls.cancel", tenant, "after"), `{"written":true}`)
		shared.WantLedger(t, tenant, "k after")
	})
}

// TestCancelRace cancels calls at every moment of their life, through every door: each ends
// in exactly one result on which all agree, and a call reported as cancelled wrote nothing.
func TestCancelRace(t *testing.T) {
	t.Parallel()
	const n = 60
	tenant := system.NewTenant()
	doors := []system.Door{shared.HTTP(0), shared.HTTP(1), shared.NATS()}
	results := make([]system.Element, n)
	var all sync.WaitGroup
	for i := range n {
		callID := fmt.Sprintf("c%d", i)
		all.Go(func() {
			results[i] = system.One(t, doors[i%3], tenant,
				fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k", "before_ms": %d}}`, callID, i%7))
		})
		all.Go(func() {
			system.Eventually(t, callID+" is known", func() bool {
				return doors[(i+1)%3].Ask(t, tenant, "calls.cancel", map[string]string{"call_id": callID}, "").Status == 200
			})
		})
	}
	system.Await(t, "every call and its cancellation are answered", all.Wait)
	wrote := map[string]bool{}
	for _, line := range shared.Ledger(t, tenant) {
		if wrote[line] {
			t.Errorf("%q is in the ledger twice", line)
		}
		wrote[line] = true
	}
	for i, e := range results {
		callID := fmt.Sprintf("c%d", i)
		if stored := system.ByID(t, doors[i%3], "calls.get", tenant, callID); stored.String() != e.String() {
			t.Errorf("%s was answered as %v and is stored as %v", callID, e, stored)
		}
		switch written := wrote["k "+callID]; {
		case e.Status == "success" && written:
		case e.ErrorType == "cancelled" && !written:
		case e.ErrorType == "outcome_unknown":
		default:
			t.Errorf("%v, but it is in the ledger: %v", e, written)
		}
	}
}
