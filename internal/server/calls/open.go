package calls

import (
	"context"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// Open implements [Opener]: open calls are listed by the workers that have them, by the queue and
// by the inboxes.
type Open struct {
	Queue    *queue.Queue
	Fleet    *fleet.Fleet
	Consents *consent.Service
	Catalog  api.Catalog
	// Programs has the programs that wait as data.
	Programs interface {
		Waiting(tenant string, each func(c *call.Call, since time.Time))
	}
}

// Calls implements [Opener]. The inboxes are read before the queue and, if they have changed
// since, again after it: so a call is found that is parked meanwhile, and a call that goes on.
func (o Open) Calls(
	ctx context.Context, tenant string, fits func(*protocol.CallSummary) bool, most int,
) ([]protocol.CallSummary, error) {
	before := o.Consents.Revision(ctx, tenant, "", "")
	asked, err := o.asked(ctx, tenant, fits, most)
	if err != nil {
		return nil, err
	}
	queued, err := o.queued(ctx, tenant, fits, most)
	if err != nil {
		return nil, err
	}
	running, waiting := o.running(ctx, tenant, fits), o.waiting(tenant, fits)
	if o.Consents.Revision(ctx, tenant, "", "") != before {
		again, err := o.asked(ctx, tenant, fits, most)
		if err != nil {
			return nil, err
		}
		asked = append(asked, again...)
	}
	// A worker that runs a call knows most about it; in the queue are those that workers have, too,
	// and for a moment those that were just parked.
	known := map[string]bool{}
	var all []protocol.CallSummary
	for _, list := range [][]protocol.CallSummary{running, asked, waiting, queued} {
		for _, c := range list {
			if !known[c.CallID] {
				all = append(all, c)
			}
			known[c.CallID] = true
		}
	}
	return all, nil
}

// asked returns the calls that wait for a person. A person is asked after the acceptance, so the
// pages of the inboxes are read until what is left was asked before the last call that counts.
func (o Open) asked(
	ctx context.Context, tenant string, fits func(*protocol.CallSummary) bool, most int,
) (all []protocol.CallSummary, err error) {
	for f := (consent.Filter{Limit: min(most, askedTogether)}); ; {
		waiting, next, err := o.Consents.Waiting(ctx, tenant, f)
		if err != nil {
			return nil, err
		}
		var last time.Time
		for i := range waiting {
			c := o.summary(tenant, waiting[i].Call)
			c.State, c.ConsentID, c.Since = protocol.StateAwaitingConsent, waiting[i].ConsentID, waiting[i].Asked
			if last = c.Since; fits(&c) {
				all = append(all, c)
			}
		}
		if f.Cursor = next; next == "" || !last.IsZero() && accepted(all, last.Add(clockSlack)) >= most {
			return all, nil
		}
	}
}

// askedTogether is the number of consents that are read for one look at the inboxes.
const askedTogether = 200

func (o Open) queued(
	ctx context.Context, tenant string, fits func(*protocol.CallSummary) bool, most int,
) (all []protocol.CallSummary, err error) {
	_, err = o.Queue.Inspector.Queued(ctx, tenant, func(e *call.Call) bool {
		c := o.summary(tenant, e)
		c.State, c.Since = protocol.StateQueued, e.Accepted()
		if !fits(&c) {
			return false
		}
		all = append(all, c)
		return true
	}, most, clockSlack)
	return all, err
}

func (o Open) running(ctx context.Context, tenant string, fits func(*protocol.CallSummary) bool) (all []protocol.CallSummary) {
	workers := map[string]bool{}
	for _, live := range o.Fleet.Live() {
		for _, w := range live {
			workers[w.ID] = true
		}
	}
	for _, r := range o.Queue.Owners.Running(ctx, tenant, len(workers)) {
		c := o.summary(tenant, &call.Call{
			ID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, User: r.User, Agent: r.Agent, Conversation: r.Conversation, Pool: r.Pool,
			AcceptedMS: r.AcceptedMS,
		})
		if c.State, c.Worker, c.Attempt, c.Since = protocol.StateRunning, r.Worker, r.Attempt, r.Since; fits(&c) {
			all = append(all, c)
		}
	}
	return all
}

// waiting returns the programs that wait as data.
func (o Open) waiting(tenant string, fits func(*protocol.CallSummary) bool) (all []protocol.CallSummary) {
	o.Programs.Waiting(tenant, func(e *call.Call, since time.Time) {
		c := o.summary(tenant, e)
		if c.State, c.Since = protocol.StateWaiting, since; fits(&c) {
			all = append(all, c)
		}
	})
	return all
}

// summary returns a call without its state.
func (o Open) summary(tenant string, e *call.Call) protocol.CallSummary {
	c := protocol.CallSummary{
		CallID: e.ID, TraceID: e.TraceID, Tool: e.Tool, User: e.User, Agent: e.Agent, Conversation: e.Conversation, Pool: e.Pool,
		AcceptedAt: e.Accepted().UTC(),
	}
	if def, ok := o.Catalog.Of(tenant, e.User).Lookup(e.Tool); ok {
		c.ToolVersion = def.Version
	}
	return c
}

// accepted counts the calls that were accepted at a time or later.
func accepted(calls []protocol.CallSummary, at time.Time) (n int) {
	for i := range calls {
		if !calls[i].AcceptedAt.Before(at) {
			n++
		}
	}
	return n
}
