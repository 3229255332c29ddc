package program

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
)

// Query selects programs of a tenant. Empty fields select all.
type Query struct {
	Tenant, User, Agent, Trace string
	// Status is success, error or pending.
	Status string
	// BeforeMS and BeforeID are the place of the last program of the page before: when that was
	// accepted, in Unix milliseconds, and its call_id.
	BeforeMS int64
	BeforeID string
	Limit    int
}

func (q *Query) selects(k *known) bool {
	status := protocol.StatusPending
	if k.state == durable.Done {
		status = k.status
	}
	return k.key.Tenant == q.Tenant && (q.User == "" || q.User == k.user) && (q.Agent == "" || q.Agent == k.agent) &&
		(q.Trace == "" || q.Trace == k.trace) && (q.Status == "" || q.Status == status) &&
		(k.startedMS < q.BeforeMS || k.startedMS == q.BeforeMS && k.key.CallID < q.BeforeID)
}

// newest is the order of lists.
func newest(a, b *known) int {
	return cmp.Or(cmp.Compare(b.startedMS, a.startedMS), cmp.Compare(b.key.CallID, a.key.CallID))
}

// List returns the programs that a query selects, the newest first, and whether more follow.
func (s *Service) List(ctx context.Context, q Query) (list []protocol.Program, more bool) {
	var found []*known
	s.index.each(func(k *known) {
		if !q.selects(k) {
			return
		}
		if found = append(found, k); len(found) > 4*(q.Limit+1) { // bounds the memory of a page of very many
			slices.SortFunc(found, newest)
			found = found[:q.Limit+1]
		}
	})
	slices.SortFunc(found, newest)
	if more = len(found) > q.Limit; more {
		found = found[:q.Limit]
	}
	list = make([]protocol.Program, len(found))
	var held gopool.Group
	for i, k := range found {
		list[i] = k.shown()
		if k.state == durable.Queued {
			held.Go(func() { list[i].State = s.held(ctx, k) })
		}
	}
	held.Wait()
	return list, more
}

// Open counts the programs of a person that have not ended, or with an empty name those of the
// tenant, as far as this process knows.
func (s *Service) Open(tenant, user string) int {
	ofPerson, ofTenant := s.index.open(tenant, user)
	if user == "" {
		return ofTenant
	}
	return ofPerson
}

// held returns the state of a program that is queued by its stored state: it runs if a worker
// has it.
func (s *Service) held(ctx context.Context, k *known) string {
	if owner := s.Queue.Owners.Find(ctx, k.key.Tenant, k.key.CallID); owner != nil && owner.State == protocol.StateRunning {
		return protocol.StateRunning
	}
	return protocol.StateQueued
}

// shown returns a program as people see it.
func (k *known) shown() protocol.Program {
	p := protocol.Program{
		CallID: k.key.CallID, State: string(k.state), Status: k.status, ErrorType: k.errorType, Message: k.message, Tool: k.runs,
		User: k.user, Agent: k.agent, TraceID: k.trace, Parent: k.parent, StartedAt: time.UnixMilli(k.startedMS).UTC(),
		RerunOf: k.rerunOf, RetriedBy: k.retriedBy,
		Deadline: time.UnixMilli(k.deadlineMS).UTC(), Steps: k.steps, WaitingFor: k.waits,
	}
	if k.endedMS > 0 {
		at := time.UnixMilli(k.endedMS).UTC()
		p.EndedAt = &at
	}
	return p
}
