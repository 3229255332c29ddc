package dispatcher

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/consent"
)

// standing is where a call without a result is, and the consent it awaits.
type standing struct{ state, consent string }

// standing finds out; held is who says to have the call, if anybody does.
func (d *Dispatcher) standing(ctx context.Context, tenant, callID string, held *bus.Held) standing {
	if held != nil && held.State == bus.StateRunning {
		return standing{state: bus.StateRunning}
	}
	p, verdict, err := d.consentOf(ctx, tenant, callID)
	if err == nil && p != nil && verdict == nil {
		return standing{bus.StateAwaitingConsent, p.ConsentID}
	}
	return standing{state: bus.StateQueued}
}

// consentOf returns a call as it was parked and the verdict about it, each nil if
// there is none.
func (d *Dispatcher) consentOf(ctx context.Context, tenant, callID string) (*bus.Parked, *consent.Verdict, error) {
	p, err := d.Bus.ParkedCall(ctx, tenant, callID)
	if p == nil || err != nil {
		return nil, nil, err
	}
	data, err := d.Bus.Verdict(ctx, tenant, p.ConsentID)
	if data == nil || err != nil {
		return p, nil, err
	}
	v := new(consent.Verdict)
	if err := json.Unmarshal(data, v); err != nil {
		return nil, nil, err
	}
	return p, v, nil
}

// waitsStill reports whether a call that seems overdue has a reason: the time in
// which a person decides does not count, and a granted call has its time anew.
func (d *Dispatcher) waitsStill(ctx context.Context, tenant, callID string) (bool, error) {
	p, verdict, err := d.consentOf(ctx, tenant, callID)
	if p == nil || err != nil {
		return false, err
	}
	if verdict == nil || verdict.Status != consent.Granted {
		return true, nil // whoever carries the verdict out ends the call
	}
	return time.Now().Before(verdict.At.Add(d.QueueTTL + lateGrace)), nil
}
