package calls

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/fleet"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// List implements [api.CallLister]: calls without a result are listed by the workers
// that have them, by the queue and by the inboxes; the others are on the trail.
type List struct {
	Queue    *queue.Queue
	Fleet    *fleet.Fleet
	Consents *consent.Service
	Trail    Trail
	Catalog  api.Catalog
	Views    *Views
	// Contains reports whether the arguments or the result of a call contain a text.
	Contains func(ctx context.Context, tenant, callID, text string) (bool, error)
}

// Trail has the records of calls that have ended.
type Trail interface {
	Query(ctx context.Context, q audit.Query) (audit.Page, error)
}

const (
	// queuedMost bounds the queued calls of a page: each costs a request.
	queuedMost = 100
	// scannedMost bounds the pages of records that are read for one page of calls.
	scannedMost = 20
)

// ListCalls implements [api.CallLister].
func (l List) ListCalls(ctx context.Context, q api.CallQuery) (protocol.CallList, error) {
	var list protocol.CallList
	open := q.Status == "" || q.Status == protocol.StatusPending
	if open && q.Cursor == "" && q.State != protocol.StateDone {
		pending, err := l.pending(ctx, q)
		if err != nil {
			return list, err
		}
		list.Calls = pending[:min(len(pending), q.Limit)]
	}
	if q.Status == protocol.StatusPending || q.State != "" && q.State != protocol.StateDone {
		return list, nil
	}
	return l.done(ctx, q, list)
}

// pending returns the calls without a result, the newest first.
func (l List) pending(ctx context.Context, q api.CallQuery) ([]protocol.CallSummary, error) {
	workers := map[string]bool{}
	for _, all := range l.Fleet.Live() {
		for _, w := range all {
			workers[w.ID] = true
		}
	}
	var list []protocol.CallSummary
	known := map[string]bool{}
	add := func(c protocol.CallSummary) {
		if c.Status = protocol.StatusPending; !known[c.CallID] && selects(&q, &c) && says(&q, &c) {
			list = append(list, c)
		}
		known[c.CallID] = true
	}
	for _, r := range l.Queue.Owners.Running(ctx, q.Tenant, len(workers)) {
		add(protocol.CallSummary{
			CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, State: protocol.StateRunning, User: r.User, Agent: r.Agent,
			Conversation: r.Conversation, Pool: r.Pool, Worker: r.Worker, Attempt: r.Attempt, Since: r.Since,
		})
	}
	asked, _, err := l.Consents.List(ctx, q.Tenant, consent.Filter{Status: protocol.PendingConsent, Limit: audit.MaxLimit})
	if err != nil {
		return nil, err
	}
	for i := range asked {
		c := &asked[i]
		add(protocol.CallSummary{
			CallID: c.Call.CallID, TraceID: c.Call.TraceID, Tool: c.Tool, State: protocol.StateAwaitingConsent, User: c.User, Agent: c.Agent,
			Conversation: c.Conversation, ConsentID: c.ID, Since: c.RequestedAt, Pool: l.poolOf(q.Tenant, c.User, c.Tool),
		})
	}
	queued, err := l.Queue.Inspector.Queued(ctx, q.Tenant, queuedMost)
	if err != nil {
		return nil, err
	}
	for _, e := range queued {
		add(protocol.CallSummary{
			CallID: e.ID, TraceID: e.TraceID, Tool: e.Tool, State: protocol.StateQueued, User: e.User, Agent: e.Agent,
			Conversation: e.Conversation, Pool: e.Pool, Since: e.Accepted(),
		})
	}
	slices.SortStableFunc(list, func(a, b protocol.CallSummary) int { return b.Since.Compare(a.Since) })
	return list, nil
}

