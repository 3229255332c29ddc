package dispatch

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/bus/events"
)

// maxViewed bounds how many calls of others one listener's views are recorded for
// once; beyond that they are recorded again.
const maxViewed = 4096

// Events yields the events of those calls of a trace that the caller may see: what is
// still known after the event with the id after, then what happens, until ctx ends.
func (d *Dispatcher) Events(ctx context.Context, tenant, traceID, after string, yield func(Event) error) error {
	visible := map[string]error{} // what was decided, by call_id and owner
	hidden := unknownCall()
	return d.Queue.Events.Listen(ctx, tenant, traceID, after, func(e events.Event) error {
		key := e.CallID
		if e.Owner != nil {
			key += "/" + e.Owner.User + "/" + e.Owner.Agent
		}
		decided, ok := visible[key]
		if !ok {
			decided = d.permit(ctx, "events", subject{tenant: tenant, callID: e.CallID, traceID: traceID, owner: e.Owner}, hidden)
			if len(visible) >= maxViewed {
				clear(visible)
			}
			visible[key] = decided
		}
		switch {
		case decided == nil:
			return yield(Event{ID: e.ID, Type: e.Type, Data: e.Data})
		case errors.Is(decided, hidden):
			return nil
		}
		return decided
	})
}
