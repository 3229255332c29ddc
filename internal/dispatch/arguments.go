package dispatch

import (
	"context"
	"encoding/json"

	"github.com/helve-dev/helve/internal/consent/preview"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/protocol"
)

// Arguments returns the arguments of a call with secrets hidden and made safe to display, nil
// if they are not known: they are kept with a result, and while a person must decide. The
// caller has got the call from Get, where the look is recorded.
func (d *Dispatcher) Arguments(ctx context.Context, tenant, callID string) (json.RawMessage, error) {
	stored, err := d.stored(ctx, tenant, "", callID, indexed)
	if err != nil {
		return nil, unread(err)
	}
	if stored != nil {
		el, err := glance(stored.Element)
		if err != nil {
			return nil, err
		}
		if !mayLook(ctx, el.Owner) {
			return nil, unknownCall()
		}
		return d.kept(tenant, el, stored.Arguments), nil
	}
	p, _, err := d.consentOf(ctx, tenant, callID)
	if p == nil || err != nil {
		return nil, err
	}
	e := p.Envelope
	if !mayLook(ctx, e.Owner()) {
		return nil, unknownCall()
	}
	schema, known := d.schemaOf(tenant, e.User, e.Tool)
	if !known {
		return nil, nil // its secrets are not known
	}
	return shown(json.RawMessage(e.Arguments), schema), nil
}

// mayLook reports whether the caller may see a call of an owner.
func mayLook(ctx context.Context, owner *protocol.Owner) bool {
	by := identity.Of(ctx)
	return by.Open || by.Oversees() || owner != nil && by.SpeaksFor(owner.User, owner.Agent)
}

// kept returns the arguments that a worker has kept with a result.
func (d *Dispatcher) kept(tenant string, el glimpse, header string) json.RawMessage {
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
	user := ""
	if el.Owner != nil {
		user = el.Owner.User
	}
	schema, _ := d.schemaOf(tenant, user, el.Tool)
	return shown(args, schema)
}

func (d *Dispatcher) schemaOf(tenant, user, name string) (json.RawMessage, bool) {
	def, ok := d.Catalog.Of(tenant, user).Get(name)
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
