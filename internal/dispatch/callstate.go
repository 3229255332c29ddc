package dispatch

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/store"
	"github.com/helve-dev/helve/protocol"
)

// callState is the state of a call without a result, the consent it awaits, and the address
// at which the person connects an account if it awaits one.
type callState struct {
	state, consent, connect string
	// waits lists the things that a program waits for.
	waits []protocol.ProgramWait
}

// awaiting returns the state of a call that is parked.
func awaiting(p *store.Parked) callState {
	var asked struct {
		ConnectURL string `json:"connect_url"`
	}
	_ = json.Unmarshal(p.Request, &asked) // the consent is named without it, too
	return callState{state: protocol.StateAwaitingConsent, consent: p.ConsentID, connect: asked.ConnectURL}
}

// awaitingUnder returns the state of a call that awaits a consent, as far as it can be read.
func (d *Dispatcher) awaitingUnder(ctx context.Context, tenant, callID, consentID string) callState {
	p, err := store.On(d.Queue).Get(ctx, tenant, consentID, callID)
	if err != nil || p == nil {
		return callState{state: protocol.StateAwaitingConsent, consent: consentID}
	}
	return awaiting(p)
}

// stateOf returns the state of a call; held is the answer of the process that has it, or
// nil.
func (d *Dispatcher) stateOf(ctx context.Context, tenant, callID string, held *call.Owner) callState {
	if held != nil && held.State == protocol.StateRunning {
		return callState{state: protocol.StateRunning}
	}
	if _, waits := d.programOf(tenant, callID); len(waits) > 0 {
		return callState{state: protocol.StateWaiting, waits: waits}
	}
	p, verdict, err := d.consentOf(ctx, tenant, callID)
	if err == nil && p != nil && verdict == nil {
		return awaiting(p)
	}
	return callState{state: protocol.StateQueued}
}

// consentOf returns a call as it was parked and the verdict about it, each nil if
// there is none.
func (d *Dispatcher) consentOf(ctx context.Context, tenant, callID string) (*store.Parked, *protocol.Verdict, error) {
	p, err := store.On(d.Queue).ByCall(ctx, tenant, callID)
	if p == nil || err != nil {
		return nil, nil, err
	}
	v, err := d.Parked.Verdict(ctx, tenant, p.ConsentID)
	return p, v, err
}

// waitsStill reports whether a call that seems overdue has a reason: the time in
// which a person decides does not count, and the time of a granted call starts again.
func (d *Dispatcher) waitsStill(ctx context.Context, tenant, callID string) (bool, error) {
	if program, _ := d.programOf(tenant, callID); program != nil {
		return true, nil // its deadline ends it
	}
	p, verdict, err := d.consentOf(ctx, tenant, callID)
	if p == nil || err != nil {
		return false, err
	}
	if verdict == nil || verdict.Status != protocol.GrantedConsent {
		return true, nil // the service that carries the verdict out ends the call
	}
	return time.Now().Before(verdict.At.Add(d.QueueTTL + lateGrace)), nil
}
