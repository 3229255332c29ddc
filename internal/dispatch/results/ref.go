package results

import (
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/call"
)

// Ref names the call whose result is asked for.
type Ref struct {
	// Pool is where the call was queued; empty is any pool.
	Tenant, Pool, CallID string
	// single is set if no result of the call is stored in a group.
	single bool
}

// Named returns the ref of a call of which only the id is known.
func Named(tenant, callID string) Ref { return Ref{Tenant: tenant, CallID: callID} }

// Of returns the ref of a call as it is queued here.
func Of(c *call.Call) Ref { return Ref{c.Tenant, c.Pool, c.ID, !c.Grouped} }

// Accepted returns the ref of a call by its acceptance.
func Accepted(tenant, callID string, rec *queue.Acceptance) Ref {
	return Ref{tenant, rec.Pool, callID, rec.Lone}
}

// In returns the ref of the same call, which was queued for a pool.
func (ref Ref) In(pool string) Ref {
	ref.Pool = pool
	return ref
}

// AnyPool returns the ref of the same call, whatever pool it is in.
func (ref Ref) AnyPool() Ref {
	ref.Pool = ""
	return ref
}

// Mark notes in an acceptance where results of the call may be stored.
func (ref Ref) Mark(rec *queue.Acceptance) { rec.Lone = ref.single }

// SetGrouped sets where the result of a call may be stored that is about to be queued. A call
// that may change something has a result of its own, which the server compares with that of
// another attempt.
func (r *Results) SetGrouped(c *call.Call, changes bool) { c.Grouped = r.index != nil && !changes }
