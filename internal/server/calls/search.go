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
	// which costs some requests; contentsTogether of them are read concurrently, contentsStep
	// before it is looked whether the page is full.
	contentsMost     = 500
	contentsTogether = 8
	contentsStep     = 64
)

// matching returns those of the calls that the text of the query is in, so many at most, and how
// many of the calls it searched. It searches fewer than all if the page is full or the calls are
// too many. A call of another person that is found by its arguments or its result is on the trail
// as viewed.
func (r *reading) matching(
	ctx context.Context, calls []protocol.CallSummary, most int,
) (found []protocol.CallSummary, searched int, err error) {
	if !r.q.Contents {
		n := min(len(calls), most)
		return calls[:n], n, nil
	}
	for searched < len(calls) && len(found) < most && r.contents > 0 {
		step := calls[searched:min(len(calls), searched+min(contentsStep, r.contents))]
		r.contents -= len(step)
		contains, err := r.containing(ctx, step)
		if err != nil {
			return nil, 0, err
		}
		for i := range step {
			if searched++; contains[i] {
				found = append(found, step[i])
			}
			if len(found) == most {
				break
			}
		}
	}
	return found, searched, nil
}

// containing reports for each of the calls whether the text of the query is in it.
func (r *reading) containing(ctx context.Context, calls []protocol.CallSummary) ([]bool, error) {
	contains := make([]bool, len(calls))
	var viewed []protocol.CallSummary
	g, bounded := gopool.WithContext(ctx, contentsTogether)
	for i := range calls {
		if contains[i] = says(r.q, &calls[i]); contains[i] {
			continue
		}
		g.Go(func() (err error) {
			contains[i], err = r.Contains(bounded, r.q.Tenant, calls[i].CallID, r.q.Text)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range calls {
		if contains[i] && !says(r.q, &calls[i]) {
			viewed = append(viewed, calls[i])
		}
	}
	return contains, r.Views.Calls(ctx, r.q.Tenant, "calls.list", viewed)
}

// says reports whether the ID, the tool or the summary of a call contains the text of q.
func says(q *api.CallQuery, c *protocol.CallSummary) bool {
	text := strings.ToLower(q.Text)
	return text == "" || strings.Contains(strings.ToLower(c.CallID+"\n"+c.Tool+"\n"+c.Summary), text)
}
