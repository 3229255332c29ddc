package calls

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

const (
	// readingTime bounds the time for which records are read for a page. A page that would take
	// longer, because few of many calls are of its pool, its version or its text, is shorter.
	readingTime = 5 * time.Second
	// scannedMost bounds the records that are read to search a text.
	scannedMost = 20_000
	// clockSlack is the time by which the clocks of dispatchers, workers and servers may differ.
	clockSlack = 10 * time.Second
	// lingering is the time for which a worker and the queue may still have a call that has ended.
	lingering      = 10 * time.Second
	lingeringPages = 5
)

// reading reads the calls of one query from the trail.
type reading struct {
	List

	q       *api.CallQuery
	until   time.Time
	scanned int
	// contents is the number of calls in whose contents may still be searched.
	contents int
}

// searches reports whether the query selects calls by what the trail has no keys for.
func (r *reading) searches() bool {
	return r.q.Text != "" || r.q.Pool != "" || r.q.Worker != "" || r.q.Version != ""
}

// spent reports whether enough was read for one page.
func (r *reading) spent() bool {
	return r.q.Text != "" && r.scanned >= scannedMost || r.contents == 0 || time.Now().After(r.until)
}

// next returns the ended calls after a place: at least so many, if there are as many and not too
// much must be read, and all that were accepted at floor or later.
func (r *reading) next(ctx context.Context, below place, most int) (calls []protocol.CallSummary, floor int64, err error) {
	floor = lowest
	if r.q.Status == protocol.StatusPending || r.q.State != "" && r.q.State != protocol.StateDone {
		return nil, floor, nil
	}
	for _, late := range append([]audit.Lateness{audit.Prompt}, audit.Latenesses()...) {
		found, complete, err := r.class(ctx, late, below, floor, most)
		if err != nil {
			return nil, floor, err
		}
		calls, floor = append(calls, found...), complete
	}
	calls = slices.DeleteFunc(calls, func(c protocol.CallSummary) bool { return placeOf(&c).ms < floor })
	return calls, floor, nil
}

// class returns calls of a class after a place, accepted at least or later, and the time, in
// milliseconds, from which on it returns all of them.
func (r *reading) class(
	ctx context.Context, late audit.Lateness, below place, least int64, most int,
) (calls []protocol.CallSummary, floor int64, err error) {
	records, oldest := r.records(late, below), below.ms
	for floor = least; ; {
		if floor > lowest {
			records.From = later(r.q.From, time.UnixMilli(floor).Add(-clockSlack))
		}
		page, err := r.Trail.Query(ctx, records)
		if err != nil {
			return nil, floor, err
		}
		r.scanned += len(page.Records)
		for i := range page.Records {
			record := &page.Records[i]
			oldest = min(oldest, record.Time.UnixMilli())
			c, ok := r.ended(r.q.Tenant, record, r.q.TraceID != "")
			if at := placeOf(&c); ok && audit.LatenessOfRecord(record) == late && at.ms >= floor && below.follows(at) &&
				selects(r.q, &c) && (r.q.Contents || says(r.q, &c)) {
				calls = append(calls, c)
			}
		}
		if page.Older == "" {
			return calls, floor, nil
		}
		if records.Before, err = audit.ParsePlace(page.Older); err != nil {
			return nil, floor, err
		}
		// The trail is nearly in the order of its times. So once it is known how far the page goes,
		// what is left of that time is read to its end.
		switch {
		case floor > least:
		case len(calls) >= most:
			slices.SortFunc(calls, order)
			floor = placeOf(&calls[most-1]).ms
		case r.spent() && oldest < below.ms:
			floor = max(least, oldest)
		}
	}
}

