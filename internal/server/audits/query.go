package audits

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/stream"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/calls"
	"github.com/helve-dev/helve/protocol"
)

// freshness bounds the time for which a query waits until earlier records are indexed.
const freshness = 2 * time.Second

// Query implements [api.Audit]. It returns every record that was stored before the
// query, unless the index is far behind, and compares each with its seal.
func (a *Auditor) Query(ctx context.Context, q audit.Query) (audit.Page, error) {
	behind, err := a.caughtUp(ctx)
	if err != nil {
		return audit.Page{}, err
	}
	page, err := a.index.Query(ctx, q)
	if err == nil {
		err = q.Missed(&page, behind)
	}
	if err != nil {
		return audit.Page{}, err
	}
	problems, err := a.seals.Mark(ctx, &q, &page)
	if err != nil {
		return audit.Page{}, err
	}
	a.report(q.Tenant, problems)
	if err := a.seals.Once(ctx, &q, &page); err != nil {
		return audit.Page{}, err
	}
	return page, nil
}

// ToolStats implements [api.ToolCounter].
func (a *Auditor) ToolStats(ctx context.Context, q api.ToolQuery) (protocol.ToolStats, error) {
	if _, err := a.caughtUp(ctx); err != nil {
		return protocol.ToolStats{}, err
	}
	return calls.Stats(ctx, q, a.index)
}

// Calls returns the trail for lists of calls, which show no seals, so that records are not
// compared with them.
func (a *Auditor) Calls() calls.Trail { return records{a} }

type records struct{ *Auditor }

// CatchUp implements [calls.Trail].
func (r records) CatchUp(ctx context.Context) (behind bool, err error) { return r.caughtUp(ctx) }

// Query implements [calls.Records].
func (r records) Query(ctx context.Context, q audit.Query) (audit.Page, error) {
	return r.index.Query(ctx, q)
}

// caughtUp waits until the index has every record that is stored now, for a bounded time, and
// reports whether it has not.
func (a *Auditor) caughtUp(ctx context.Context) (behind bool, err error) {
	unwritten, err := a.written(ctx)
	if err != nil {
		return false, err
	}
	_, last, _, err := stream.On(a.queue.Conn).Range(ctx)
	if err != nil {
		return false, err
	}
	unindexed, err := a.fresh(ctx, last)
	return unwritten || unindexed, err
}

// fresh waits until the stream is indexed up to a sequence, for at most freshness, and reports
// whether it is not.
func (a *Auditor) fresh(ctx context.Context, last uint64) (behind bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	return late(ctx, a.index.Wait(bounded, last))
}

// late reports whether a wait ended before what it waits for, unless ctx or the wait itself failed.
func late(ctx context.Context, waited error) (bool, error) {
	if waited != nil && (ctx.Err() != nil || !errors.Is(waited, context.DeadlineExceeded)) {
		return false, waited
	}
	return waited != nil, nil
}

// written waits until the final records of all stored results are on the trail, for at
// most freshness, and reports whether some are not.
func (a *Auditor) written(ctx context.Context) (behind bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	return late(ctx, stream.On(a.queue.Conn).AwaitWritten(bounded))
}

// reported is the number of records of a page that get a log line of their own.
const reported = 10

// report logs the records of the index that differ from their seals.
func (a *Auditor) report(tenant string, problems []protocol.AuditProblem) {
	for i, p := range problems {
		if i == reported {
			a.log.Error("audit records not as sealed", zap.String("tenant", tenant), zap.Int("more", len(problems)-i))
			return
		}
		a.log.Error("audit record not as sealed", zap.String("tenant", tenant), zap.Uint64("seq", p.Seq), zap.Int("part", p.Part),
			zap.String("kind", string(p.Kind)), zap.String("detail", p.Detail))
	}
}
