package calls

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/x/gopool"
	"github.com/helve-dev/helve/protocol"
)

const (
	// contentsMost bounds the calls in whose arguments and results a page searches, each of
	// which costs some requests; contentsTogether of them are read concurrently.
	contentsMost     = 500
	contentsTogether = 8
)

// matching returns, for each record, the call it ends if q selects that, nil for others. It
// ends early when left calls were searched. A call of another person that is found by its
// arguments or its result is on the trail as viewed.
func (l List) matching(
	ctx context.Context, q *api.CallQuery, records []protocol.AuditRecord, left *int,
) ([]*protocol.CallSummary, error) {
	calls := make([]*protocol.CallSummary, 0, len(records))
	var unsure []int
	for i := range records {
		c, ok := l.ended(q.Tenant, &records[i])
		ok = ok && selects(q, &c)
		switch {
		case ok && says(q, &c):
			calls = append(calls, &c)
			continue
		case ok && q.Contents:
			if *left == 0 {
				return l.searched(ctx, q, calls, unsure)
			}
			*left--
			unsure = append(unsure, i)
			calls = append(calls, &c)
			continue
		}
		calls = append(calls, nil)
	}
	return l.searched(ctx, q, calls, unsure)
}

// searched removes the unsure calls that do not contain the text of q.
func (l List) searched(
	ctx context.Context, q *api.CallQuery, calls []*protocol.CallSummary, unsure []int,
) ([]*protocol.CallSummary, error) {
	g, bounded := gopool.WithContext(ctx, contentsTogether)
	for _, i := range unsure {
		g.Go(func() error {
			found, err := l.Contains(bounded, q.Tenant, calls[i].CallID, q.Text)
			if !found {
				calls[i] = nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var viewed []protocol.CallSummary
	for _, i := range unsure {
		if calls[i] != nil {
			viewed = append(viewed, *calls[i])
		}
	}
	return calls, l.Views.Calls(ctx, q.Tenant, "calls.list", viewed)
}

// says reports whether the ID, the tool or the summary of a call contains the text of q.
func says(q *api.CallQuery, c *protocol.CallSummary) bool {
	text := strings.ToLower(q.Text)
	return text == "" || strings.Contains(strings.ToLower(c.CallID+"\n"+c.Tool+"\n"+c.Summary), text)
}
