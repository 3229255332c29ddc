package program

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/failpoint"
	"github.com/helve-dev/helve/protocol"
)

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// nap returns the time until the turn may end, or the first sleep or the deadline does.
func (t *session) nap(now time.Time) time.Duration {
	first := t.program.Deadline()
	if now.Before(t.cold) && t.cold.Before(first) {
		first = t.cold
	}
	for _, until := range t.asleep {
		if until.Before(first) {
			first = until
		}
	}
	return max(0, first.Sub(now))
}

// still reports whether nothing that the program awaits can come soon: every step is with a
// person, and every sleep is longer than a turn waits.
func (t *session) still(now time.Time) bool {
	for _, f := range t.open {
		select {
		case f.consent = <-f.parked:
		default:
		}
		if f.consent == "" {
			return false
		}
	}
	for _, until := range t.asleep {
		if until.Sub(now) <= t.svc.Hot {
			return false
		}
	}
	return len(t.open)+len(t.asleep) > 0
}

// settled reports whether every step that was made is accepted: it goes on without the turn.
func (t *session) settled() bool {
	for _, f := range t.open {
		if !f.flying {
			continue
		}
		select {
		case <-f.accepted:
		default:
			return false
		}
	}
	return true
}

// waits returns what the program awaits.
func (t *session) waits() (all []protocol.ProgramWait) {
	for _, n := range sortedKeys(t.open) {
		f := t.open[n]
		w := protocol.ProgramWait{Kind: protocol.WaitCall, CallID: durable.StepID(t.key.CallID, n), ConsentID: f.consent}
		switch {
		case f.step.Tool == catalog.AskUser:
			w.Kind = protocol.WaitAnswer
		case f.consent != "":
			w.Kind = protocol.WaitConsent
		}
		all = append(all, w)
	}
	for _, n := range sortedKeys(t.asleep) {
		until := t.asleep[n].UTC()
		all = append(all, protocol.ProgramWait{Kind: protocol.WaitSleep, Until: &until})
	}
	return all
}

// park ends the turn: it stores what the program waits for.
func (t *session) park(ctx context.Context) (peer.ProgramAnswer, error) {
	if e := &t.entry; len(e.Made)+len(e.Sleeps)+len(e.Logs) > 0 || e.CPUMS > 0 {
		if err := t.append(ctx); err != nil {
			return again(), err
		}
	}
	p := t.program
	p.State, p.Wake, p.Waits = durable.Waiting, t.wake, t.waits()
	if err := t.svc.Store.Change(ctx, t.key, p, t.revision); err != nil {
		return again(), err
	}
	t.svc.count(telemetry.ProgramTurns, 1, t.outcome())
	if err := failpoint.Hit(failpoint.ProgramParked); err != nil {
		return again(), err
	}
	return peer.ProgramAnswer{Waits: true}, nil
}
