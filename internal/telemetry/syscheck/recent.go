package syscheck

import (
	"context"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// again is the age up to which a report is returned once more.
const again = 2 * time.Second

// Recent returns the last report of a Checker while it is new. An examination takes over a
// hundred requests to NATS; so however many consoles look, a dispatcher makes one every
// two seconds at most.
type Recent struct {
	check func(context.Context) protocol.CheckReport
	turn  chan struct{} // held by the caller that reads or replaces the rest
	last  protocol.CheckReport
	at    time.Time
}

// NewRecent returns a Recent without a report.
func NewRecent(c *Checker) *Recent {
	return &Recent{check: c.Check, turn: make(chan struct{}, 1)}
}

// Check returns a report that is at most two seconds old. Callers do not change it.
func (r *Recent) Check(ctx context.Context) protocol.CheckReport {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return r.check(ctx) // which finds that nothing could be examined
	}
	defer func() { <-r.turn }()
	if time.Since(r.at) < again {
		return r.last
	}
	report := r.check(ctx)
	if ctx.Err() == nil { // otherwise it lacks what this caller did not wait for
		r.last, r.at = report, time.Now()
	}
	return report
}
