package consent_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
)

// TestEndedWhileItWasParked: nobody is asked about a call that was cancelled after
// its worker had looked and before it was parked, and the call still has its end.
func TestEndedWhileItWasParked(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	e, ask := r.next()
	fence := bus.Fence{By: "d-1", AtMS: time.Now().UnixMilli(), Ended: "cancelled"}
	if _, err := r.parker.Bus.Fence(ctx, e.Tenant, e.CallID, fence); err != nil {
		t.Fatal(err)
	}
	if err := r.parker.Park(ctx, e, ask); !errors.Is(err, consent.ErrDecided) {
		t.Fatalf("Park = %v, want ErrDecided", err)
	}
	id := r.consentOf(t, e.CallID)
	if asked, err := r.parker.Bus.WasAsked(ctx, e.Tenant, id); asked || err != nil {
		t.Errorf("a person was asked: %v, %v", asked, err)
	}
	data, err := r.parker.Bus.Verdict(ctx, e.Tenant, id)
	var v consent.Verdict
	if err != nil || json.Unmarshal(data, &v) != nil || v.Status != consent.Cancelled {
		t.Errorf("verdict = %s, %v, want cancelled", data, err)
	}
}
