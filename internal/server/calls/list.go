package calls

import (
	"context"
	"slices"
	"time"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/protocol"
)

// List implements [api.CallLister]: open calls, which have no result, are listed by those that
// have them, the others are on the trail. All are in one order, that of their acceptance.
type List struct {
	Open    Opener
	Trail   Trail
	Catalog api.Catalog
	Views   *Views
	// Contains reports whether the arguments or the result of a call contain a text.
	Contains func(ctx context.Context, tenant, callID, text string) (bool, error)
}

// Opener has the calls without a result.
type Opener interface {
	// Calls returns open calls of a tenant that fit, each once, in any order: at least those that
	// come first in a list, so many if there are as many.
	Calls(ctx context.Context, tenant string, fits func(*protocol.CallSummary) bool, most int) ([]protocol.CallSummary, error)
}

// Records are the records of calls that have ended.
type Records interface {
	Query(ctx context.Context, q audit.Query) (audit.Page, error)
}

// Trail has the records of all calls that have ended.
type Trail interface {
	Records
	// CatchUp waits for the records of calls that have ended, for a bounded time, and reports
	// whether some can still not be found.
	CatchUp(ctx context.Context) (behind bool, err error)
}

// ListCalls implements [api.CallLister].
func (l List) ListCalls(ctx context.Context, q api.CallQuery) (protocol.CallList, error) {
	below, err := placeAt(q.Cursor)
	if err != nil {
		return protocol.CallList{}, err
	}
	p := page{
		reading: reading{List: l, q: &q, until: time.Now().Add(readingTime), contents: contentsMost},
		below:   below, most: q.Limit,
	}
	if !p.searches() {
		p.most++ // as for open calls; to search one more may take long
	}
	if err := p.readOpen(ctx); err != nil {
		return protocol.CallList{}, err
	}
	behind, err := l.Trail.CatchUp(ctx)
	if err == nil {
		err = p.dropEnded(ctx)
	}
	for more := true; more && err == nil; {
		more, err = p.fill(ctx)
	}
	if err == nil && behind && q.TraceID != "" && len(p.list.Calls) == 0 {
		err = audit.ErrBehind // they may be those that were asked for
	}
	if err != nil {
		return protocol.CallList{}, err
	}
	return p.end(), nil
}

// page is a page of the list that is being filled.
type page struct {
	reading

	open []protocol.CallSummary // that are not on the page yet, in order
	// below is the place after which the list goes on, last set if nothing comes after it.
	below place
	last  bool
	most  int
	list  protocol.CallList
}

// readOpen reads the open calls that may be on the page.
func (p *page) readOpen(ctx context.Context) error {
	if p.q.Status != "" && p.q.Status != protocol.StatusPending || p.q.State == protocol.StateDone || p.q.ErrorType != "" {
		return nil
	}
	fits := func(c *protocol.CallSummary) bool {
		c.Status = protocol.StatusPending
		return p.below.follows(placeOf(c)) && selects(p.q, c) && says(p.q, c)
	}
	most := p.q.Limit + 1 // one more shows whether there is a next page
	var err error
	p.open, err = p.Open.Calls(ctx, p.q.Tenant, fits, most)
	slices.SortFunc(p.open, order)
	p.open = p.open[:min(len(p.open), most)]
	return err
}

// fill adds the calls that come next, and reports whether the page has room for more and the
// list has more.
func (p *page) fill(ctx context.Context) (more bool, err error) {
	want := p.most - len(p.list.Calls)
	if p.q.Contents {
		want = max(want, contentsStep)
	}
	calls, floor, err := p.next(ctx, p.below, want)
	if err != nil {
		return false, err
	}
	n := 0
	for n < len(p.open) && placeOf(&p.open[n]).ms >= floor {
		n++
	}
	calls = append(calls, p.open[:n]...)
	p.open = p.open[n:]
	slices.SortStableFunc(calls, order)
	// A call may have ended since the open ones were read, and a record may be found twice.
	calls = slices.CompactFunc(calls, func(a, b protocol.CallSummary) bool { return placeOf(&a) == placeOf(&b) })
	matching, searched, err := p.matching(ctx, calls, p.most-len(p.list.Calls))
	if err != nil {
		return false, err
	}
	p.list.Calls = append(p.list.Calls, matching...)
	if searched < len(calls) {
		p.below = placeOf(&calls[searched-1])
		return false, nil
	}
	p.below, p.last = place{ms: floor}, floor == lowest
	return !p.last && len(p.list.Calls) < p.most && !p.spent(), nil
}

// end returns the page with the cursor of the next one.
func (p *page) end() protocol.CallList {
	switch {
	case len(p.list.Calls) > p.q.Limit:
		p.list.Calls = p.list.Calls[:p.q.Limit]
		p.below = placeOf(&p.list.Calls[p.q.Limit-1])
	case p.last:
		return p.list
	}
	p.list.Next = p.below.cursor()
	return p.list
}
