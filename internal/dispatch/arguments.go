package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/dispatch/results"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
)

// Arguments returns the arguments of a call with secrets hidden and made safe to display, nil
// if they are not known: they are kept with a result, while a person must decide, and while
// the call is queued or runs from the queue. The caller has got the call from Get, where the
// look is recorded.
func (d *Dispatcher) Arguments(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.results.Find(ctx, results.Named(tenant, callID))
	if err != nil && !errors.Is(err, results.ErrBehind) { // Get found that it has no result
		return nil, readError(err)
	}
	if stored != nil {
		el, err := glance(stored.Element)
		if err != nil {
			return nil, err
		}
		if !mayLook(ctx, el.Owner) {
			return nil, unknownCall()
		}
		return d.hidden().Kept(tenant, el.user(), el.Tool, stored.Arguments), nil
	}
	e, err := d.unfinished(ctx, tenant, callID)
	if e == nil || err != nil {
		return nil, err
	}
	if !mayLook(ctx, e.Owner()) {
		return nil, unknownCall()
	}
	switch err := d.Queue.Calls.LoadArguments(ctx, e); {
	case errors.Is(err, natsio.ErrNoObject): // it has ended meanwhile
		return nil, nil
	case err != nil:
		return nil, unavailable()
	}
	return d.hidden().shownAs(tenant, e.User, e.Tool, object(e.Arguments)), nil
}

// unfinished returns a call without a result as it was parked or queued; nil if it is not
// found, as a call that was handed to a worker directly.
func (d *Dispatcher) unfinished(ctx context.Context, tenant, callID string) (*call.Call, error) {
	p, _, err := d.consentOf(ctx, tenant, callID)
	if err != nil {
		return nil, unavailable()
	}
	if p != nil {
		return p.Call, nil
	}
	rec, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
	if err != nil {
		return nil, unavailable()
	}
	var e *call.Call
	if rec != nil {
		e, err = d.Queue.Inspector.Search(ctx, tenant, rec.Pool, rec.Tool, callID, time.UnixMilli(rec.AcceptedMS))
	} else if held := d.Queue.Owners.Find(ctx, tenant, callID); held != nil {
		e, err = d.Queue.Inspector.Search(ctx, tenant, cmp.Or(held.Pool, defaultPool), held.Tool, callID, madeAt(callID))
	}
	if err != nil {
		return nil, unavailable()
	}
	return e, nil
}

// AcceptedAt returns the time at which a call was accepted, by its acceptance or by its id if
// a dispatcher made that; zero if neither tells.
func (d *Dispatcher) AcceptedAt(ctx context.Context, tenant, callID string) (time.Time, error) {
	rec, err := d.Queue.Calls.Accepted(ctx, tenant, callID)
	switch {
	case err != nil:
		return time.Time{}, unavailable()
	case rec != nil:
		return time.UnixMilli(rec.AcceptedMS), nil
	}
	return madeAt(callID), nil
}

// object returns arguments as an object: a caller may write it into a string.
func object(args []byte) json.RawMessage {
	var text string
	if len(args) > 0 && args[0] == '"' && json.Unmarshal(args, &text) == nil {
		return json.RawMessage(text)
	}
	return json.RawMessage(args)
}

// mayLook reports whether the caller may see a call of an owner.
func mayLook(ctx context.Context, owner *protocol.Owner) bool {
	by := identity.Of(ctx)
	return by.Open || by.Oversees() || owner != nil && by.SpeaksFor(owner.User, owner.Agent)
}

// Hidden hides the secrets of arguments, which the schemas of tools mark.
type Hidden struct{ Catalog *catalog.Tenants }

func (d *Dispatcher) hidden() Hidden { return Hidden{d.Catalog} }

// Kept returns the arguments that a worker has kept with a result, made safe to display; nil if
// there are none, or they cannot be shown.
func (h Hidden) Kept(tenant, user, name, header string) json.RawMessage {
	if header == "" {
		return nil
	}
	args := json.RawMessage(header[1:])
	if header[0] == queue.ArgumentsShown {
		if !json.Valid(args) {
			return nil
		}
		return args
	}
	if name == catalog.BatchUseTool {
		return h.shownBatch(tenant, user, args)
	}
	schema, _ := h.schemaOf(tenant, user, name)
	return shown(args, schema)
}

// Shown returns the arguments of a tool as people may see them; nil if they cannot be shown, or the
// tool is not known and so its secrets.
func (h Hidden) Shown(tenant, user, name string, args json.RawMessage) json.RawMessage {
	return h.shownAs(tenant, user, name, object(args))
}

func (h Hidden) schemaOf(tenant, user, name string) (json.RawMessage, bool) {
	def, ok := h.Catalog.Of(tenant, user).Get(name)
	if !ok {
		return nil, false
	}
	return def.Parameters, true
}

// shown returns arguments as people may see them, nil if they cannot be shown.
func shown(args, schema json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return nil
	}
	p, err := preview.Of(args, schema)
	if err != nil {
		return nil
	}
	return p.Arguments
}