// records returns the query for the final records of a class, of calls after a place.
func (r *reading) records(late audit.Lateness, below place) audit.Query {
	q := audit.Query{
		Tenant: r.q.Tenant, TraceID: r.q.TraceID, Tool: r.q.Tool, User: r.q.User, Agent: r.q.Agent, Conversation: r.q.Conversation,
		Status: r.q.Status, ErrorType: r.q.ErrorType, Late: late, From: r.q.From, To: r.q.To,
		Limit: max(audit.DefaultLimit, min(2*r.q.Limit, audit.MaxLimit)), Newest: true,
	}
	if most, ok := late.Most(); ok && below.ms <= latest {
		if to := time.UnixMilli(below.ms + 1).Add(most); q.To.IsZero() || to.Before(q.To) {
			q.To = to
		}
	}
	return q
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// dropEnded removes open calls that have ended: for a moment they are still with their worker
// and in the queue.
func (p *page) dropEnded(ctx context.Context) error {
	q := audit.Query{Tenant: p.q.Tenant, From: time.Now().Add(-lingering), Limit: audit.MaxLimit, Newest: true}
	for range lingeringPages {
		if len(p.open) == 0 {
			return nil
		}
		found, err := p.Trail.Query(ctx, q)
		if err != nil {
			return err
		}
		over := map[place]bool{} // a refused call may have the ID of another one
		for i := range found.Records {
			if c, ok := p.ended(p.q.Tenant, &found.Records[i], true); ok {
				over[placeOf(&c)] = true
			}
		}
		p.open = slices.DeleteFunc(p.open, func(c protocol.CallSummary) bool { return over[placeOf(&c)] })
		if found.Older == "" {
			return nil
		}
		if q.Before, err = audit.ParsePlace(found.Older); err != nil {
			return err
		}
	}
	return nil
}

// final reports whether a record is the last of a call. Nested calls belong to their outer call;
// steps of programs are calls of their own, and only the list of a trace has them.
func final(r *protocol.AuditRecord, steps bool) bool {
	end := r.Phase == protocol.AuditFinished || r.Phase == protocol.AuditRefused || r.Phase == protocol.AuditCancelled
	return end && r.CallID != "" && r.Result != nil && (!strings.Contains(r.CallID, "~") || steps && r.Origin == protocol.OriginProgram)
}

// ended returns the call of a final record, also of a step of a program if steps is set.
func (l List) ended(tenant string, r *protocol.AuditRecord, steps bool) (protocol.CallSummary, bool) {
	if !final(r, steps) {
		return protocol.CallSummary{}, false
	}
	c := protocol.CallSummary{
		CallID: r.CallID, TraceID: r.TraceID, Tool: r.Tool, ToolVersion: r.ToolVersion, State: protocol.StateDone, Status: r.Result.Status,
		ErrorType: r.Result.ErrorType, Summary: r.Result.Summary, User: r.User, Agent: r.Agent, Conversation: r.Conversation,
		Worker: r.Worker, Attempt: r.Attempt, EndedAt: cmp.Or(r.EndedAt, &r.Time), DurationMS: r.DurationMS,
		Pool: poolOf(l.Catalog, tenant, r.User, r.Tool), AcceptedAt: acceptedAt(r),
	}
	if c.Since = *c.EndedAt; r.StartedAt != nil {
		c.Since = *r.StartedAt
	}
	return c, true
}

// acceptedAt returns when the call of a record was accepted. A record without that time, or with
// one long after its own, counts as of a call that was accepted when it was written.
func acceptedAt(r *protocol.AuditRecord) time.Time {
	at := r.Time
	if r.AcceptedAt != nil && r.AcceptedAt.Before(r.Time.Add(clockSlack)) {
		at = *r.AcceptedAt
	}
	return at.UTC().Truncate(time.Millisecond)
}

func poolOf(of api.Catalog, tenant, user, name string) string {
	if def, ok := of.Of(tenant, user).Lookup(name); ok {
		return def.Pool
	}
	return ""
}

// selects reports whether q selects the call, whatever text it searches.
func selects(q *api.CallQuery, c *protocol.CallSummary) bool {
	for _, field := range [...]struct{ want, is string }{
		{q.Status, c.Status}, {q.State, c.State}, {q.Tool, c.Tool}, {q.User, c.User}, {q.Agent, c.Agent}, {q.ErrorType, c.ErrorType},
		{q.Conversation, c.Conversation}, {q.Pool, c.Pool}, {q.Worker, c.Worker}, {q.TraceID, c.TraceID}, {q.Version, c.ToolVersion},
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
