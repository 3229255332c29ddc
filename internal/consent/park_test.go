package consent_test

import (
	"errors"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestEndedWhileItWasParked: nobody is asked about a call that was cancelled after
// its worker had looked and before it was parked, and the call still has its end.
func TestEndedWhileItWasParked(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	e, ask := r.next()
	fence := call.Fence{By: "d-1", AtMS: time.Now().UnixMilli(), Ended: "cancelled"}
	if _, err := r.parker.Queue.Calls.Fence(ctx, e.Tenant, e.ID, fence); err != nil {
		t.Fatal(err)
	}
	if err := r.parker.Park(ctx, e, ask); !errors.Is(err, consent.ErrDecided) {
		t.Fatalf("Park = %v, want ErrDecided", err)
	}
	id := r.consentOf(t, e.ID)
	if asked, err := store.On(r.parker.Queue).WasAsked(ctx, e.Tenant, id); asked || err != nil {
		t.Errorf("a person was asked: %v, %v", asked, err)
	}
	if v := r.verdict(t, id); v.Status != protocol.CancelledConsent {
		t.Errorf("verdict = %+v, want cancelled", v)
	}
}

// TestParkedAgain: another delivery of a parked call repeats nothing, and after the verdict
// it is dropped.
func TestParkedAgain(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t), t.Context()
	e, ask := r.next()
	for range 2 {
		if err := r.parker.Park(ctx, e, ask); err != nil {
			t.Fatal(err)
		}
	}
	id := r.consentOf(t, e.ID)
	if list, _, err := r.service.List(ctx, "default", consent.Filter{}); err != nil || len(list) != 1 {
		t.Errorf("the inbox has %d requests, %v, want one", len(list), err)
	}
	if _, err := r.service.Decide(ctx, "default", id, consent.Decision{}, person()); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the verdict is in the list of decisions", func() bool {
		list, _, err := r.service.List(ctx, "default", consent.Filter{Status: protocol.DeniedConsent})
		return err == nil && len(list) == 1
	})
	if err := r.parker.Park(ctx, e, ask); !errors.Is(err, consent.ErrDecided) {
		t.Errorf("Park after the verdict = %v, want ErrDecided", err)
	}
	resumed := *e
	resumed.ConsentID = id
	failed, ok := errors.AsType[*tool.Error](r.parker.Park(ctx, &resumed, ask))
	if !ok || failed.Kind != tool.PermissionDenied {
		t.Errorf("Park of a resumed call = %v, want permission_denied", failed)
	}
}