// done adds the calls that are on the trail, the newest first, until the list is full.
func (l List) done(ctx context.Context, q api.CallQuery, list protocol.CallList) (protocol.CallList, error) {
	records := audit.Query{
		Tenant: q.Tenant, TraceID: q.TraceID, Tool: q.Tool, User: q.User, Agent: q.Agent, Conversation: q.Conversation, Status: q.Status,
		From: q.From, To: q.To, Limit: q.Limit, Newest: q.TraceID == "",
	}
	if records.Newest {
		before, err := (&audit.Query{Cursor: q.Cursor}).After()
		if err != nil {
			return list, err
		}
		records.Before = before
	} else {
		records.Cursor = q.Cursor
	}
	left := contentsMost
	for range scannedMost {
		if left == 0 {
			return list, nil
		}
		page, err := l.Trail.Query(ctx, records)
		if err != nil {
			return list, err
		}
		if records.Newest {
			slices.Reverse(page.Records)
		}
		list.Next = ""
		calls, err := l.matching(ctx, &q, page.Records, &left)
		if err != nil {
			return list, err
		}
		for i, c := range calls {
			r := &page.Records[i]
			list.Next = audit.CursorAt(audit.Place{Seq: r.Seq, Part: r.Part})
			if records.Newest {
				records.Before = audit.Place{Seq: r.Seq, Part: r.Part}
			}
			if c != nil {
				list.Calls = ends(list.Calls, *c)
			}
			if len(list.Calls) >= q.Limit {
				return list, nil
			}
		}
		switch {
		case len(calls) < len(page.Records):
			return list, nil
		case !records.Newest && page.Next == "", records.Newest && len(page.Records) < records.PageSize():
			list.Next = ""
			return list, nil
		case !records.Newest:
			records.Cursor = page.Next
		}
	}
	return list, nil
}

// ends adds a call that is on the trail. A call that ended since the open ones were listed is
// among them, too, and is open no longer.
func ends(calls []protocol.CallSummary, c protocol.CallSummary) []protocol.CallSummary {
	calls = slices.DeleteFunc(calls, func(open protocol.CallSummary) bool { return open.CallID == c.CallID })
	return append(calls, c)
}

// ended returns the call of a final record; nested calls belong to their outer call.
func (l List) ended(tenant string, r *protocol.AuditRecord) (protocol.CallSummary, bool) {
	final := r.Phase == protocol.AuditFinished || r.Phase == protocol.AuditRefused || r.Phase == protocol.AuditCancelled
	if !final || r.CallID == "" || r.Result == nil || strings.Contains(r.CallID, "~") {
		return protocol.CallSummary{}, false
	}
	c := protocol.CallSummary{
		CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, State: protocol.StateDone, Status: r.Result.Status, ErrorType: r.Result.ErrorType,
		Summary: r.Result.Summary, User: r.User, Agent: r.Agent, Conversation: r.Conversation, Worker: r.Worker, Attempt: r.Attempt,
		EndedAt: cmp.Or(r.EndedAt, &r.Time), DurationMS: r.DurationMS, Pool: l.poolOf(tenant, r.User, r.Tool),
	}
	if c.Since = *c.EndedAt; r.StartedAt != nil {
		c.Since = *r.StartedAt
	}
	return c, true
}

func (l List) poolOf(tenant, user, name string) string {
	if def, ok := l.Catalog.Of(tenant, user).Lookup(name); ok {
		return def.Pool
	}
	return ""
}

// selects reports whether q selects the call, whatever text it searches.
func selects(q *api.CallQuery, c *protocol.CallSummary) bool {
	for _, field := range [...]struct{ want, is string }{
		{q.Status, c.Status}, {q.State, c.State}, {q.Tool, c.Tool}, {q.User, c.User}, {q.Agent, c.Agent},
		{q.Conversation, c.Conversation}, {q.Pool, c.Pool}, {q.TraceID, c.TraceID},
	} {
		if field.want != "" && field.want != field.is {
			return false
		}
	}
	at := c.Since
	if c.EndedAt != nil {
		at = *c.EndedAt
	}
	return (q.From.IsZero() || !at.Before(q.From.Add(-time.Microsecond))) && (q.To.IsZero() || at.Before(q.To))
}
