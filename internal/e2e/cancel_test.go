package e2e

import (
	"fmt"
	"sync"
	"testing"
)

func TestCancelWhileRunning(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]door{"http": shared.http(0), "second dispatcher": shared.http(1), "nats": shared.nats()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tenant := newTenant()
			events := shared.listen(t, tenant)
			const call = `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`
			queue(t, shared.http(0), tenant, call)
			events.until("started", "c1")
			wantError(t, byID(t, d, "calls.cancel", tenant, "c1"), "cancelled", "")
			wantError(t, byID(t, d, "calls.cancel", tenant, "c1"), "cancelled", "")
			wantError(t, byID(t, d, "calls.get", tenant, "c1"), "cancelled", "")
			wantError(t, one(t, d, tenant, call), "cancelled", "")
			events.until("done", "c1")
		})
	}
}

func TestCancelAfterTheEnd(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		wantResult(t, one(t, d, tenant, `{"call_id": "c1", "tool": "debug.echo", "arguments": {"value": 1}}`), "1")
		for range 2 {
			e := byID(t, d, "calls.cancel", tenant, "c1")
			wantResult(t, e, "1")
			if e.State != "done" {
				t.Errorf("state = %q, want done", e.State)
			}
		}
	})
}

// TestCancelWithoutReply is a cancel as a plain message, without asking
// anybody's api.
func TestCancelWithoutReply(t *testing.T) {
	t.Parallel()
	tenant := newTenant()
	events := shared.listen(t, tenant)
	queue(t, shared.http(0), tenant, `{"call_id": "c1", "tool": "debug.sleep", "arguments": {"ms": 600000}}`)
	events.until("started", "c1")
	if err := shared.nc.Publish("helve.v1."+tenant+".cancel.c1", nil); err != nil {
		t.Fatal(err)
	}
	wantError(t, settled(t, shared.http(0), tenant, "c1"), "cancelled", "")
}

// TestCancelOfEffect: before the tool wrote, it did nothing, but only the tool
// could say so; after it wrote, its own outcome counts.
func TestCancelOfEffect(t *testing.T) {
	t.Parallel()
	everyDoor(t, shared, func(t *testing.T, d door) {
		tenant := newTenant()
		events := shared.listen(t, tenant)
		queue(t, d, tenant, `{"call_id": "before", "tool": "debug.effect", "arguments": {"key": "k", "before_ms": 600000}}`)
		events.until("started", "before")
		// Interrupted behind its fence the call is unknown, in front of it
		// cancelled; the event does not say which it is.
		e := byID(t, d, "calls.cancel", tenant, "before")
		if e.Status != "error" || e.ErrorType != "outcome_unknown" && e.ErrorType != "cancelled" {
			t.Errorf("cancelled in front of its effect the call ended as %v, want outcome_unknown or cancelled", e)
		}

		queue(t, d, tenant, `{"call_id": "after", "tool": "debug.effect", "arguments": {"key": "k", "after_ms": 600000}}`)
		eventually(t, "the effect is there", func() bool { return len(shared.ledger(t, tenant)) == 1 })
		wantResult(t, byID(t, d, "calls.cancel", tenant, "after"), `{"written":true}`)
		shared.wantLedger(t, tenant, "k after")
	})
}

// TestCancelRace cancels calls at every moment of their life, from everywhere:
// each ends in exactly one result that all agree on, and what is called
// cancelled wrote nothing.
func TestCancelRace(t *testing.T) {
	t.Parallel()
	const n = 60
	tenant := newTenant()
	doors := []door{shared.http(0), shared.http(1), shared.nats()}
	results := make([]element, n)
	var all sync.WaitGroup
	for i := range n {
		callID := fmt.Sprintf("c%d", i)
		all.Go(func() {
			results[i] = one(t, doors[i%3], tenant, fmt.Sprintf(`{"call_id": %q, "tool": "debug.effect", "arguments": {"key": "k", "before_ms": %d}}`, callID, i%7))
		})
		all.Go(func() {
			eventually(t, callID+" is known", func() bool {
				return doors[(i+1)%3].ask(t, tenant, "calls.cancel", map[string]string{"call_id": callID}, "").status == 200
			})
		})
	}
	all.Wait()
	wrote := map[string]bool{}
	for _, line := range shared.ledger(t, tenant) {
		if wrote[line] {
			t.Errorf("%q is in the ledger twice", line)
		}
		wrote[line] = true
	}
	for i, e := range results {
		callID := fmt.Sprintf("c%d", i)
		if stored := byID(t, doors[i%3], "calls.get", tenant, callID); stored.String() != e.String() {
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
